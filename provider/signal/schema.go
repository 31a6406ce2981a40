package signal

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := termsAttributes("the signal")
	attributes["date"] = schema.StringAttribute{
		Required:      true,
		Validators:    []validator.String{dateText},
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		MarkdownDescription: "The calendar date that the signal stands for, `YYYY-MM-DD`, in the product's time zone. " +
			"A change replaces the signal.",
	}
	attributes["expiry"] = schema.StringAttribute{
		Optional: true, Computed: true,
		Validators: []validator.String{instantText},
		MarkdownDescription: "The instant from which the signal is neither checked nor taken for fresh and may be deleted, ISO 8601, to the millisecond. " +
			"Default: the start of the next day in `time_zone`; known at plan. Changes in place, but one that has passed and is moved into the future replaces the signal. " +
			"Once it has passed, the signal stays in the state as it was, whether or not its item is still there.",
	}
	attributes["global_id"] = schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "UUID of this seeding of the signal, new whenever it is seeded. Known after creation and never changed. " +
			"The signal is updated and destroyed on condition that its item still has it.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "An AvailabilitySignal: one small item that holds the last computed availability of a product on a date, and a dirty bit. " +
			"This resource seeds it by one conditional insert, never overwrites what is there, and owns only what it seeds: the bit, the value and all else that flips and checks write are the runtime's and are no attributes. " +
			"For many dates of one product use `availability_signal_range`: Terraform itself becomes slow with thousands of resources.",
		Attributes: attributes,
	}
}

// termsAttributes are the attributes that a signal and a range have in common.
// what says whose they are.
func termsAttributes(what string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"collection_id": partAttribute("collection", what),
		"activity_type": partAttribute("activity's type", what),
		"activity_id":   partAttribute("activity", what),
		"product_id":    partAttribute("product", what),
		"cadence_bucket": schema.StringAttribute{
			Required:   true,
			Validators: []validator.String{bucketText},
			MarkdownDescription: "Name of the CadenceBucket on whose ticks " + what + " is checked. Refer to `availability_cadence_bucket.<name>.name` rather than writing the name: an unregistered bucket is an error, since nothing would ever check " + what + ". " +
				"Changes in place: bit and value stay as they are. Owned by Terraform: drift shows and is changed back.",
		},
		"availability_estimation_pattern": patternAttribute(),
		"time_zone": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{zoneText},
			MarkdownDescription: "IANA time zone of the product, such as `America/Vancouver`, in which a date begins and ends. Default: the provider's `time_zone`, then `UTC`, with a warning. " +
				"Changes in place. The zone data is the provider's own, not the machine's. Kept in the state alone, so that an import cannot read it back.",
		},
		"initial_value": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{valueText},
			MarkdownDescription: "The cached value to start with: a whole number where the mode is `exact`, a tier's id where it is `tiered`. Default: none, which reads as unknown until the first check. " +
				"Used once, at creation: later changes write nothing. The runtime owns the value from then on.",
		},
		"initial_state": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stateText},
			MarkdownDescription: "The bit to start with: `dirty`, so that the first tick computes the value, or `clean`. Default: `dirty` with an `initial_value`, else `clean`. " +
				"Used once, at creation: later changes write nothing. The runtime owns the bit from then on.",
		},
		"table_name": schema.StringAttribute{
			Optional: true, Computed: true,
			Validators:          []validator.String{tableText},
			MarkdownDescription: "Name of the table to seed into. Default: the provider's `table_name`. A change replaces " + what + ".",
		},
	}
}

func partAttribute(part, what string) schema.StringAttribute {
	return schema.StringAttribute{
		Required:      true,
		Validators:    []validator.String{partText},
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		MarkdownDescription: "Id of the " + part + ", a part of the key of " + what + "; a number is accepted. It must not be empty, contain `::` or control characters, or begin or end with `:`. " +
			"A change replaces " + what + ".",
	}
}

func patternAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Required: true,
		MarkdownDescription: "How availability becomes the cached value; as the product has it. A change that makes other values is a flip in the same write, so that the next check rewrites the value. " +
			"Owned by Terraform: drift shows and is changed back.",
		Attributes: map[string]schema.Attribute{
			"estimation_mode": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{modeText},
				MarkdownDescription: "`exact` caches the number that is available, `tiered` the id of a tier.",
			},
			"tiers": schema.ListNestedAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The tiers of mode `tiered`, in ascending order; the value is the id of the first whose bound is not below available / capacity. " +
					"Default with `tiered`: full 0, low 0.25, medium 0.75, high 1. With `exact` there are none.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id": schema.StringAttribute{
						Required:            true,
						MarkdownDescription: "The value that is cached. Unique and not empty; `none` is taken: it means that there is no inventory.",
					},
					"label": schema.StringAttribute{
						Optional:            true,
						MarkdownDescription: "The tier's name for people. Default: none. A change of labels alone is no flip.",
					},
					"max_percentage": schema.NumberAttribute{
						Required:            true,
						MarkdownDescription: "Inclusive upper bound of available / capacity: a fraction from 0 to 1, in spite of its name. Each bound is above the one before it, and the last is 1.",
					},
				}},
			},
		},
	}
}

func patternTypes() map[string]attr.Type {
	return map[string]attr.Type{"estimation_mode": types.StringType, "tiers": tiersType()}
}

func tiersType() types.ListType { return types.ListType{ElemType: tierType()} }

func tierType() types.ObjectType {
	return types.ObjectType{AttrTypes: map[string]attr.Type{
		"id": types.StringType, "label": types.StringType, "max_percentage": types.NumberType,
	}}
}
