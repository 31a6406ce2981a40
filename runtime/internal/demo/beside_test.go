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
// literal loop's. What stays dirty shows nothing.
func TestScenes(t *testing.T) {
	t.Parallel()
	sold, unsold := beside.Shown{Value: "0", Left: "0"}, beside.Shown{Value: "1", Left: "0"}
	fewer, asMany := beside.Shown{Value: "4", Left: "4"}, beside.Shown{Value: "5", Left: "4"}
	soldDirty, fewerDirty := beside.Shown{Left: "0"}, beside.Shown{Left: "4"}
	for name, tt := range map[string]struct {
		literal, runtime func(*platform) beside.Begin
		want             []shown
		// wrong is how many of the days of the two are called so.
		wrong int
	}{
		"as the demo has them": {
			(*platform).literal, (*platform).runtime,
			[]shown{{"The last place", unsold, sold}, {"Killed", asMany, fewer}, {"Forgotten", asMany, fewer}},
			3,
		},
		"the literal loop in both places": {
			(*platform).literal, (*platform).literal,
			[]shown{{"The last place", unsold, unsold}, {"Killed", asMany, asMany}, {"Forgotten", asMany, asMany}},
			6,
		},
		"a loop that is right": {
			(*platform).thorough, (*platform).runtime,
			[]shown{{"The last place", sold, sold}, {"Killed", fewer, fewer}, {"Forgotten", fewer, fewer}},
			0,
		},
		"a loop that leaves everything dirty": {
			(*platform).thorough, (*platform).untidy,
			[]shown{{"The last place", sold, soldDirty}, {"Killed", fewer, fewerDirty}, {"Forgotten", fewer, fewerDirty}},
			3,
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
					for _, s := range []beside.Shown{r.Literal, r.Runtime} {
						if s.Wrong() {
							wrong++
						}
					}
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if wrong != tt.wrong {
					t.Errorf("%d are called wrong, want %d", wrong, tt.wrong)
				}
				if !p.deleted {
					t.Error("the scenes' table is left behind")
				}
			})
		})
	}
}
