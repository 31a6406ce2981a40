package stream

import "encoding/json"

// Answer is the report as a function answers it to an event source mapping with
// ReportBatchItemFailures: the records to be delivered again, and nothing else.
func (r Report) Answer() ([]byte, error) {
	type failure struct {
		ItemIdentifier string `json:"itemIdentifier"`
	}
	failures := make([]failure, len(r.Failures))
	for i, s := range r.Failures {
		failures[i].ItemIdentifier = s
	}
	return json.Marshal(map[string]any{"batchItemFailures": failures})
}
