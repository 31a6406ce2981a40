// Package demo_test plays the demo's scenes on the simulator, which only what is in
// the runtime's folder can import.
package demo_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/beside"
)

// shown is what a scene has shown.
type shown struct {
	Scene            string
	Literal, Runtime beside.Shown
}

// In each scene the literal loop ends with a wrong day and the runtime with a right
// one. It is what runs that decides: the literal loop is wrong in the runtime's place as
// well, and a loop that computes whatever it finds, dirty or not, is right in the
// literal loop's.
func TestScenes(t *testing.T) {
	t.Parallel()
	sold, unsold := beside.Shown{Value: "0", Left: "0"}, beside.Shown{Value: "1", Left: "0"}
	fewer, asMany := beside.Shown{Value: "4", Left: "4"}, beside.Shown{Value: "5", Left: "4"}
	for name, tt := range map[string]struct {
		literal, runtime func(*platform) beside.Begin
		want             []shown
	}{
		"as the demo has them": {
			(*platform).literal, (*platform).runtime,
			[]shown{{"The last place", unsold, sold}, {"Killed", asMany, fewer}, {"Forgotten", asMany, fewer}},
		},
		"the literal loop in both places": {
			(*platform).literal, (*platform).literal,
			[]shown{{"The last place", unsold, unsold}, {"Killed", asMany, asMany}, {"Forgotten", asMany, asMany}},
		},
		"a loop that is right": {
			(*platform).thorough, (*platform).runtime,
			[]shown{{"The last place", sold, sold}, {"Killed", fewer, fewer}, {"Forgotten", fewer, fewer}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPlatform()
				results, err := beside.Compare(t.Context(), beside.Stage{
					DB: p.network, Literal: tt.literal(p), Runtime: tt.runtime(p), CreateTable: p.createTable, DeleteTable: p.deleteTable,
				})
				if err != nil {
					t.Fatal(err)
				}
				var got []shown
				wrong := 0
				for _, r := range results {
					got = append(got, shown{r.Name, r.Literal, r.Runtime})
					if r.Story == "" || r.HowLiteral == "" || r.HowRuntime == "" {
						t.Errorf("%s is told without a word", r.Name)
					}
					if r.Literal.Wrong() {
						wrong++
					}
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if most := len(results); name == "a loop that is right" && wrong != 0 || name != "a loop that is right" && wrong != most {
					t.Errorf("%d of %d are called wrong", wrong, most)
				}
				if !p.deleted {
					t.Error("the scenes' table is left behind")
				}
			})
		})
	}
}
