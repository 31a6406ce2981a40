package acctest

import (
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// PlanUnrefreshed is Plan with -refresh=false.
func (d *Driver) PlanUnrefreshed(config Config) (action Action, planned map[string]any, errs []string) {
	d.t.Helper()
	p, errs := d.plan(config, d.state)
	if len(errs) > 0 {
		return "", nil, errs
	}
	return p.action, fields(d.t, p.value), nil
}

// Source is a resource of another provider's, as a state has it.
type Source struct {
	Provider, Type string
	State          any
}

// Move moves another provider's resource here, as a moved block does. Terraform
// has this done before it configures the provider.
func (d *Driver) Move(from Source) []string {
	d.t.Helper()
	state, err := json.Marshal(from.State)
	if err != nil {
		d.t.Fatal(err)
	}
	resp, err := d.server.MoveResourceState(d.t.Context(), &tfprotov6.MoveResourceStateRequest{
		SourceProviderAddress: from.Provider, SourceTypeName: from.Type, TargetTypeName: d.typeName,
		SourceState: &tfprotov6.RawState{JSON: state},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	if errs := errorsOf(resp.Diagnostics); len(errs) > 0 {
		return errs
	}
	d.state, d.identity, d.private, d.tainted = d.decode(resp.TargetState), resp.TargetIdentity, resp.TargetPrivate, false
	return nil
}

// ValidateList validates a list block, and returns the errors.
func (s *Server) ValidateList(typeName string, config Config) []string {
	s.t.Helper()
	resp, err := s.server.(tfprotov6.ListResourceServer).ValidateListResourceConfig(s.t.Context(), &tfprotov6.ValidateListResourceConfigRequest{
		TypeName: typeName, Config: s.encode(Value(s.t, s.schemas.ListResourceSchemas[typeName].ValueType(), config)),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return errorsOf(resp.Diagnostics)
}
