// Command schema prints the provider's schemas in the shape of `terraform
// providers schema -json`, by asking the provider's server in this process. The
// documentation is made from it: no Terraform is needed, and a Terraform that is
// older than a kind of schema cannot leave it out.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/availability-signal/terraform-provider-availability/provider"
)

// object is a JSON object. encoding/json sorts its keys, so the output is stable.
type object map[string]any

func main() {
	ctx := context.Background()
	server := providerserver.NewProtocol6(provider.New("docs")())()
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		log.Fatal(err)
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range append(schemas.Diagnostics, identities.Diagnostics...) {
		log.Fatalf("%s: %s", d.Summary, d.Detail)
	}
	actions := map[string]*tfprotov6.Schema{}
	for name, a := range schemas.ActionSchemas {
		actions[name] = a.Schema
	}
	out := object{
		"format_version": "1.0",
		"provider_schemas": object{"availability": object{
			"provider":                  schema(schemas.Provider),
			"resource_schemas":          all(schemas.ResourceSchemas, schema),
			"data_source_schemas":       all(schemas.DataSourceSchemas, schema),
			"list_resource_schemas":     all(schemas.ListResourceSchemas, schema),
			"action_schemas":            all(actions, schema),
			"functions":                 all(schemas.Functions, function),
			"resource_identity_schemas": all(identities.IdentitySchemas, identity),
		}},
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		log.Fatal(err)
	}
}

func all[S any](schemas map[string]S, one func(S) object) object {
	o := object{}
	for name, s := range schemas {
		o[name] = one(s)
	}
	return o
}

func schema(s *tfprotov6.Schema) object {
	return object{"version": s.Version, "block": block(s.Block)}
}

func block(b *tfprotov6.SchemaBlock) object {
	nested := object{}
	for _, n := range b.BlockTypes {
		nested[n.TypeName] = object{
			"nesting_mode": map[tfprotov6.SchemaNestedBlockNestingMode]string{
				tfprotov6.SchemaNestedBlockNestingModeSingle: "single",
				tfprotov6.SchemaNestedBlockNestingModeList:   "list",
				tfprotov6.SchemaNestedBlockNestingModeSet:    "set",
				tfprotov6.SchemaNestedBlockNestingModeMap:    "map",
				tfprotov6.SchemaNestedBlockNestingModeGroup:  "group",
			}[n.Nesting],
			"block": block(n.Block), "min_items": n.MinItems, "max_items": n.MaxItems,
		}
	}
	return object{
		"attributes": attributes(b.Attributes), "block_types": nested,
		"description": b.Description, "description_kind": kind(b.DescriptionKind), "deprecated": b.Deprecated,
	}
}

func attributes(list []*tfprotov6.SchemaAttribute) object {
	o := object{}
	for _, a := range list {
		attr := object{
			"description": a.Description, "description_kind": kind(a.DescriptionKind), "deprecated": a.Deprecated,
			"required": a.Required, "optional": a.Optional, "computed": a.Computed,
			"sensitive": a.Sensitive, "write_only": a.WriteOnly,
		}
		if a.NestedType == nil {
			attr["type"] = a.Type
		} else {
			attr["nested_type"] = object{
				"attributes": attributes(a.NestedType.Attributes),
				"nesting_mode": map[tfprotov6.SchemaObjectNestingMode]string{
					tfprotov6.SchemaObjectNestingModeSingle: "single",
					tfprotov6.SchemaObjectNestingModeList:   "list",
					tfprotov6.SchemaObjectNestingModeSet:    "set",
					tfprotov6.SchemaObjectNestingModeMap:    "map",
				}[a.NestedType.Nesting],
			}
		}
		o[a.Name] = attr
	}
	return o
}

func function(f *tfprotov6.Function) object {
	parameters := []object{}
	for _, p := range f.Parameters {
		parameters = append(parameters, parameter(p))
	}
	o := object{
		"summary": f.Summary, "description": f.Description, "deprecation_message": f.DeprecationMessage,
		"return_type": f.Return.Type, "parameters": parameters,
	}
	if f.VariadicParameter != nil {
		o["variadic_parameter"] = parameter(f.VariadicParameter)
	}
	return o
}

func parameter(p *tfprotov6.FunctionParameter) object {
	return object{"name": p.Name, "description": p.Description, "is_nullable": p.AllowNullValue, "type": p.Type}
}

func identity(s *tfprotov6.ResourceIdentitySchema) object {
	attrs := object{}
	for _, a := range s.IdentityAttributes {
		attrs[a.Name] = object{
			"type": a.Type, "description": a.Description,
			"required_for_import": a.RequiredForImport, "optional_for_import": a.OptionalForImport,
		}
	}
	return object{"version": s.Version, "attributes": attrs}
}

func kind(k tfprotov6.StringKind) string {
	if k == tfprotov6.StringKindMarkdown {
		return "markdown"
	}
	return "plain"
}
