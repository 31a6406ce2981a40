package operate_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
)

// FuzzDecode has a function, of another release maybe, answer anything: the command
// prints it, or says that it cannot be read.
func FuzzDecode(f *testing.F) {
	for _, task := range []string{operate.TaskExplain, operate.TaskCheck, operate.TaskAudit, operate.TaskSweep, operate.TaskSync, ""} {
		f.Add(task, []byte(`{}`))
		f.Add(task, []byte(`null`))
		f.Add(task, []byte(`{"verdict": "right", "at": "2026-07-01T12:00:00Z", "bucket": {}, "item": {}, "products": [{"dates": [{}]}], "outcomes": [{}]}`))
	}
	f.Fuzz(func(t *testing.T, task string, text []byte) {
		answer, err := operate.Decode(task, text)
		if err != nil {
			return
		}
		var printed bytes.Buffer
		if p, ok := answer.(operate.Printer); ok {
			if err := p.Print(&printed); err != nil {
				t.Fatal(err)
			}
		}
		again, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := operate.Decode(task, again); err != nil {
			t.Errorf("%s is written as %s, which cannot be read: %v", text, again, err)
		}
	})
}
