package cadencebucket

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
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
func importID(r ref) string { return url.PathEscape(r.table) + "/" + url.PathEscape(r.name) }

// imported is the bucket that an import names, by its id or by its identity.
func imported(ctx context.Context, req resource.ImportStateRequest) (identity, diag.Diagnostics) {
	if req.ID == "" {
		var id identity
		diags := req.Identity.Get(ctx, &id)
		if err := signal.ValidateBucketName(id.Name.ValueString()); !diags.HasError() && err != nil {
			diags.AddAttributeError(path.Root("name"), "Unable to import "+thing(id.Name.ValueString()), diagnose.Sentence(err))
		}
		return id, diags
	}
	table, name, err := parseImportID(req.ID)
	if err != nil {
		return identity{}, diag.Diagnostics{diagnose.Failure{
			Verb: "import", Thing: thing(req.ID), What: diagnose.Sentence(err),
			Do: "Give the id as <table_name>/<name>, such as reservations/5min.",
		}.Error()}
	}
	return identity{TableName: types.StringValue(table), Name: types.StringValue(name)}, nil
}

func parseImportID(id string) (table, name string, err error) {
	parts := strings.Split(id, "/")
	if len(parts) != 2 {
		return "", "", fmt.Errorf("the id %q has %d parts, not 2", id, len(parts))
	}
	for i, part := range parts {
		if parts[i], err = url.PathUnescape(part); err != nil {
			return "", "", fmt.Errorf("part %d of the id %q is not percent-escaped: %w", i+1, id, err)
		}
		if part == "" {
			return "", "", fmt.Errorf("part %d of the id %q is empty", i+1, id)
		}
	}
	return parts[0], parts[1], nil
}
