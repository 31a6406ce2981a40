package dynamo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The classes of error that callers tell apart with errors.Is. AWS's own error,
// with its message and request id, stays wrapped inside.
var (
	// ErrRefused: the condition did not hold and nothing was written. The error
	// is a *RefusedError.
	ErrRefused = errors.New("condition not met")
	// ErrConflict: a transaction is under way on the item; nothing was written.
	ErrConflict = errors.New("conflict with a transaction")
	// ErrThrottled: the table, an index or the account is over its rate; nothing
	// was written by the last attempt.
	ErrThrottled = errors.New("throttled")
	// ErrTableNotFound: there is no such table in this account and region.
	ErrTableNotFound = errors.New("table not found")
	// ErrIndexNotFound: the table has no such index.
	ErrIndexNotFound = errors.New("index not found")
	// ErrAccessDenied: the credentials are not valid or not allowed to.
	ErrAccessDenied = errors.New("access denied")
	// ErrNoCredentials: there was nothing to sign the request with, so that none was
	// sent. The error has a *CredentialsError inside.
	ErrNoCredentials = errors.New("no credentials")
	// ErrRejected: the request is not acceptable, whatever the credentials.
	ErrRejected = errors.New("request rejected")
	// ErrUnknown: there was no answer, or the service failed; a write may or may
	// not have been applied.
	ErrUnknown = errors.New("outcome unknown")
)

// Codes of writes that met another and were not made. The SDK repeats neither.
const (
	conflictCode            = "TransactionConflictException"
	replicationConflictCode = "ReplicatedWriteConflictException"
)

// RefusedError is a conditional write that was refused.
type RefusedError struct {
	// Old is the item that the condition did not hold for; nil if there is none.
	Old signal.Item
	err error
}

func (e *RefusedError) Error() string { return e.err.Error() }

// Is makes it ErrRefused.
func (e *RefusedError) Is(target error) bool { return target == ErrRefused }

// Unwrap is AWS's error.
func (e *RefusedError) Unwrap() error { return e.err }

// CredentialsError is that credentials could not be had. Who makes an API's client
// has its credentials come from Credentials, since the SDK has no class for it.
type CredentialsError struct{ Err error }

func (e *CredentialsError) Error() string { return "get credentials: " + e.Err.Error() }

// Is makes it ErrNoCredentials.
func (e *CredentialsError) Is(target error) bool { return target == ErrNoCredentials }

// Unwrap is what the provider of the credentials said.
func (e *CredentialsError) Unwrap() error { return e.Err }

// Classify wraps an error of the SDK in its class, for callers that use the SDK
// beside this package. nil stays nil.
func Classify(err error) error { return classify(err) }

// classify wraps an error of the SDK in its class, once, by its code.
func classify(err error) error {
	// What kept credentials from being had may be an answer of AWS's, but to
	// another request.
	if err == nil || errors.Is(err, ErrNoCredentials) {
		return err
	}
	if refused, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		var old signal.Item
		if len(refused.Item) > 0 {
			old = decodeItem(refused.Item)
		}
		return &RefusedError{Old: old, err: err}
	}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	if c := class(api); !errors.Is(c, ErrRejected) || !serverFault(err, api) {
		return fmt.Errorf("%w: %w", c, err)
	}
	return fmt.Errorf("%w: %w", ErrUnknown, err)
}

func class(err smithy.APIError) error {
	switch code := err.ErrorCode(); code {
	case conflictCode, replicationConflictCode:
		return ErrConflict
	case "ProvisionedThroughputExceededException", "ThrottlingException", "Throttling", "RequestLimitExceeded", "TooManyRequestsException":
		return ErrThrottled
	case "ResourceNotFoundException":
		return ErrTableNotFound
	case "AccessDeniedException", "UnrecognizedClientException", "InvalidClientTokenId", "ExpiredTokenException", "MissingAuthenticationTokenException", "InvalidSignatureException", "IncompleteSignatureException", "SignatureDoesNotMatch":
		return ErrAccessDenied
	case "InternalServerError", "InternalFailure", "ServiceUnavailable":
		return ErrUnknown
	case "ValidationException":
		if strings.Contains(err.ErrorMessage(), "specified index") {
			return ErrIndexNotFound
		}
		return ErrRejected
	}
	return ErrRejected
}

// serverFault is whether the service, or something before it, failed: its answer
// then says nothing of what has been written. The SDK knows the fault of few
// codes, and a gateway's answer has none.
func serverFault(err error, api smithy.APIError) bool {
	answer, ok := errors.AsType[interface {
		error
		HTTPStatusCode() int
	}](err)
	return ok && answer.HTTPStatusCode() >= 500 || api.ErrorFault() == smithy.FaultServer
}
