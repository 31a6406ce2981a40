package acctest

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/availability-signal/terraform-provider-availability/provider"
)

// Server is the provider's protocol without Terraform, for what is no resource:
// data sources, functions, actions and lists, of which some need a newer Terraform
// than others.
type Server struct {
	t        *testing.T
	server   tfprotov6.ProviderServer
	schemas  *tfprotov6.GetProviderSchemaResponse
	warnings []string
}

// NewServer returns the server of a provider of those settings.
func NewServer(t *testing.T, settings Config, opts ...provider.Option) *Server {
	t.Helper()
	s := NewOfflineServer(t, opts...)
	if errs := s.Configure(settings); len(errs) > 0 {
		t.Fatalf("configure provider: %s", strings.Join(errs, "\n"))
	}
	return s
}

// NewOfflineServer returns a server whose provider is not configured.
func NewOfflineServer(t *testing.T, opts ...provider.Option) *Server {
	t.Helper()
	server, err := Factories(opts...)["availability"]()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return &Server{t: t, server: server, schemas: schemas}
}

// Configure configures the provider, and returns the errors.
func (s *Server) Configure(settings Config) []string {
	s.t.Helper()
	config := s.encode(Value(s.t, s.schemas.Provider.ValueType(), settings))
	configured, err := s.server.ConfigureProvider(s.t.Context(), &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.14.0", Config: config})
	if err != nil {
		s.t.Fatal(err)
	}
	return errorsOf(configured.Diagnostics)
}

// ValidateData returns the errors of a data source's configuration.
func (s *Server) ValidateData(typeName string, config Config) []string {
	s.t.Helper()
	_, errs := s.validateData(typeName, config)
	return errs
}

func (s *Server) validateData(typeName string, config Config) (encoded *tfprotov6.DynamicValue, errs []string) {
	s.t.Helper()
	encoded = s.encode(Value(s.t, s.schemas.DataSourceSchemas[typeName].ValueType(), config))
	validated, err := s.server.ValidateDataResourceConfig(s.t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: typeName, Config: encoded})
	if err != nil {
		s.t.Fatal(err)
	}
	return encoded, errorsOf(validated.Diagnostics)
}

// Read validates and reads a data source, and returns its values by name.
func (s *Server) Read(typeName string, config Config) (values map[string]any, errs []string) {
	s.t.Helper()
	encoded, errs := s.validateData(typeName, config)
	if len(errs) > 0 {
		return nil, errs
	}
	read, err := s.server.ReadDataSource(s.t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: typeName, Config: encoded})
	if err != nil {
		s.t.Fatal(err)
	}
	s.warnings = messages(read.Diagnostics, tfprotov6.DiagnosticSeverityWarning)
	if errs := errorsOf(read.Diagnostics); len(errs) > 0 {
		return nil, errs
	}
	return fields(s.t, s.decode(s.schemas.DataSourceSchemas[typeName].ValueType(), read.State)), nil
}

// Warnings are those of the last read.
func (s *Server) Warnings() []string { return s.warnings }

// Call calls a function with arguments as Go values. The text of an error begins
// with the number of the argument that is to blame, if one is.
func (s *Server) Call(name string, arguments ...any) (result any, err *tfprotov6.FunctionError) {
	s.t.Helper()
	function := s.schemas.Functions[name]
	if function == nil {
		s.t.Fatalf("the provider has no function %s", name)
	}
	req := &tfprotov6.CallFunctionRequest{Name: name}
	for i, a := range arguments {
		req.Arguments = append(req.Arguments, s.encode(Value(s.t, function.Parameters[i].Type, a)))
	}
	resp, failed := s.server.CallFunction(s.t.Context(), req)
	if failed != nil {
		s.t.Fatal(failed)
	}
	if resp.Error != nil {
		return nil, resp.Error
	}
	return plain(s.t, s.decode(function.Return.Type, resp.Result)), nil
}

