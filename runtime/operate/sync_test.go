package operate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A sync writes only if it is told to, and takes only what is nobody's, unless it is
// told to take others' signals over.
func TestSync_doesWhatItIsToldTo(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		task operate.Task
		// The owners of the 5th, which is another seeder's, and of the 6th, of which
		// there is no signal.
		owners []string
		says   string
	}{
		"a dry run":             {operate.Task{Product: loopName}, []string{"test", ""}, "1 to be seeded, 0 updated, 0 adopted"},
		"applied":               {operate.Task{Product: loopName, Apply: true}, []string{"test", "stream"}, "1 seeded, 0 updated, 0 adopted"},
		"a takeover, not yet":   {operate.Task{All: true, TakeOver: true}, []string{"test", ""}, "1 to be seeded, 0 updated, 1 adopted"},
		"a takeover":            {operate.Task{Product: loopName, TakeOver: true, Apply: true}, []string{"stream", "stream"}, "1 seeded, 0 updated, 1 adopted"},
		"of another collection": {operate.Task{Collection: "mockPark2", TakeOver: true, Apply: true}, []string{"test", ""}, "nothing is known"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.seed(5, nil)
			w.put(loop.ItemKey(), signal.Item{"timezone": signal.S("America/Vancouver")})
			for day := 5; day <= 6; day++ {
				w.put(signal.Key{PK: on(day).DatePKs()[0], SK: on(day).Date.String()}, signal.Item{"availabilityEstimationPattern": signal.M(map[string]signal.Value{
					"estimationMode": signal.S("exact"), "cadence": signal.M(map[string]signal.Value{"minutes": signal.N(5)}),
				})})
			}
			tt.task.Task = operate.TaskSync
			s := do[*operate.Sync](w, tt.task)
			if text := printed(w, s); !strings.Contains(text, tt.says) {
				t.Errorf("does not say %q: %s", tt.says, text)
			}
			if diff := cmp.Diff(tt.owners, []string{w.item(5).Text("seededBy"), w.item(6).Text("seededBy")}); diff != "" {
				t.Errorf("owners (-want +got):\n%s", diff)
			}
		})
	}
}
