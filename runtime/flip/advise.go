package flip

import (
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

// Advice is what to do about a TransactWriteItems that has flips among its
// entries and failed.
type Advice uint8

const (
	// GiveUp: it failed for another reason than its flips, such as the
	// application's own condition, or in a way that repeating does not cure.
	GiveUp Advice = iota
	// Repeat: it met another write or a limit, or there was no answer. Send it
	// again after a pause with jitter, under the same token. If its outcome cannot
	// be learned at all, Flip: it may have committed.
	Repeat
	// WithoutFlips: a signal is not there, and nothing else is wrong. Send it
	// again without its flips, under a new token, and Flip each of them after
	// the commit: a signal may have been seeded meanwhile.
	WithoutFlips
)

// Advise reads the error of a TransactWriteItems whose entries at the given
// indexes are flips.
func Advise(err error, flips ...int) Advice {
	if _, ok := errors.AsType[*types.TransactionInProgressException](err); ok {
		return Repeat
	}
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	switch {
	case !ok && passes(err):
		return Repeat
	case !ok, len(cancelled.CancellationReasons) == 0:
		return GiveUp
	}
	advice := Repeat
	for i, reason := range cancelled.CancellationReasons {
		switch code := aws.ToString(reason.Code); {
		case code == "None", code == "TransactionConflict", code == "ThrottlingError", code == "ProvisionedThroughputExceeded":
		case code == "ConditionalCheckFailed" && slices.Contains(flips, i):
			advice = WithoutFlips
		default:
			return GiveUp
		}
	}
	return advice
}

// passes is whether an error is the service's or the network's, or a limit of the
// whole request's.
func passes(err error) bool {
	class := dynamo.Classify(err)
	return errors.Is(class, dynamo.ErrUnknown) || errors.Is(class, dynamo.ErrThrottled)
}
