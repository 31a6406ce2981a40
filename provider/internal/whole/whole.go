// Package whole is attributes that take whole numbers, and say so of others: the
// framework's own cannot even be read where a fraction stands, and blame the
// provider.
package whole

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Type reads what is no whole number as unknown, of which nothing is said; Check
// says it.
type Type struct{ basetypes.Int64Type }

// ValueFromTerraform is the framework's, but for what it cannot read.
func (t Type) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	if _, odd := fraction(in); odd {
		return basetypes.NewInt64Unknown(), nil
	}
	return t.Int64Type.ValueFromTerraform(ctx, in)
}

// Validate leaves it to Check, which knows where in the configuration a number is.
func (t Type) Validate(context.Context, tftypes.Value, path.Path) diag.Diagnostics { return nil }

// Equal is whether a type is of whole numbers, by whatever name: values have the
// framework's.
func (t Type) Equal(other attr.Type) bool {
	switch other.(type) {
	case Type, basetypes.Int64Type:
		return true
	}
	return false
}

// fraction is a number that is known, if it is none of 64 bits.
func fraction(v tftypes.Value) (n *big.Float, odd bool) {
	if v.Type() == nil || !v.Type().Is(tftypes.Number) || !v.IsKnown() || v.IsNull() || v.As(&n) != nil {
		return nil, false
	}
	_, accuracy := n.Int64()
	return n, accuracy != big.Exact
}

// Check says of a configuration which attributes should be whole numbers and are
// not.
func Check(ctx context.Context, config tfsdk.Config, summary string) (diags diag.Diagnostics) {
	err := tftypes.Walk(config.Raw, func(at *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		n, odd := fraction(v)
		if !odd {
			return true, nil
		}
		typ, err := config.Schema.TypeAtTerraformPath(ctx, at)
		if _, is := typ.(Type); err == nil && is {
			diags.AddAttributeError(attribute(at), summary, fmt.Sprintf("Expected a whole number%s, got %s.", bits(n), n.Text('g', -1)))
		}
		return true, nil
	})
	if err != nil {
		diags.AddError(summary, "It cannot be read: "+err.Error())
	}
	return diags
}

// bits is what a whole number is to be besides, if it is one.
func bits(n *big.Float) string {
	if n.IsInt() {
		return " of at most 64 bits"
	}
	return ""
}

// attribute is the path of an attribute in nested objects.
func attribute(at *tftypes.AttributePath) path.Path {
	p := path.Empty()
	for _, step := range at.Steps() {
		if name, ok := step.(tftypes.AttributeName); ok {
			p = p.AtName(string(name))
		}
	}
	return p
}
