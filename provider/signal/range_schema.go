package signal

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Schema describes the resource.
func (r *RangeResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := termsAttributes("the range")
	attributes["start_date"] = schema.StringAttribute{
		Required:   true,
		Validators: []validator.String{dateText},
		MarkdownDescription: "The first date that has a signal, `YYYY-MM-DD`. Changes in place: only the dates that come or go are touched. " +
			"Dates that have expired are never seeded.",
	}
	attributes["end_date"] = schema.StringAttribute{
		Required:            true,
		Validators:          []validator.String{dateText},
		MarkdownDescription: "The last date that has a signal, `YYYY-MM-DD`, not before `start_date`. Changes in place: only the dates that come or go are touched.",
	}
	attributes["range_id"] = schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: "UUID of the range. Known after creation and never changed: its signals carry it in `seededBy`, the condition of every write to them.",
	}
	attributes["dates"] = schema.Int64Attribute{
		Computed:            true,
		MarkdownDescription: "How many dates are configured, those included that have expired. Known at plan.",
	}
	attributes["missing_dates"] = schema.ListAttribute{
		Computed: true, ElementType: types.StringType,
		MarkdownDescription: "The dates that should have a signal of this range and have none, as intervals such as `2026-07-04/2026-07-31`; at most 50 of them, then `and N more`. " +
			"Drift shows here, and the next apply fills in what is missing, dirty, so that the next tick computes it. " +
			"A creation that could seed only some of the dates succeeds with a warning and lists the rest here, since an error would have Terraform destroy all of it: " +
			"`postcondition { condition = length(self.missing_dates) == 0 }` makes such an apply fail without that.",
	}
	attributes["timeouts"] = timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, Read: true, Update: true, Delete: true,
		CreateDescription: "How long seeding may take, such as `45m`. Default: `30m`. What has been seeded by then is kept.",
		ReadDescription:   "How long reading may take. Default: `30m`.",
		UpdateDescription: "How long an update may take. Default: `30m`. What has been done by then is kept, and the next apply does the rest.",
		DeleteDescription: "How long deleting may take. Default: `30m`. The next destroy does the rest.",
	})
	resp.Schema = schema.Schema{
		MarkdownDescription: "AvailabilitySignals of one product for every date from `start_date` to `end_date`, as one resource, however many they are. " +
			"It seeds each by a conditional insert of its own, never overwrites what is there, and owns only what it seeds: the bit, the value and all else that flips and checks write are the runtime's and are no attributes.",
		Attributes: attributes,
	}
}
