package dynamo

import (
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// errUnanswered marks the error of a request which the SDK sent again after an
// attempt that had no answer: whatever the last attempt says, that one may have
// been applied.
var errUnanswered = errors.New("an earlier attempt had no answer")

// attempts takes note of what the SDK's retries hide.
type attempts struct{ unanswered bool }

// watch returns a retryer that does as r does and tells a.
func (a *attempts) watch(r aws.Retryer) aws.Retryer { return a.wrap(r, false) }

// insist is watch, and has a write repeated that met another and was not made.
func (a *attempts) insist(r aws.Retryer) aws.Retryer { return a.wrap(r, true) }

func (a *attempts) wrap(r aws.Retryer, conflicts bool) aws.Retryer {
	v2, ok := r.(aws.RetryerV2)
	if !ok {
		return r
	}
	return watched{v2, a, conflicts}
}

// mark adds to the error of a request what its earlier attempts leave open.
func (a *attempts) mark(err error) error {
	if err == nil || !a.unanswered {
		return err
	}
	return fmt.Errorf("%w (%w)", err, errUnanswered)
}

type watched struct {
	aws.RetryerV2
	attempts *attempts
	// conflicts are repeated too.
	conflicts bool
}

func (w watched) IsErrorRetryable(err error) bool {
	return w.RetryerV2.IsErrorRetryable(err) || w.conflicts && errors.Is(classify(err), ErrConflict)
}

func (w watched) RetryDelay(attempt int, err error) (time.Duration, error) {
	if errors.Is(classify(err), ErrUnknown) {
		w.attempts.unanswered = true
	}
	return w.RetryerV2.RetryDelay(attempt, err)
}

// NothingWritten is whether the error of a write says that nothing was written, by
// no attempt at it: it is an answer to that effect, or nothing was sent.
func NothingWritten(err error) bool {
	answered := errors.Is(err, ErrTableNotFound) || errors.Is(err, ErrAccessDenied) || errors.Is(err, ErrRejected) || errors.Is(err, ErrNoCredentials)
	return answered && !errors.Is(err, errUnanswered)
}
