// Package signal is the resources availability_signal and
// availability_signal_range.
package signal

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// Resource is availability_signal.
type Resource struct{ data *awsclient.Data }

// NewResource returns the resource, not configured yet.
func NewResource() resource.Resource { return &Resource{} }

func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_signal"
}

func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.data = awsclient.From(req.ProviderData, &resp.Diagnostics)
}

func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(config.validate(ctx)...)
	}
}

func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || r.data == nil {
		return
	}
	var config, plan model
	var state *model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		state = &model{}
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
	resp.RequiresReplace.Append(replace...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	want, diags := plan.wanted(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := r.seeder(want.table).Create(ctx, want.ProductDate, want.Terms, want.start)
	if err != nil {
		resp.Diagnostics.Append(createFailure(want, err))
		left, isLeft := errors.AsType[*dynamo.LeftoverError](err)
		if !isLeft {
			return
		}
		made = left.Seeded
	} else {
		tflog.Info(ctx, "seeded signal", want.fields())
	}
	plan.GlobalID = types.StringValue(made.GlobalID)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	// The past is kept as it was, whether or not it is still there.
	if resp.Diagnostics.HasError() || !r.data.Ready() || state.expired(r.data.Now()) {
		return
	}
	ref, err := state.ref()
	if err != nil {
		resp.Diagnostics.Append(readFailure(ref, err))
		return
	}
	is, err := r.seeder(ref.table).Read(ctx, ref.ProductDate)
	foreign := state.foreign(is, err)
	switch {
	case errors.Is(err, dynamo.ErrGone), errors.Is(err, dynamo.ErrTableNotFound):
		resp.State.RemoveResource(ctx)
	case foreign != nil && state.GlobalID.IsNull():
		resp.Diagnostics.Append(importFailure(ref, *foreign))
	case foreign != nil:
		resp.Diagnostics.Append(lost(ref, *foreign))
		resp.State.RemoveResource(ctx)
	case err != nil:
		resp.Diagnostics.Append(readFailure(ref, err))
	default:
		resp.Diagnostics.Append(state.observe(ctx, is)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	want, diags := plan.wanted(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.GlobalID = state.GlobalID
	if !state.agrees(ctx, want) {
		_, err := r.seeder(want.table).Update(ctx, want.ProductDate, state.GlobalID.ValueString(), want.Terms)
		// Nobody misses what has expired; that it is still in the state is all.
		past := state.expired(r.data.Now()) && !want.Expiry.After(r.data.Now()) && nothingThere(err)
		if err != nil && !past {
			resp.Diagnostics.Append(updateFailure(want, err))
			return
		}
		tflog.Info(ctx, "updated signal", want.fields())
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	ref, err := state.ref()
	if err == nil {
		err = r.seeder(ref.table).Delete(ctx, ref.ProductDate, state.GlobalID.ValueString())
	}
	other, isOther := errors.AsType[*dynamo.NotOursError](err)
	switch {
	case errors.Is(err, dynamo.ErrTableNotFound):
	case isOther:
		resp.Diagnostics.Append(leftAlone(ref, other.Holder))
	case err != nil:
		resp.Diagnostics.Append(destroyFailure(ref, err))
	default:
		tflog.Info(ctx, "destroyed signal", ref.fields())
	}
}

func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	ref, err := parseImportID(req.ID)
	if err != nil {
		resp.Diagnostics.Append(importIDFailure("signal", req.ID, err, signalIDForm, signalIDExample))
		return
	}
	resp.Diagnostics.Append(importKey(ctx, &resp.State, ref.table, ref.Product)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("date"), ref.Date.String())...)
}

func (r *Resource) seeder(table string) *dynamo.Seeder {
	return dynamo.NewSeeder(r.data.DynamoDB, table, r.data.Now, rand.Reader)
}

// nothingThere is whether an error says that a signal is not there any more, or
// is another's.
func nothingThere(err error) bool {
	return errors.Is(err, dynamo.ErrGone) || errors.Is(err, dynamo.ErrNotOurs) || errors.Is(err, dynamo.ErrTableNotFound)
}
