package operate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// ErrTask is what a task that cannot be done as it was given answers to.
var ErrTask = errors.New("unusable task")

// The tasks.
const (
	TaskExplain = "explain"
	TaskCheck   = "check"
	TaskAudit   = "audit"
	TaskSweep   = "sweep"
	TaskSync    = "sync"
)

// Task is what is to be done, and about what: one of Signal, Product, Bucket,
// Collection and All. It names no table, endpoint or template: those are settings.
type Task struct {
	Task       string `json:"task"`
	Signal     string `json:"signal,omitempty"`
	Product    string `json:"product,omitempty"`
	Bucket     string `json:"bucket,omitempty"`
	Collection string `json:"collection,omitempty"`
	All        bool   `json:"all,omitempty"`
	// Shows is the value that somebody was shown, for explain.
	Shows string `json:"shows,omitempty"`
	// Apply and TakeOver are stream.Options, for sync.
	Apply    bool `json:"apply,omitempty"`
	TakeOver bool `json:"takeover,omitempty"`
}

// subjects are what each task may be about.
func subjects() map[string][]string {
	return map[string][]string{
		TaskExplain: {"signal"},
		TaskCheck:   {"signal", "product", "bucket"},
		TaskAudit:   {"signal", "product", "bucket"},
		TaskSweep:   {"product", "bucket"},
		TaskSync:    {"product", "collection", "all"},
	}
}

// Tasks are the names of the tasks, in order.
func Tasks() []string { return slices.Sorted(maps.Keys(subjects())) }

// Subjects are what a task may be about: names of Task's fields.
func Subjects(task string) []string { return subjects()[task] }

func options(task string) []string {
	switch task {
	case TaskExplain:
		return []string{"shows"}
	case TaskSync:
		return []string{"apply", "takeover"}
	}
	return nil
}

// ParseTask reads a task from an object's fields. A field that does not belong to
// the task is refused, whatever its value. The error is ErrTask.
func ParseTask(fields map[string]json.RawMessage) (Task, error) {
	var t Task
	if err := json.Unmarshal(fields["task"], &t.Task); err != nil || subjects()[t.Task] == nil {
		return Task{}, fmt.Errorf("%w: its task must be one of %s", ErrTask, strings.Join(Tasks(), ", "))
	}
	allowed := slices.Concat([]string{"task"}, subjects()[t.Task], options(t.Task))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(allowed, name) {
			return Task{}, fmt.Errorf("%w: %s takes no field %.64q, only %s", ErrTask, t.Task, name, strings.Join(allowed[1:], ", "))
		}
		if err := t.set(name, fields[name]); err != nil {
			return Task{}, err
		}
	}
	return t, t.Validate()
}

// longestText is more than a key of DynamoDB's has, which is 3 KB at most: errors
// and logs repeat what was given.
const longestText = 4096

func (t *Task) set(name string, raw json.RawMessage) error {
	texts := map[string]*string{"task": &t.Task, "signal": &t.Signal, "product": &t.Product, "bucket": &t.Bucket, "collection": &t.Collection, "shows": &t.Shows}
	if to, ok := texts[name]; ok {
		var text *string
		if err := json.Unmarshal(raw, &text); err != nil || text == nil || *text == "" {
			return fmt.Errorf("%w: its %s is no text", ErrTask, name)
		}
		if len(*text) > longestText {
			return fmt.Errorf("%w: its %s is longer than any can be", ErrTask, name)
		}
		*to = *text
		return nil
	}
	switches := map[string]*bool{"all": &t.All, "apply": &t.Apply, "takeover": &t.TakeOver}
	var on *bool
	if err := json.Unmarshal(raw, &on); err != nil || on == nil {
		return fmt.Errorf("%w: its %s is neither true nor false", ErrTask, name)
	}
	*switches[name] = *on
	return nil
}

// Validate is whether the task can be done: it is about one thing, of a kind that
// it is for, and the name of that can be read. The error is ErrTask.
func (t Task) Validate() error {
	kinds := subjects()[t.Task]
	if kinds == nil {
		return fmt.Errorf("%w: %q is none of %s", ErrTask, t.Task, strings.Join(Tasks(), ", "))
	}
	given := t.given()
	if len(given) != 1 || !slices.Contains(kinds, given[0]) {
		return fmt.Errorf("%w: %s is about one %s", ErrTask, t.Task, either(kinds))
	}
	if t.Task != TaskSync && (t.Apply || t.TakeOver) || t.Task != TaskExplain && t.Shows != "" {
		return fmt.Errorf("%w: %s takes only %s", ErrTask, t.Task, either(slices.Concat(kinds, options(t.Task))))
	}
	if err := t.names(); err != nil {
		return fmt.Errorf("%w: %w", ErrTask, err)
	}
	return nil
}

func (t Task) given() []string {
	var given []string
	for _, s := range []struct {
		name  string
		there bool
	}{{"signal", t.Signal != ""}, {"product", t.Product != ""}, {"bucket", t.Bucket != ""}, {"collection", t.Collection != ""}, {"all", t.All}} {
		if s.there {
			given = append(given, s.name)
		}
	}
	return given
}

func (t Task) names() (err error) {
	switch {
	case t.Signal != "":
		_, err = ParseSignal(t.Signal)
	case t.Product != "":
		_, err = ParseProduct(t.Product)
	case t.Bucket != "":
		_, err = ParseBucket(t.Bucket)
	case t.Collection != "":
		if reason := signal.ValidatePart(t.Collection); reason != "" {
			err = &signal.PartError{Part: "collection_id", Value: t.Collection, Reason: reason}
		}
	}
	return err
}

// about is what the task is about, for answers.
func (t Task) about() string {
	switch {
	case t.Signal != "":
		return t.Signal
	case t.Product != "":
		return t.Product
	case t.Bucket != "":
		return "bucket " + t.Bucket
	case t.Collection != "":
		return "collection " + t.Collection
	}
	return "all"
}

func either(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
