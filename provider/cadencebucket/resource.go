// Package cadencebucket is the resource availability_cadence_bucket.
package cadencebucket

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/trigger"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/whole"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// Resource is availability_cadence_bucket.
type Resource struct{ data *awsclient.Data }

// NewResource returns the resource, not configured yet.
func NewResource() resource.Resource { return &Resource{} }

func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_cadence_bucket"
}

func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.data = awsclient.From(req.ProviderData, &resp.Diagnostics)
}

func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(whole.Check(ctx, req.Config, invalidBucket)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(validateSchedule(ctx, config)...)
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
	replace, diags := plan.complete(ctx, config, state, defaults{table: r.data.TableName, tags: r.data.DefaultTags, region: r.data.Region()})
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
	d, diags := plan.definition(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	b := r.buckets(d.table)
	resp.Diagnostics.Append(b.inspectTable(ctx, d.ref)...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := b.create(ctx, d)
	if err != nil {
		resp.Diagnostics.Append(createFailure(d.ref, err))
		if _, left := errors.AsType[*leftError](err); !left {
			return
		}
	} else {
		tflog.Info(ctx, "created cadence bucket", d.fields())
	}
	plan.RuleARN = types.StringValue(made.RuleARN)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateKey, registration{GlobalID: made.GlobalID}.encode())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	globalID, diags := readRegistration(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	if resp.Diagnostics.HasError() || !r.data.Ready() {
		return
	}
	o, err := r.buckets(state.TableName.ValueString()).read(ctx, state.ref(), globalID)
	switch {
	case errors.Is(err, errGone):
		orphan, err := r.buckets(state.TableName.ValueString()).orphan(ctx, state.ref())
		if err != nil {
			resp.Diagnostics.Append(readFailure(state.ref(), err))
			return
		}
		if orphan != "" {
			resp.Diagnostics.Append(orphaned(state.ref(), orphan))
		}
		resp.State.RemoveResource(ctx)
		return
	case errors.Is(err, errReplaced):
		resp.Diagnostics.Append(replaced(state.ref()))
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.Append(readFailure(state.ref(), err))
		return
	}
	if o.foreign != nil {
		resp.Diagnostics.Append(lostRule(o.ref, o.foreign))
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateKey, registration{GlobalID: o.bucket.GlobalID}.encode())...)
	observed := state.observe(ctx, o, r.data.DefaultTags)
	resp.Diagnostics.Append(resp.State.Set(ctx, &observed)...)
}

func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	globalID, diags := readRegistration(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	d, diags := plan.definition(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	updated, err := r.buckets(d.table).update(ctx, d, globalID)
	if err != nil {
		resp.Diagnostics.Append(updateFailure(d.ref, err))
		// It is the state's alone, and what a bucket may need that cannot be updated.
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("force_destroy"), plan.ForceDestroy)...)
		return
	}
	tflog.Info(ctx, "updated cadence bucket", d.fields())
	if plan.RuleARN.IsUnknown() {
		plan.RuleARN = types.StringValue(updated.RuleARN)
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	globalID, diags := readRegistration(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	foreign, err := r.buckets(state.TableName.ValueString()).destroy(ctx, state.ref(), globalID, state.ForceDestroy.ValueBool())
	switch {
	case errors.Is(err, errReplaced):
		// This one is gone; the other is not ours to destroy.
		resp.Diagnostics.Append(replaced(state.ref()))
	case err != nil:
		resp.Diagnostics.Append(destroyFailure(state.ref(), err))
	case foreign != nil:
		resp.Diagnostics.Append(leftRule(state.ref(), foreign))
	default:
		tflog.Info(ctx, "destroyed cadence bucket", state.ref().fields())
	}
}

func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, diags := imported(ctx, req)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, id)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("table_name"), id.TableName)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), id.Name)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("force_destroy"), false)...)
}

func (r *Resource) buckets(table string) buckets { return bucketsOf(r.data, table) }

func bucketsOf(data *awsclient.Data, table string) buckets {
	store := dynamo.NewStore(data.DynamoDB, table)
	return buckets{
		store:    store,
		registry: dynamo.NewRegistry(store),
		guard:    dynamo.NewGuard(store, data.CadenceIndexName.ValueString()),
		triggers: trigger.NewEventBridge(data.EventBridge),
		tables:   data.DynamoDB,
		indexes:  indexNames{cadence: data.CadenceIndexName.ValueString(), globalID: data.GlobalIDIndexName.ValueString()},
		now:      data.Now,
		random:   rand.Reader,
	}
}

// privateKey is where the state keeps which registration is this resource's.
const privateKey = "registration"

type registration struct {
	GlobalID string `json:"globalId"`
}

func (r registration) encode() []byte {
	// A string always encodes.
	b, _ := json.Marshal(r)
	return b
}

// private is what the framework gives a resource of its private state.
type private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// readRegistration is the globalId that the state keeps, or "" if it keeps none
// yet.
func readRegistration(ctx context.Context, p private) (string, diag.Diagnostics) {
	b, diags := p.GetKey(ctx, privateKey)
	if len(b) == 0 || diags.HasError() {
		return "", diags
	}
	var r registration
	if err := json.Unmarshal(b, &r); err != nil {
		diags.AddError("Unable to read the state of a cadence bucket", "Its private part is not what this provider wrote. Restore a backup of the state.\n\n"+err.Error())
	}
	return r.GlobalID, diags
}

// fields are what logs say of a bucket.
func (r ref) fields() map[string]any {
	return map[string]any{"table": r.table, "bucket": r.name, "rule": r.rule}
}
