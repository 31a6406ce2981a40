package signal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

var (
	_ resource.ResourceWithConfigure      = (*RangeResource)(nil)
	_ resource.ResourceWithIdentity       = (*RangeResource)(nil)
	_ resource.ResourceWithImportState    = (*RangeResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*RangeResource)(nil)
	_ resource.ResourceWithValidateConfig = (*RangeResource)(nil)
)

const defaultTimeout = 30 * time.Minute

// errTimeout tells a range's own timeout from those on the way to AWS.
var errTimeout = errors.New("timeout")

// RangeResource is availability_signal_range.
type RangeResource struct{ data *awsclient.Data }

// NewRangeResource returns the resource, not configured yet.
func NewRangeResource() resource.Resource { return &RangeResource{} }

func (r *RangeResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_signal_range"
}

func (r *RangeResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.data = awsclient.From(req.ProviderData, &resp.Diagnostics)
}

func (r *RangeResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config rangeModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(config.validate(ctx)...)
	}
}

func (r *RangeResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || r.data == nil {
		return
	}
	var config, plan rangeModel
	var state *rangeModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		state = &rangeModel{}
		resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	replace, diags := plan.complete(ctx, config, state, r.data)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	zone, diags := importedZone(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if zone == zoneDiffers && config.TimeZone.IsNull() && !r.data.TimeZone.IsUnknown() {
		// The provider's zone is the range's after all.
		plan.DriftedDates = types.ListUnknown(types.StringType)
	}
	resp.RequiresReplace.Append(replace...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *RangeResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan rangeModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	want, diags := plan.wanted(ctx, r.data)
	resp.Diagnostics.Append(diags...)
	timeout, diags := plan.Timeouts.Create(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	seeding, stop := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer stop()
	made, why, err := r.seeder(want.table).CreateRange(seeding, want.Range)
	why, err = timed(seeding, why), timed(seeding, err)
	if err != nil {
		resp.Diagnostics.Append(rangeCreateFailure(want, err))
		return
	}
	if why != nil {
		// An error would taint the range, and so destroy what has been seeded.
		resp.Diagnostics.Append(incomplete(want, made, why))
	} else {
		tflog.Info(ctx, "seeded signal range", want.fields())
	}
	if empty(want.Range, r.data.Now()) {
		resp.Diagnostics.Append(emptyRange(want.thing()))
	}
	plan.observeState(made)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *RangeResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state rangeModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	zone, diags := importedZone(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !r.data.Ready() {
		return
	}
	is, err := state.read(ctx, r.data)
	known := !is.ZoneGuessed
	is.ZoneGuessed = !known || zone != zoneSettled
	timeout, diags := state.Timeouts.Read(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if err != nil || resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(rangeReadFailure(is, err))
		return
	}
	reading, stop := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer stop()
	var found dynamo.RangeState
	if state.StartDate.IsNull() {
		is.Range, found, err = r.seeder(is.table).FindRange(reading, is.Range)
	} else {
		found, err = r.seeder(is.table).ReadRange(reading, is.Range)
	}
	switch err = timed(reading, err); {
	case errors.Is(err, dynamo.ErrGone), errors.Is(err, dynamo.ErrTableNotFound):
		resp.State.RemoveResource(ctx)
	case err != nil:
		resp.Diagnostics.Append(rangeReadFailure(is, err))
	default:
		if state.StartDate.IsNull() {
			resp.Diagnostics.Append(state.observeTerms(ctx, is.Bucket, is.Pattern)...)
		}
		state.observeState(found)
		if zone != zoneSettled && known {
			resp.Diagnostics.Append(keepZone(ctx, resp.Private, found.ZoneDiffers)...)
		}
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

func (r *RangeResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state rangeModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	want, diags := plan.wanted(ctx, r.data)
	resp.Diagnostics.Append(diags...)
	timeout, diags := plan.Timeouts.Update(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	was, err := state.read(ctx, r.data)
	if err != nil {
		resp.Diagnostics.Append(rangeUpdateFailure(want, dynamo.RangeState{}, err))
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	if state.agrees(was, want) && !plan.DriftedDates.IsUnknown() {
		plan.observeState(dynamo.RangeState{ID: want.ID, Span: want.Span, Except: want.Except})
		resp.Diagnostics.Append(settleZone(ctx, resp.Private)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}
	updating, stop := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer stop()
	is, err := r.seeder(want.table).UpdateRange(updating, was.Range, want.Range)
	if err = timed(updating, err); err != nil {
		resp.Diagnostics.Append(rangeUpdateFailure(want, is, err))
	} else {
		tflog.Info(ctx, "updated signal range", want.fields())
	}
	if len(is.Left) > 0 {
		resp.Diagnostics.Append(rangeDropLeft(want, is.Left))
	}
	switch {
	case is.ID == "":
		// Nothing has been done, and the state is as it was.
	case is.Complete:
		plan.observeState(is)
		resp.Diagnostics.Append(settleZone(ctx, resp.Private)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	default:
		state.observeState(is)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

func (r *RangeResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state rangeModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	is, err := state.read(ctx, r.data)
	if err == nil {
		deleting, stop := context.WithTimeoutCause(ctx, timeout, errTimeout)
		defer stop()
		err = timed(deleting, r.seeder(is.table).DeleteRange(deleting, is.Product, is.ID))
	}
	if left, ok := errors.AsType[*dynamo.LeftError](err); ok {
		resp.Diagnostics.Append(rangeLeftAlone(is, left.Holders))
		return
	}
	if err != nil && !errors.Is(err, dynamo.ErrTableNotFound) {
		resp.Diagnostics.Append(rangeDestroyFailure(is, err))
		return
	}
	tflog.Info(ctx, "destroyed signal range", is.fields())
}

func (r *RangeResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, diags := importedRange(ctx, req)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, id)...)
	resp.Diagnostics.Append(id.importInto(ctx, &resp.State)...)
	resp.Diagnostics.Append(keepZone(ctx, resp.Private, false)...)
}

func (r *RangeResource) seeder(table string) *dynamo.Seeder {
	seeder := dynamo.NewSeeder(r.data.DynamoDB, table, r.data.Now, rand.Reader)
	if r.data.Sleep != nil {
		seeder.WithSleep(r.data.Sleep)
	}
	return seeder
}

// timed says of an error that it came about because there was no more time.
func timed(ctx context.Context, err error) error {
	if err == nil || !errors.Is(context.Cause(ctx), errTimeout) {
		return err
	}
	return fmt.Errorf("%w: %w", errTimeout, err)
}
