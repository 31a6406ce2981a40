package cadencebucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/trigger"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// settleTime bounds what is done after a failure, when the caller may already
// have given up.
const settleTime = time.Minute

// mostCounted bounds how many signals are counted before a bucket is said to have
// at least that many.
const mostCounted = 1000

// triggers is what fires buckets.
type triggers interface {
	Get(ctx context.Context, name, owner string) (trigger.Found, error)
	Put(ctx context.Context, s trigger.Spec) (trigger.Outcome, error)
	Delete(ctx context.Context, name, owner string, force bool) error
	List(ctx context.Context) iter.Seq2[trigger.Listed, error]
}

// ref is which bucket, and the name of its rule.
type ref struct{ table, name, rule string }

func (r ref) owner() string { return r.table + "/" + r.name }

// input is what the function is given at each tick.
func input(name string) string {
	return fmt.Sprintf(`{"cadenceBucket":%q}`, signal.BucketID(name))
}

// definition is a bucket as it should be.
type definition struct {
	ref
	// bucket lacks its globalId and its rule's ARN.
	bucket      signal.Bucket
	description string
	tags        map[string]string
	target      trigger.Target
}

func (d definition) spec() trigger.Spec {
	return trigger.Spec{
		Name: d.rule, Owner: d.owner(), Schedule: d.bucket.ScheduleExpression, Enabled: d.bucket.Enabled,
		Description: d.description, Tags: d.tags, Target: d.target,
	}
}

// observation is a bucket as it is.
type observation struct {
	ref
	bucket signal.Bucket
	// item is the registry item as it is.
	item signal.Item
	// unreadable is what is wrong with the registry item; bucket then has its
	// globalId alone.
	unreadable error
	// rule is nil if it is gone, or is somebody else's: then foreign says so.
	rule    *trigger.Found
	foreign error
}

var (
	// errGone: there is no registry item, or no table: no bucket.
	errGone = errors.New("bucket is gone")
	// errReplaced: the bucket of that name is another one, made since.
	errReplaced = errors.New("bucket was replaced by another")
	// errHasSignals: it cannot be destroyed. The error is a *signalsError.
	errHasSignals = errors.New("bucket has signals")
)

// leftError is a create that failed, and whose taking back failed too.
type leftError struct{ err, left error }

func (e *leftError) Error() string { return e.err.Error() + "; take it back: " + e.left.Error() }

// Unwrap is why the create failed.
func (e *leftError) Unwrap() error { return e.err }

// signalsError is a bucket that is not destroyed because of its signals.
type signalsError struct {
	// keys are those that were found, at least one, in order; more says that there
	// may be others.
	keys []signal.Key
	more bool
}

func (e *signalsError) Error() string { return "bucket has " + e.count() }

// Is makes it errHasSignals.
func (e *signalsError) Is(target error) bool { return target == errHasSignals }

func (e *signalsError) count() string {
	switch n := len(e.keys); {
	case e.more:
		return fmt.Sprintf("at least %d signals", n)
	case n == 1:
		return "1 signal"
	default:
		return fmt.Sprintf("%d signals", n)
	}
}

// mostNamed is how many signals a message names.
const mostNamed = 5

// named is the first of the signals.
func (e *signalsError) named() string {
	var names []string
	for _, key := range e.keys[:min(len(e.keys), mostNamed)] {
		names = append(names, key.String())
	}
	if e.more || len(e.keys) > mostNamed {
		names = append(names, "and others")
	}
	return strings.Join(names, ", ")
}

// buckets makes, changes and removes a table's buckets.
type buckets struct {
	store    *dynamo.Store
	registry *dynamo.Registry
	guard    *dynamo.Guard
	triggers triggers
	tables   dynamo.LayoutAPI
	indexes  indexNames
	now      func() time.Time
	random   io.Reader
}

// create makes a bucket: registry item, rule, target. A failure takes back what
// was made; the error is then a *leftError if that failed too. The bucket returned
// has its globalId and its rule's ARN, also where it is left.
func (b buckets) create(ctx context.Context, d definition) (signal.Bucket, error) {
	var err error
	if d.bucket.GlobalID, err = dynamo.NewID(b.random); err != nil {
		return signal.Bucket{}, err
	}
	if err := b.registry.Create(ctx, d.bucket); err != nil {
		// The last sending may have been throttled, and the answer to an earlier one
		// lost.
		if errors.Is(err, dynamo.ErrUnknown) || errors.Is(err, dynamo.ErrThrottled) || errors.Is(err, dynamo.ErrConflict) {
			err = b.takeBack(ctx, d, false, err)
		}
		return d.bucket, err
	}
	outcome, err := b.triggers.Put(ctx, d.spec())
	if err == nil {
		d.bucket.RuleARN = outcome.ARN
		err = b.registry.Update(ctx, d.bucket)
	}
	if err != nil {
		err = b.takeBack(ctx, d, outcome.Made, err)
	}
	return d.bucket, err
}

