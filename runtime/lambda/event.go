package lambda

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// errEvent is what an event that names no bucket answers to.
var errEvent = errors.New(`unusable event: expected {"cadenceBucket": "cadenceBucket::5min"}, which is the constant input of the bucket's rule`)

// Fields that tell one kind of event from another.
const (
	eventBucket  = "cadenceBucket"
	eventTask    = "task"
	eventRecords = "Records"
)

// event is what one asks for: one of the three.
type event struct {
	// bucket is the name of the one to run.
	bucket string
	task   operate.Task
	// records is whether it has stream records.
	records bool
}

// parseEvent reads an event. One of a schedule names a bucket and nothing else; one
// of a task names what belongs to that task. Whoever may invoke the function says
// by it what is done, never with which table, endpoint or template. The error is
// errEvent or operate.ErrTask.
func parseEvent(text []byte) (event, error) {
	fields, err := operate.Object(text)
	if err != nil {
		return event{}, fmt.Errorf("%w; this one cannot be used: %w", errEvent, err)
	}
	_, withBucket := fields[eventBucket]
	_, withTask := fields[eventTask]
	_, withRecords := fields[eventRecords]
	switch {
	case withRecords && (withBucket || withTask), withBucket && withTask:
		return event{}, fmt.Errorf("%w; this one has more than one of %s, %s and %s", errEvent, eventBucket, eventTask, eventRecords)
	case withRecords:
		// Beside the records, AWS says what it likes.
		return event{records: true}, nil
	case withTask:
		task, err := operate.ParseTask(fields)
		return event{task: task}, err
	case !withBucket:
		return event{}, fmt.Errorf("%w; this one has no field %q", errEvent, eventBucket)
	}
	for name := range fields {
		if name != eventBucket {
			return event{}, fmt.Errorf("%w; this one has another field, too: %.64q", errEvent, name)
		}
	}
	name, err := scheduled(fields[eventBucket])
	return event{bucket: name}, err
}

func scheduled(raw json.RawMessage) (bucket string, err error) {
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
