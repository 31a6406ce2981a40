// Package tags holds what AWS takes as tags, and merges a resource's with the
// provider's default ones.
package tags

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/trigger"
)

// Most is how many a resource can have: AWS's 50, less the two of the provider's
// own.
const Most = 48

// Problem is what is wrong with tags.
type Problem struct {
	// Key is empty where it is not about one of them.
	Key  string
	Text string
}

// Check returns what is wrong with tags, in order of their keys. What is unknown
// is not looked at.
func Check(tags types.Map) []Problem {
	elements := tags.Elements()
	var problems []Problem
	if n := len(elements); n > Most {
		problems = append(problems, Problem{Text: fmt.Sprintf("A rule takes 50 tags, of which 2 are the provider's own; got %d.", n)})
	}
	for _, key := range slices.Sorted(maps.Keys(elements)) {
		if text := problem(key, elements[key]); text != "" {
			problems = append(problems, Problem{Key: key, Text: text})
		}
	}
	return problems
}

func problem(key string, element attr.Value) string {
	value, ok := element.(types.String)
	switch {
	case !ok || value.IsUnknown():
		return ""
	case strings.HasPrefix(key, trigger.TagPrefix):
		return fmt.Sprintf("Tag keys that begin with %q are the provider's own.", trigger.TagPrefix)
	case strings.HasPrefix(strings.ToLower(key), "aws:"):
		return `Tag keys that begin with "aws:" are AWS's own.`
	case key == "" || utf8.RuneCountInString(key) > 128:
		return "A tag's key has 1 to 128 characters."
	case value.IsNull():
		return fmt.Sprintf("Tag %q is null; leave it out, or set it to \"\".", key)
	case utf8.RuneCountInString(value.ValueString()) > 256:
		return fmt.Sprintf("The value of tag %q has more than 256 characters.", key)
	}
	return ""
}

// At is where a problem of tags lies that are at a path.
func (p Problem) At(tags path.Path) path.Path {
	if p.Key == "" {
		return tags
	}
	return tags.AtMapKey(p.Key)
}

// Merge is the tags of a resource with those of the defaults that it does not set
// itself. It is unknown while either is.
func Merge(defaults, own types.Map) types.Map {
	if defaults.IsUnknown() || own.IsUnknown() {
		return types.MapUnknown(types.StringType)
	}
	merged := map[string]attr.Value{}
	maps.Copy(merged, defaults.Elements())
	maps.Copy(merged, own.Elements())
	return types.MapValueMust(types.StringType, merged)
}

// Own is the tags that a resource found with those must have had itself: all that
// the defaults would not have given it. It is null where that is none.
func Own(all map[string]string, defaults types.Map) types.Map {
	own := map[string]attr.Value{}
	for key, value := range all {
		if v := types.StringValue(value); !v.Equal(defaults.Elements()[key]) {
			own[key] = v
		}
	}
	if len(own) == 0 {
		return types.MapNull(types.StringType)
	}
	return types.MapValueMust(types.StringType, own)
}

// Of is tags as a value.
func Of(tags map[string]string) types.Map {
	elements := make(map[string]attr.Value, len(tags))
	for key, value := range tags {
		elements[key] = types.StringValue(value)
	}
	return types.MapValueMust(types.StringType, elements)
}

// Validator validates an attribute of tags; Summary is that of its errors.
type Validator struct{ Summary string }

var _ validator.Map = Validator{}

func (Validator) Description(context.Context) string { return "tags that EventBridge takes" }

func (v Validator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v Validator) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for _, p := range Check(req.ConfigValue) {
		resp.Diagnostics.AddAttributeError(p.At(req.Path), v.Summary, p.Text)
	}
}