// takeBack removes what a create has made that failed because of cause, and
// returns that, as a *leftError if it could not. A rule that was there before
// stays.
func (b buckets) takeBack(ctx context.Context, d definition, rule bool, cause error) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer stop()
	if rule {
		if err := b.triggers.Delete(ctx, d.rule, d.owner(), false); err != nil && !errors.Is(err, trigger.ErrForeign) {
			return &leftError{err: cause, left: err}
		}
	}
	if err := b.registry.Delete(ctx, d.bucket); err != nil && !errors.Is(err, dynamo.ErrTableNotFound) {
		return &leftError{err: cause, left: err}
	}
	return cause
}

// read reads a bucket. r.rule may be empty for a bucket that is being imported.
// globalID is the registration's, or "" if that is not known yet. The error is
// errGone, errReplaced, or one of the reading.
func (b buckets) read(ctx context.Context, r ref, globalID string) (observation, error) {
	o, err := b.registered(ctx, r, globalID)
	if err != nil {
		return observation{}, err
	}
	if o.rule, err = b.rule(ctx, o.ref); errors.Is(err, trigger.ErrForeign) {
		o.foreign, err = err, nil
	}
	return o, err
}

func (b buckets) rule(ctx context.Context, r ref) (*trigger.Found, error) {
	found, err := b.triggers.Get(ctx, r.rule, r.owner())
	if errors.Is(err, trigger.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &found, nil
}

// orphan is the name of the rule that a bucket whose registry item is gone has left
// behind; "" for none.
func (b buckets) orphan(ctx context.Context, r ref) (string, error) {
	if r.rule == "" {
		r.rule = trigger.DefaultName(r.table, r.name)
	}
	found, err := b.rule(ctx, r)
	if errors.Is(err, trigger.ErrForeign) || err == nil && found == nil {
		return "", nil
	}
	return r.rule, err
}

// registered reads a registry item, and holds that it is the one that is meant.
func (b buckets) registered(ctx context.Context, r ref, globalID string) (observation, error) {
	o := observation{ref: r}
	item, err := b.store.Get(ctx, signal.RegistryKey(r.name))
	switch {
	case errors.Is(err, dynamo.ErrTableNotFound), err == nil && item == nil:
		return o, errGone
	case err != nil:
		return o, err
	}
	id := item.Text(signal.AttrGlobalID)
	if globalID != "" && id != globalID {
		return o, errReplaced
	}
	o.item = item
	o.bucket, o.unreadable = signal.ParseBucket(item)
	if o.unreadable != nil && (item.Text(signal.AttrSchema) != signal.SchemaBucket || id == "" || errors.Is(o.unreadable, signal.ErrFormat)) {
		return o, fmt.Errorf("read bucket %q in table %q: %w", r.name, r.table, o.unreadable)
	}
	if o.unreadable != nil {
		o.bucket = signal.Bucket{Name: r.name, GlobalID: id, RuleARN: item.Text(signal.AttrRuleARN)}
	}
	if o.ref.rule == "" {
		o.ref.rule = ruleOf(o.bucket, r)
	}
	return o, nil
}

// ruleOf is the name of a registered bucket's rule. One whose making was cut off
// before the rule has the default.
func ruleOf(b signal.Bucket, r ref) string {
	if _, name, ok := strings.Cut(b.RuleARN, ":rule/"); ok {
		return name
	}
	return trigger.DefaultName(r.table, r.name)
}

// update makes a bucket as it should be, and returns it with its rule's ARN. The
// error is errGone, errReplaced, or one of reading and writing.
func (b buckets) update(ctx context.Context, d definition, globalID string) (signal.Bucket, error) {
	o, err := b.registered(ctx, d.ref, globalID)
	if err != nil {
		return signal.Bucket{}, err
	}
	d.bucket.GlobalID, d.bucket.RuleARN = o.bucket.GlobalID, o.bucket.RuleARN
	// First, because what runs do must not lag behind what fires them.
	if err := b.registry.Update(ctx, d.bucket); err != nil {
		return signal.Bucket{}, err
	}
	outcome, err := b.triggers.Put(ctx, d.spec())
	if err != nil || outcome.ARN == d.bucket.RuleARN {
		return d.bucket, err
	}
	d.bucket.RuleARN = outcome.ARN
	return d.bucket, b.registry.Update(ctx, d.bucket)
}

// destroy removes a bucket: target, rule, registry item and what its runs keep
// beside it. Without force it first holds that there are no signals and no
// targets of others. foreign is set if the rule was somebody else's, and stays.
// The error is errHasSignals, trigger.ErrInUse, errReplaced, or one of reading and
// writing.
func (b buckets) destroy(ctx context.Context, r ref, globalID string, force bool) (foreign, err error) {
	o, err := b.registered(ctx, r, globalID)
	gone := errors.Is(err, errGone)
	if err != nil && !gone {
		return nil, err
	}
	if !gone && !force {
		keys, more, err := b.guard.Find(ctx, r.name, b.now(), mostCounted)
		if err != nil {
			return nil, err
		}
		if len(keys) > 0 {
			return nil, &signalsError{keys: keys, more: more}
		}
	}
	err = b.triggers.Delete(ctx, r.rule, r.owner(), force)
	if errors.Is(err, trigger.ErrForeign) {
		foreign, err = err, nil
	}
	if err != nil || gone {
		return foreign, err
	}
	err = b.registry.Delete(ctx, o.bucket)
	if errors.Is(err, dynamo.ErrTableNotFound) {
		err = nil
	}
	return foreign, err
}
