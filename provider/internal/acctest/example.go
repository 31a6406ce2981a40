package acctest

import (
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Block is a block of an example, for one that the Terraform of the tests cannot
// parse.
type Block struct {
	// Labels are the block's kind and what follows it, such as action,
	// availability_mark_dirty and its name.
	Labels []string
	// Config is the attributes of its config block, or of its identity.
	Config Config
}

// Example reads the blocks of a file, whose variables have those values.
func Example(t *testing.T, file string, variables map[string]string) []Block {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, diags := hclsyntax.ParseConfig(content, file, hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	values := map[string]cty.Value{}
	for name, v := range variables {
		values[name] = cty.StringVal(v)
	}
	scope := &hcl.EvalContext{Variables: map[string]cty.Value{"var": cty.ObjectVal(values)}}
	var blocks []Block
	for _, block := range parsed.Body.(*hclsyntax.Body).Blocks {
		b := Block{Labels: append([]string{block.Type}, block.Labels...), Config: Config{}}
		if identity := block.Body.Attributes["identity"]; identity != nil {
			b.Config = goValue(t, evaluate(t, identity, scope)).(Config)
		}
		for _, inner := range block.Body.Blocks {
			if inner.Type != "config" {
				continue
			}
			for name, attribute := range inner.Body.Attributes {
				b.Config[name] = goValue(t, evaluate(t, attribute, scope))
			}
		}
		blocks = append(blocks, b)
	}
	if len(blocks) == 0 {
		t.Fatalf("%s has no blocks", file)
	}
	return blocks
}

// Of says whether the block is of a kind and, if it is given, a type.
func (b Block) Of(labels ...string) bool {
	return strings.HasPrefix(strings.Join(b.Labels, " ")+" ", strings.Join(labels, " ")+" ")
}

func evaluate(t *testing.T, attribute *hclsyntax.Attribute, scope *hcl.EvalContext) cty.Value {
	t.Helper()
	v, diags := attribute.Expr.Value(scope)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return v
}

func goValue(t *testing.T, v cty.Value) any {
	t.Helper()
	switch typ := v.Type(); {
	case v.IsNull():
		return nil
	case typ == cty.String:
		return v.AsString()
	case typ == cty.Bool:
		return v.True()
	case typ == cty.Number:
		n, _ := v.AsBigFloat().Int64()
		return int(n)
	case typ.IsObjectType():
		config := Config{}
		for name, element := range v.AsValueMap() {
			config[name] = goValue(t, element)
		}
		return config
	}
	t.Fatalf("an example has a %s", v.Type().FriendlyName())
	return nil
}
