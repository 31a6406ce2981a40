package pattern_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/pattern"
)

func TestPattern(t *testing.T) {
	t.Parallel()
	p := pattern.New(`^([a-z]+)/([0-9]{1,3})$`)
	for text, want := range map[string][]string{"park/12": {"park/12", "park", "12"}, "park/": nil, "": nil} {
		if diff := cmp.Diff(want, p.Parts(text)); diff != "" || p.Match(text) != (want != nil) {
			t.Errorf("%q: matches %t, parts (-want +got):\n%s", text, p.Match(text), diff)
		}
	}
}

// One that is invalid is nobody's concern but of who uses it.
func TestPattern_compiledAtItsFirstUse(t *testing.T) {
	t.Parallel()
	p := pattern.New("(")
	defer func() {
		if recover() == nil {
			t.Error("an invalid expression matches")
		}
	}()
	p.Match("")
}
