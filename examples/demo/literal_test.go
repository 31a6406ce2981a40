package main

import (
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/beside"
)

// The last line counts what the scenes have shown, and the demo fails unless each has
// shown a wrong day of the literal loop's and none of the runtime's.
func TestVerdict(t *testing.T) {
	right, wrong := beside.Shown{Value: "4", Left: "4"}, beside.Shown{Value: "5", Left: "4"}
	// A signal that stays dirty shows nothing, which is not what is left.
	never := beside.Shown{Left: "4"}
	scene := func(literal, this beside.Shown) beside.Result { return beside.Result{Literal: literal, Runtime: this} }
	for name, tt := range map[string]struct {
		results []beside.Result
		line    string
		fails   string
	}{
		"as it is to be": {
			[]beside.Result{scene(wrong, right), scene(wrong, right), scene(wrong, right)}, "wrong days: literal loop 3, this 0", "",
		},
		"ours is wrong once": {
			[]beside.Result{scene(wrong, right), scene(wrong, wrong), scene(wrong, right)}, "wrong days: literal loop 3, this 1", "1 wrong day where none may be",
		},
		"ours is never right": {
			[]beside.Result{scene(wrong, never), scene(wrong, wrong)}, "wrong days: literal loop 2, this 2", "2 wrong days where none may be",
		},
		"the literal loop is right once": {
			[]beside.Result{scene(wrong, right), scene(right, right)}, "wrong days: literal loop 1, this 0", "the literal loop shows 1 wrong day of 2",
		},
		"both are wrong, and one is not": {
			[]beside.Result{scene(right, wrong)}, "wrong days: literal loop 0, this 1", "1 wrong day where none may be",
		},
		"no scenes": {nil, "wrong days: literal loop 0, this 0", "proves nothing"},
	} {
		line, err := verdict(tt.results)
		if line != tt.line {
			t.Errorf("%s: %q, want %q", name, line, tt.line)
		}
		if tt.fails == "" && err != nil || tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)) {
			t.Errorf("%s: error %v, want %q", name, err, tt.fails)
		}
	}
}
