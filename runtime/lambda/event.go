package lambda

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// errEvent is what an event that names no bucket answers to.
var errEvent = errors.New(`unusable event: expected {"cadenceBucket": "cadenceBucket::5min"}, which is the constant input of the bucket's rule`)

const eventBucket = "cadenceBucket"

// parseEvent returns the name of the bucket that an event asks to run. Other
// fields are ignored: later releases of the provider may send some.
func parseEvent(event []byte) (bucket string, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(event, &fields); err != nil {
		return "", fmt.Errorf("%w; this one is no JSON object", errEvent)
	}
	raw, ok := fields[eventBucket]
	if !ok {
		return "", fmt.Errorf("%w; this one has no field %q", errEvent, eventBucket)
	}
	var id *string
	if err := json.Unmarshal(raw, &id); err != nil || id == nil {
		return "", fmt.Errorf("%w; in this one %s is no text", errEvent, eventBucket)
	}
	name, err := signal.ParseBucketID(*id)
	if err != nil {
		return "", fmt.Errorf("%w; in this one %s is no bucket's ID: %w", errEvent, eventBucket, err)
	}
	return name, nil
}
