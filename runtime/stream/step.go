package stream

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Action is what is to be done about a date, or was.
type Action string

// The actions.
const (
	// Nothing: all is as it should be.
	Nothing Action = ""
	// Seed: there is to be a signal, and nothing stands there.
	Seed Action = "seed"
	// Update: its own signal is to have other terms.
	Update Action = "update"
	// Adopt: a signal that nobody owns becomes its own.
	Adopt Action = "adopt"
	// TakeOver: another seeder's signal becomes its own.
	TakeOver Action = "take over"
	// Delete: its own signal is of no date any more.
	Delete Action = "delete"
	// Flip: the signal is another's, or nobody's of no date; the change is passed
	// on to it.
	Flip Action = "flip"
	// Leave: there is to be a signal, or another one, but it cannot be. The step's
	// Reason says why; repeating it would not help.
	Leave Action = "leave"
)

// Step is an action on a date.
type Step struct {
	signal.ProductDate
	Action Action
	// Reason is why, for Leave and TakeOver, and what changes for Update.
	Reason string
	// Err is why it could not be done; nil if it has been, or is only planned.
	Err error

	terms  dynamo.Terms
	bucket signal.Bucket
	is     dynamo.Standing
}

// writes is whether the step changes who owns the signal, its terms, or that there
// is one.
func (s Step) writes() bool {
	switch s.Action {
	case Nothing, Flip, Leave:
		return false
	}
	return true
}

// mode is what a keeping is for.
type mode struct {
	// flipOthers: signals of others are flipped.
	flipOthers bool
	// takeOver: signals of others that are to be there become its own.
	takeOver bool
}

// decide is what a wish calls for, given what stands there, if anything does. The
// bucket, if the wish can be met, is the one that its terms name.
func (m mode) decide(w wish, is dynamo.Standing, there bool, bucket signal.Bucket, owner string, now time.Time) Step {
	s := Step{is: is, terms: w.terms, bucket: bucket}
	own := there && is.SeededBy == owner && is.Odd == ""
	wanted := w.present && !w.expired(now)
	switch {
	case there && !is.Signal:
		if wanted {
			s.leave(errors.New("an item of another schema stands there, which is no signal"))
		}
	case there && !own && (!w.present || !m.takeOver && !is.Nobodys()):
		if m.flipOthers && (is.Expiry.IsZero() || is.Expiry.After(now)) {
			s.Action = Flip
		}
	case !w.present && there:
		s.Action = Delete
	case !wanted:
		// What has expired is left to TTL and the sweep.
	case w.unmet != nil:
		s.leave(w.unmet)
	case !there:
		s.Action = Seed
	case own:
		s.Action, s.Reason = update(is, w.terms, bucket)
	case is.Odd != "":
		s.leave(fmt.Errorf("it cannot be adopted: %s", is.Odd))
	case is.Nobodys():
		s.Action = Adopt
	default:
		s.Action, s.Reason = TakeOver, "of "+is.SeededBy
	}
	return s
}

func (s *Step) leave(why error) { s.Action, s.Reason = Leave, why.Error() }

// update is whether a signal has to change, and in what.
func update(is dynamo.Standing, want dynamo.Terms, bucket signal.Bucket) (Action, string) {
	c, differs := is.Change(want, bucket)
	if !differs {
		return Nothing, ""
	}
	var what []string
	if c.GSIPK != "" {
		what = append(what, fmt.Sprintf("bucket %s to %s", is.Bucket, want.Bucket))
	}
	switch {
	case c.Pattern != nil && c.Unflipped == nil:
		what = append(what, "pattern")
	case c.Pattern != nil && c.GSIPK == "":
		what = append(what, "labels")
	}
	if !c.Expiry.IsZero() {
		what = append(what, "expiry")
	}
	return Update, strings.Join(what, ", ")
}
