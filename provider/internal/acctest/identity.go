package acctest

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Identity is the identity that the state has, by name; nil where it has none.
func (d *Driver) Identity() map[string]any {
	d.t.Helper()
	if d.identity == nil || d.identity.IdentityData == nil {
		return nil
	}
	v, err := d.identity.IdentityData.Unmarshal(d.identityType())
	if err != nil {
		d.t.Fatal(err)
	}
	if v.IsNull() {
		return nil
	}
	return fields(d.t, v)
}

// ForgetIdentity drops the identity alone: what a state has that was written
// before there were identities.
func (d *Driver) ForgetIdentity() { d.identity = nil }

// ImportIdentity imports the resource by its identity, and reads it as Terraform
// then does.
func (d *Driver) ImportIdentity(identity Config) []string {
	d.t.Helper()
	encoded := d.encode(Value(d.t, d.identityType(), identity))
	return d.importState(&tfprotov6.ImportResourceStateRequest{
		TypeName: d.typeName, Identity: &tfprotov6.ResourceIdentityData{IdentityData: encoded},
	})
}

func (d *Driver) identityType() tftypes.Type {
	d.t.Helper()
	return identityType(d.t, d.server, d.typeName)
}
