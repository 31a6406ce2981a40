// Package trigger fires a bucket's target on a schedule: what a trigger is, and
// how it is kept as a scheduled rule of EventBridge. AWS calls rules legacy and
// recommends its Scheduler, which could take the place of EventBridge here.
package trigger

// TargetID is the id of the one target that a trigger has of its own.
const TargetID = "runtime"

// Tags by which a trigger shows whose it is. Nobody else's tag may begin with
// TagPrefix.
const (
	TagPrefix    = "availability:"
	TagOwner     = TagPrefix + "bucket"
	TagManagedBy = TagPrefix + "managed-by"

	managedBy = "terraform"
)

// What AWS does with a target that sets neither.
const (
	DefaultMaximumEventAge      = 86400
	DefaultMaximumRetryAttempts = 185
)

// Spec is a trigger as it should be.
type Spec struct {
	Name string
	// Owner is who may change and remove it: <table>/<bucket>.
	Owner       string
	Schedule    string
	Enabled     bool
	Description string
	// Tags are those beside the trigger's own.
	Tags   map[string]string
	Target Target
}

// Target is what a trigger calls, and how hard it tries.
type Target struct {
	ARN string
	// DeadLetterARN is empty for none.
	DeadLetterARN string
	// MaximumEventAge is in seconds.
	MaximumEventAge      int64
	MaximumRetryAttempts int64
	// Input is the constant JSON that the target is given.
	Input string
}

// Found is a trigger as it is.
type Found struct {
	ARN         string
	Schedule    string
	Enabled     bool
	Description string
	// Tags are those beside the trigger's own.
	Tags map[string]string
	// Marked says that it carries all of the trigger's own tags.
	Marked bool
	// Target is the trigger's own; nil if it has lost it.
	Target *Target
}

// Listed is a trigger as a list shows it.
type Listed struct {
	Name string
	// Owner is what its tag says, of which a long one is shortened.
	Owner string
}

// Outcome is what became of a Put, also of one that failed.
type Outcome struct {
	ARN string
	// Made says that there was no such trigger before, and that there is one now,
	// or may be.
	Made bool
}
