package doctor_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/doctor"
)

// FuzzPolicy has any source stand in a function's policy: it lets a rule through just
// if IAM's wildcard does.
func FuzzPolicy(f *testing.F) {
	const rule = "arn:aws:events:ca-central-1:123456789012:rule/availability-signals-5min"
	f.Add("arn:aws:events:ca-central-1:123456789012:rule/*", rule)
	f.Add("arn:*:rule/*-5*min", rule)
	f.Add("**", "")
	f.Add("a*a", "a")
	f.Fuzz(func(t *testing.T, source, rule string) {
		if !utf8.ValidString(source) || !utf8.ValidString(rule) {
			return
		}
		for _, sources := range []any{source, []string{"another", source}} {
			policy, err := json.Marshal(map[string]any{"Statement": []any{map[string]any{
				"Effect": "Allow", "Principal": map[string]string{"Service": "events.amazonaws.com"}, "Action": "lambda:InvokeFunction",
				"Condition": map[string]any{"ArnLike": map[string]any{"AWS:SourceArn": sources}},
			}}})
			if err != nil {
				t.Fatal(err)
			}
			want := regexp.MustCompile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(source), `\*`, ".*") + "$").MatchString(rule)
			if got, err := doctor.Allows(policy, rule); err != nil || got != want && rule != "another" {
				t.Errorf("%q lets %q through: %t, want %t, %v", sources, rule, got, want, err)
			}
		}
	})
}

// FuzzPrefixes has anything stand in a stream's filter: what it lets through is read, or
// nothing of it is.
func FuzzPrefixes(f *testing.F) {
	f.Add(`{"dynamodb": {"Keys": {"pk": {"S": [{"prefix": "inventoryPool::"}]}}}}`)
	f.Add(`{"dynamodb": {"Keys": {"pk": {"S": ["inventoryPool::a", {"prefix": null}, {"anything-but": ["x"]}]}}}}`)
	f.Add(`{"dynamodb": null}`)
	f.Fuzz(func(t *testing.T, pattern string) {
		prefixes := doctor.PrefixesOf(pattern)
		if len(prefixes) > 0 && !json.Valid([]byte(pattern)) {
			t.Errorf("%q is no JSON, and lets %q through", pattern, prefixes)
		}
		var all []any
		for _, p := range prefixes {
			all = append(all, map[string]string{"prefix": p})
		}
		written, err := json.Marshal(map[string]any{"dynamodb": map[string]any{"Keys": map[string]any{"pk": map[string]any{"S": all}}}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(slices.Clip(prefixes), slices.Clip(doctor.PrefixesOf(string(written)))); diff != "" {
			t.Errorf("written again (-was +is):\n%s", diff)
		}
	})
}
