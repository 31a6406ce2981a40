package stream_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

func TestParseDefaultPattern(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		mode   signal.Mode
		tiers  int
		bucket string
	}{
		`{"estimationMode": "exact"}`:                                                                                         {signal.Exact, 0, ""},
		`{"estimationMode": "exact", "cadence": null}`:                                                                        {signal.Exact, 0, ""},
		`{"estimationMode": "tiered", "cadence": {"minutes": 60}}`:                                                            {signal.Tiered, 4, "1h"},
		`{"estimationMode": "exact", "cadence": "5min"}`:                                                                      {signal.Exact, 0, "5min"},
		`{"estimationMode": "exact", "cadence": {"id": "nightly", "label": "Every night"}}`:                                   {signal.Exact, 0, "nightly"},
		`{"estimationMode": "tiered", "tiers": [{"id": "few", "maxPercentage": 2.5e-1}, {"id": "many", "maxPercentage": 1}]}`: {signal.Tiered, 2, ""},
	} {
		p, bucket, err := stream.ParseDefaultPattern(text)
		if err != nil || p.Mode != want.mode || len(p.Tiers) != want.tiers || bucket != want.bucket {
			t.Errorf("%s: %+v, bucket %q, %v", text, p, bucket, err)
		}
	}
	for text, says := range map[string]string{
		``:                               "no JSON",
		`tiered`:                         "no JSON",
		`{"estimationMode": "exact"} {}`: "more than one",
		`null`:                           "expected a map",
		`"exact"`:                        "expected a map",
		`{}`:                             "no estimationMode",
		`{"estimationMode": "guess"}`:    "its estimationMode is neither exact nor tiered",
		`{"estimationMode": "exact", "cadence": {"minutes": 0}}`: "minutes must be",
		`{"estimationMode": "exact", "cadence": "Every 5 min"}`:  "invalid bucket name",
		`{"estimationMode": "tiered", "tiers": []}`:              "at least one",
	} {
		if p, _, err := stream.ParseDefaultPattern(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %+v, %v, want an error that says %q", text, p, err, says)
		}
	}
}

// A pattern from a setting is one that estimates, and its bucket one that there can
// be.
func FuzzParseDefaultPattern(f *testing.F) {
	for _, text := range []string{
		`{"estimationMode": "tiered", "cadence": {"minutes": 5}}`, `{"estimationMode": "exact", "cadence": "nightly"}`,
		`{"estimationMode": "tiered", "tiers": [{"id": "low", "label": "Low", "maxPercentage": 0.25}, {"id": "high", "label": "", "maxPercentage": 1}]}`,
		`{"estimationMode": "exact", "cadence": null} x`, `[]`, ``, `{"estimationMode": "exact", "cadence": {"hours": 1e99}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, bucket, err := stream.ParseDefaultPattern(text)
		if err != nil {
			if bucket != "" {
				t.Errorf("%q: bucket %q, %v", text, bucket, err)
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%q is no JSON, and is read", text)
		}
		if err := signal.ValidateBucketName(bucket); bucket != "" && err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
