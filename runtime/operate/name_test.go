package operate_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
)

func TestParseSignal(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"mockPark1/backcountryCamp/1/1 2026-07-05",
		"mockPark1/backcountryCamp/1/1/2026-07-05",
		" availabilitySignal::mockPark1::backcountryCamp::1::1 2026-07-05\n",
		"availabilitySignal::mockPark1::backcountryCamp::1::1::2026-07-05",
	} {
		if d, err := operate.ParseSignal(text); err != nil || d != on(5) {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
	for _, text := range []string{
		"", "2026-07-05", "mockPark1/backcountryCamp/1/1", "mockPark1/backcountryCamp/1/1 2026-7-5", "mockPark1/backcountryCamp/1 2026-07-05",
		"mockPark1/backcountryCamp/1/12026-07-05", "mockPark1//1/1 2026-07-05", "inventoryPool::mockPark1::backcountryCamp::1::1::2026-07-05",
	} {
		if d, err := operate.ParseSignal(text); !errors.Is(err, operate.ErrName) {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
}

func TestParseBucket(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"5min", "cadenceBucket::5min", " 5min "} {
		if name, err := operate.ParseBucket(text); err != nil || name != "5min" {
			t.Errorf("%q: %q, %v", text, name, err)
		}
	}
	for _, text := range []string{"", "5 min", "cadenceBucket::5min::1", "5Min"} {
		if name, err := operate.ParseBucket(text); !errors.Is(err, operate.ErrName) {
			t.Errorf("%q: %q, %v", text, name, err)
		}
	}
}

// Anybody may send the function anything: what is taken is a task that can be done.
func FuzzParseTask(f *testing.F) {
	f.Add([]byte(`{"task": "explain", "signal": "mockPark1/backcountryCamp/1/1 2026-07-05", "shows": "low"}`))
	f.Add([]byte(`{"task": "sync", "all": true, "apply": false, "takeover": null}`))
	f.Add([]byte(`{"task": "check", "task": "check", "bucket": "5min"}`))
	f.Add([]byte(`{"task": "audit", "product": "availabilitySignal::a::b::c:d"} {}`))
	f.Fuzz(func(t *testing.T, event []byte) {
		fields, err := operate.Object(event)
		if err != nil {
			return
		}
		if !json.Valid(event) {
			t.Fatalf("%q is no JSON", event)
		}
		task, err := operate.ParseTask(fields)
		if err != nil {
			if !errors.Is(err, operate.ErrTask) {
				t.Fatalf("%q: %v", event, err)
			}
			return
		}
		if err := task.Validate(); err != nil {
			t.Fatalf("%q was taken: %v", event, err)
		}
	})
}
