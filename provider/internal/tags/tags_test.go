package tags_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/tags"
)

func mapOf(elements map[string]attr.Value) types.Map {
	return types.MapValueMust(types.StringType, elements)
}

func TestMergeAndOwn(t *testing.T) {
	t.Parallel()
	null, unknown := types.MapNull(types.StringType), types.MapUnknown(types.StringType)
	ab, bc := tags.Of(map[string]string{"a": "1", "b": "1"}), tags.Of(map[string]string{"b": "2", "c": "2"})
	later := mapOf(map[string]attr.Value{"a": types.StringUnknown()})
	for name, tt := range map[string]struct{ defaults, own, want types.Map }{
		"neither":          {null, null, tags.Of(nil)},
		"never configured": {types.Map{}, null, tags.Of(nil)},
		"defaults alone":   {ab, null, ab},
		"own alone":        {null, bc, bc},
		"own before both":  {ab, bc, tags.Of(map[string]string{"a": "1", "b": "2", "c": "2"})},
		"unknown defaults": {unknown, bc, unknown},
		"unknown own":      {ab, unknown, unknown},
		"unknown value":    {later, tags.Of(nil), later},
	} {
		if got := tags.Merge(tt.defaults, tt.own); !got.Equal(tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	all := map[string]string{"a": "1", "b": "2", "c": "2"}
	if got := tags.Own(all, ab); !got.Equal(bc) {
		t.Errorf("own tags are %v", got)
	}
	if got := tags.Own(all, tags.Of(all)); !got.IsNull() {
		t.Errorf("own tags are %v, though all are defaults", got)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 257)
	got := tags.Check(mapOf(map[string]attr.Value{
		"": types.StringValue("x"), "AWS:x": types.StringValue("x"), "availability:x": types.StringValue("x"), "long": types.StringValue(long),
		long: types.StringValue("x"), "null": types.StringNull(), "unknown": types.StringUnknown(), "fine": types.StringValue(""),
		strings.Repeat("é", 128): types.StringValue(strings.Repeat("é", 256)),
	}))
	want := []tags.Problem{
		{"", "A tag's key has 1 to 128 characters."},
		{"AWS:x", `Tag keys that begin with "aws:" are AWS's own.`},
		{"availability:x", `Tag keys that begin with "availability:" are the provider's own.`},
		{"long", `The value of tag "long" has more than 256 characters.`},
		{"null", `Tag "null" is null; leave it out, or set it to "".`},
		{long, "A tag's key has 1 to 128 characters."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, m := range []types.Map{{}, types.MapNull(types.StringType), types.MapUnknown(types.StringType)} {
		if got := tags.Check(m); got != nil {
			t.Errorf("%v: %v", m, got)
		}
	}
}