// Invoke validates, plans and invokes an action. progress are its messages.
func (s *Server) Invoke(actionType string, config Config) (progress, errs []string) {
	s.t.Helper()
	action := s.schemas.ActionSchemas[actionType]
	if action == nil {
		s.t.Fatalf("the provider has no action %s", actionType)
	}
	ctx, encoded := s.t.Context(), s.encode(Value(s.t, action.Schema.ValueType(), config))
	server := s.server.(tfprotov6.ActionServer)
	validated, err := server.ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: actionType, Config: encoded})
	if err != nil {
		s.t.Fatal(err)
	}
	if errs := errorsOf(validated.Diagnostics); len(errs) > 0 {
		return nil, errs
	}
	planned, err := server.PlanAction(ctx, &tfprotov6.PlanActionRequest{ActionType: actionType, Config: encoded})
	if err != nil {
		s.t.Fatal(err)
	}
	if errs := errorsOf(planned.Diagnostics); len(errs) > 0 {
		return nil, errs
	}
	stream, err := server.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: actionType, Config: encoded})
	if err != nil {
		s.t.Fatal(err)
	}
	for event := range stream.Events {
		switch e := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, e.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			errs = append(errs, errorsOf(e.Diagnostics)...)
		}
	}
	return progress, errs
}

// Listed is one result of a list.
type Listed struct {
	Name     string
	Identity map[string]any
	// Resource is nil unless it was asked for.
	Resource map[string]any
	Errors   []string
}

// List validates and lists, as terraform query does.
func (s *Server) List(typeName string, config Config, includeResource bool, limit int64) (results []Listed, errs []string) {
	s.t.Helper()
	schema := s.schemas.ListResourceSchemas[typeName]
	if schema == nil {
		s.t.Fatalf("the provider has no list resource %s", typeName)
	}
	ctx, encoded := s.t.Context(), s.encode(Value(s.t, schema.ValueType(), config))
	server := s.server.(tfprotov6.ListResourceServer)
	validated, err := server.ValidateListResourceConfig(ctx, &tfprotov6.ValidateListResourceConfigRequest{TypeName: typeName, Config: encoded})
	if err != nil {
		s.t.Fatal(err)
	}
	if errs := errorsOf(validated.Diagnostics); len(errs) > 0 {
		return nil, errs
	}
	stream, err := server.ListResource(ctx, &tfprotov6.ListResourceRequest{TypeName: typeName, Config: encoded, IncludeResource: includeResource, Limit: limit})
	if err != nil {
		s.t.Fatal(err)
	}
	for r := range stream.Results {
		listed := Listed{Name: r.DisplayName, Errors: errorsOf(r.Diagnostics)}
		if r.Identity != nil && r.Identity.IdentityData != nil {
			listed.Identity = fields(s.t, s.decode(identityType(s.t, s.server, typeName), r.Identity.IdentityData))
		}
		if r.Resource != nil {
			if v := s.decode(s.schemas.ResourceSchemas[typeName].ValueType(), r.Resource); !v.IsNull() {
				listed.Resource = fields(s.t, v)
			}
		}
		results = append(results, listed)
	}
	return results, nil
}

func (s *Server) encode(v tftypes.Value) *tfprotov6.DynamicValue {
	s.t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		s.t.Fatal(err)
	}
	return &encoded
}

func (s *Server) decode(typ tftypes.Type, v *tfprotov6.DynamicValue) tftypes.Value {
	s.t.Helper()
	decoded, err := v.Unmarshal(typ)
	if err != nil {
		s.t.Fatal(err)
	}
	return decoded
}

func identityType(t *testing.T, server tfprotov6.ProviderServer, typeName string) tftypes.Type {
	t.Helper()
	resp, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	schema := resp.IdentitySchemas[typeName]
	if schema == nil {
		t.Fatalf("%s has no identity", typeName)
	}
	return schema.ValueType()
}
