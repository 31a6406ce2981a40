package stream

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// ErrEvent is what an event that is no batch of stream records answers to.
var ErrEvent = errors.New("unusable event: expected the records of a DynamoDB stream")

const (
	eventSource = "aws:dynamodb"
	// The service itself deletes by TTL, in this name.
	serviceType = "Service"
	serviceName = "dynamodb.amazonaws.com"
)

// Record is one record of a table's stream: that something happened to a key.
// What the item was and is does not matter.
type Record struct {
	// Sequence is the record's sequence number.
	Sequence string
	Key      signal.Key
	// ByTTL is whether the service has deleted the item because its time was over.
	ByTTL bool
	// Fault is why the record cannot be used, or nil.
	Fault error
}

// ParseEvent reads a batch of stream records of a table with the key pk and sk. One
// that cannot be read is returned as such (Fault), and does not keep the others from
// being read. The error is ErrEvent.
func ParseEvent(event []byte) ([]Record, error) {
	return ParseEventOf(event, signal.AttrPK, signal.AttrSK)
}

// ParseEventOf is ParseEvent for a table whose key attributes have other names.
func ParseEventOf(event []byte, hashAttr, rangeAttr string) ([]Record, error) {
	// By its exact name, which a struct's field does not ask for.
	var fields map[string]json.RawMessage
	var in []json.RawMessage
	err := json.Unmarshal(event, &fields)
	if all, ok := fields["Records"]; ok && err == nil {
		err = json.Unmarshal(all, &in)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; this one is no JSON object with an array Records", ErrEvent)
	}
	if len(in) == 0 {
		return nil, fmt.Errorf("%w; this one has none", ErrEvent)
	}
	records := make([]Record, len(in))
	foreign := 0
	for i, raw := range in {
		var source string
		records[i], source = parseRecord(raw, hashAttr, rangeAttr)
		if source != eventSource {
			foreign++
		}
	}
	if foreign == len(records) {
		return nil, fmt.Errorf("%w; none of the %d records of this one is of %s", ErrEvent, foreign, eventSource)
	}
	return records, nil
}

// rawRecord is what is read of a record. The images are not.
type rawRecord struct {
	EventSource  string `json:"eventSource"`
	EventName    string `json:"eventName"`
	UserIdentity *struct {
		Type        string `json:"type"`
		PrincipalID string `json:"principalId"`
	} `json:"userIdentity"`
	Change struct {
		Keys           map[string]json.RawMessage `json:"Keys"`
		SequenceNumber string                     `json:"SequenceNumber"`
	} `json:"dynamodb"`
}

func parseRecord(raw json.RawMessage, hashAttr, rangeAttr string) (r Record, source string) {
	var in rawRecord
	err := json.Unmarshal(raw, &in)
	r.Sequence = in.Change.SequenceNumber
	switch {
	case err != nil:
		r.Fault = errors.New("the record cannot be read: it is not of the form that DynamoDB streams have")
		return r, in.EventSource
	case in.EventSource != eventSource:
		r.Fault = fmt.Errorf("the record is of %q, not of %s", in.EventSource, eventSource)
		return r, in.EventSource
	}
	r.Key.PK, r.Fault = keyText(in.Change.Keys, hashAttr)
	if r.Fault == nil {
		r.Key.SK, r.Fault = keyText(in.Change.Keys, rangeAttr)
	}
	if u := in.UserIdentity; u != nil && in.EventName == "REMOVE" {
		r.ByTTL = u.Type == serviceType && u.PrincipalID == serviceName
	}
	return r, in.EventSource
}

// keyText is a key attribute, which real data has as a number too.
func keyText(keys map[string]json.RawMessage, name string) (string, error) {
	var v struct{ S, N *string }
	raw, ok := keys[name]
	switch {
	case !ok:
		return "", fmt.Errorf("the record's key has no %s: the stream is of a table with another key", name)
	case json.Unmarshal(raw, &v) != nil, v.S == nil && v.N == nil:
		return "", fmt.Errorf("the %s of the record's key is neither text nor a number", name)
	case v.S != nil:
		return *v.S, nil
	}
	return *v.N, nil
}
