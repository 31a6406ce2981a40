package cadencebucket

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/importid"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// identity is what never changes of a bucket, and tells it from all others.
type identity struct {
	TableName types.String `tfsdk:"table_name"`
	Name      types.String `tfsdk:"name"`
}

// IdentitySchema describes the resource's identity.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"table_name": identityschema.StringAttribute{
			RequiredForImport: true,
			Description:       "Name of the table that holds the bucket's registry item.",
		},
		"name": identityschema.StringAttribute{
			RequiredForImport: true,
			Description:       "Name of the bucket, such as 5min.",
		},
	}}
}

func (m model) identity() identity { return identity{TableName: m.TableName, Name: m.Name} }

// importID is the bucket's parts, escaped and joined.
func importID(r ref) string { return importid.Join(r.table, r.name) }

// imported is the bucket that an import names, by its id or by its identity.
func imported(ctx context.Context, req resource.ImportStateRequest) (id identity, diags diag.Diagnostics) {
	if req.ID == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		if diags = req.Identity.Get(ctx, &id); diags.HasError() {
			return id, diags
		}
		if err := id.validate(); err != nil {
			diags.Append(importFailure(id.Name.ValueString(), err, "Correct the identity in the import block."))
		}
		return id, diags
	}
	parts, err := importid.Split(req.ID, 2)
	if err == nil {
		id = identity{TableName: types.StringValue(parts[0]), Name: types.StringValue(parts[1])}
		err = id.validate()
	}
	if err != nil {
		diags.Append(importFailure(req.ID, err, "Give the id as <table_name>/<name>, each part percent-escaped, such as reservations/5min."))
	}
	return id, diags
}

func (i identity) validate() error {
	if err := awsclient.CheckTableName(i.TableName.ValueString()); err != nil {
		return err
	}
	return signal.ValidateBucketName(i.Name.ValueString())
}

// importFailure is about an import that names no bucket.
func importFailure(name string, err error, do string) diag.Diagnostic {
	return diagnose.Failure{Verb: "import", Thing: thing(name), What: diagnose.Sentence(err), Do: do}.Error()
}
