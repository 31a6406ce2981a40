package lambda_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/availability-signal/terraform-provider-availability/runtime/lambda"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Whatever is sent, it names a bucket that there can be, as its ID, is a task or has
// records, or is an error that a log can take.
func FuzzParseEvent(f *testing.F) {
	for _, event := range []string{
		`{"cadenceBucket": "cadenceBucket::5min"}`, `{"cadenceBucket": "5min"}`, `{"cadenceBucket": null}`, `{"cadenceBucket": 5}`,
		`{"CadenceBucket": "cadenceBucket::5min"}`, `{"cadenceBucket": "cadenceBucket::a", "cadenceBucket": "cadenceBucket::b", "more": [1]}`,
		`{"Records": []}`, `null`, `[]`, ``, `{"cadenceBucket": "cadenceBucket::5min\u0000"}`, `{"cadenceBucket": "cadenceBucket::5min::3"}`,
	} {
		f.Add([]byte(event))
	}
	long := strings.Repeat("x", 90_000)
	for _, event := range []string{
		`{"task": "explain", "signal": "` + long + `/a/b/c 2027-07-01"}`, `{"task": "explain", "` + long + `": 1}`,
		`{"` + long + `": 1, "` + long + `": 1}`, `{"cadenceBucket": "cadenceBucket::5min", "` + long + `": 1}`,
		`{"task": "` + long + `"}`, `{"cadenceBucket": "` + long + `"}`, `{"task": "sync", "collection": "` + long + `"}`,
	} {
		f.Add([]byte(event))
	}
	f.Fuzz(func(t *testing.T, event []byte) {
		name, err := lambda.ParseEvent(event)
		if err != nil {
			if len(err.Error()) > 60_000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			prefixed := strings.HasPrefix(err.Error(), "unusable event: ") || strings.HasPrefix(err.Error(), "unusable task: ")
			if name != "" || !prefixed || !utf8.ValidString(err.Error()) || strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("%s: %q, %q", event, name, err)
			}
			return
		}
		if name == "" {
			// A task, or records: their own readers' fuzzing goes on from here.
			return
		}
		if err := signal.ValidateBucketName(name); err != nil {
			t.Errorf("%s: %v", event, err)
		}
		canonical, err := json.Marshal(map[string]string{"cadenceBucket": signal.BucketID(name)})
		if err != nil {
			t.Fatal(err)
		}
		if again, err := lambda.ParseEvent(canonical); err != nil || again != name {
			t.Errorf("%s reads as %q, %v; want %q", canonical, again, err, name)
		}
		// The exact name, and not one that differs in case.
		if !strings.Contains(string(event), `cadenceBucket`) && !strings.Contains(string(event), `\u`) {
			t.Errorf("%s names no bucket, and %q was read", event, name)
		}
	})
}
