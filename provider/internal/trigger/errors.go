package trigger

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aws/smithy-go"
)

// The classes of error that callers tell apart with errors.Is. AWS's own error,
// with its message and request id, stays wrapped inside.
var (
	// ErrNotFound: there is no such trigger.
	ErrNotFound = errors.New("not found")
	// ErrForeign: the trigger of that name is somebody else's. The error is a
	// *ForeignError.
	ErrForeign = errors.New("belongs to somebody else")
	// ErrInUse: the trigger has targets that others added. The error is an
	// *InUseError.
	ErrInUse = errors.New("has other targets")
	// ErrLimit: a quota of the account is used up. The error is a *LimitError.
	ErrLimit = errors.New("quota used up")
	// ErrThrottled: the account is over its rate; nothing was written by the last
	// attempt.
	ErrThrottled = errors.New("throttled")
	// ErrAccessDenied: the credentials are not valid or not allowed to.
	ErrAccessDenied = errors.New("access denied")
	// ErrRejected: the request is not acceptable, whatever the credentials.
	ErrRejected = errors.New("request rejected")
	// ErrUnknown: there was no answer, or the service failed; a write may or may
	// not have been applied.
	ErrUnknown = errors.New("outcome unknown")
)

// ForeignError is a trigger that is not to be touched.
type ForeignError struct {
	Name, ARN string
	// Owner is what its tag says; empty if it has none.
	Owner string
	// ManagedBy is the AWS service whose it is; empty if it is none's.
	ManagedBy string
}

func (e *ForeignError) Error() string {
	owner := "nobody that its tags name"
	if e.Owner != "" {
		owner = fmt.Sprintf("%q", e.Owner)
	}
	if e.ManagedBy != "" {
		owner = e.ManagedBy
	}
	return fmt.Sprintf("rule %q belongs to %s", e.Name, owner)
}

// Is makes it ErrForeign.
func (e *ForeignError) Is(target error) bool { return target == ErrForeign }

// InUseError is a trigger that cannot be removed without harm to others.
type InUseError struct {
	Name string
	// Targets are the targets of others, each as its id and ARN.
	Targets []string
	// Removed says that the trigger's own target is gone already, because theirs
	// came while it was being removed.
	Removed bool
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("rule %q has other targets: %s", e.Name, strings.Join(e.Targets, ", "))
}

// Is makes it ErrInUse.
func (e *InUseError) Is(target error) bool { return target == ErrInUse }

// LimitError is a quota that is used up.
type LimitError struct {
	// Quota is its name and its value unless raised.
	Quota string
	err   error
}

func (e *LimitError) Error() string { return "quota " + e.Quota + " used up: " + e.err.Error() }

// Is makes it ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// Unwrap is AWS's error.
func (e *LimitError) Unwrap() error { return e.err }

// EntryError is a failed entry inside an answer that is otherwise a success.
type EntryError struct {
	ID, Code, Message string
	requestID         string
}

func (e *EntryError) Error() string {
	return fmt.Sprintf("target %q failed: %s: %s", e.ID, e.Code, e.Message)
}

// ErrorCode, ErrorMessage and ErrorFault make it an error of AWS's as any other.
func (e *EntryError) ErrorCode() string { return e.Code }

// ErrorMessage is AWS's text, with the target that it is about.
func (e *EntryError) ErrorMessage() string {
	return strings.TrimSpace(fmt.Sprintf("target %q: %s", e.ID, e.Message))
}

// ErrorFault is not said for an entry.
func (e *EntryError) ErrorFault() smithy.ErrorFault { return smithy.FaultUnknown }

// ServiceRequestID is that of the whole answer.
func (e *EntryError) ServiceRequestID() string { return e.requestID }

// classify wraps an error of the SDK in its class, once, by its code.
func classify(err error) error {
	if err == nil {
		return nil
	}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	if api.ErrorCode() == "LimitExceededException" {
		return &LimitError{Quota: quota(err), err: err}
	}
	if c := class(api); !errors.Is(c, ErrRejected) || !serverFault(err, api) {
		return fmt.Errorf("%w: %w", c, err)
	}
	return fmt.Errorf("%w: %w", ErrUnknown, err)
}

// serverFault is whether the service, or something before it, failed: its answer
// then says nothing of what has been done.
func serverFault(err error, api smithy.APIError) bool {
	answer, ok := errors.AsType[interface {
		error
		HTTPStatusCode() int
	}](err)
	return ok && answer.HTTPStatusCode() >= 500 || api.ErrorFault() == smithy.FaultServer
}

func class(err smithy.APIError) error {
	switch err.ErrorCode() {
	case "ResourceNotFoundException":
		return ErrNotFound
	case "ThrottlingException", "Throttling", "RequestLimitExceeded", "TooManyRequestsException", "ConcurrentModificationException":
		return ErrThrottled
	case "AccessDeniedException", "UnrecognizedClientException", "InvalidClientTokenId", "ExpiredTokenException", "MissingAuthenticationTokenException", "InvalidSignatureException", "IncompleteSignatureException", "SignatureDoesNotMatch":
		return ErrAccessDenied
	case "InternalException", "InternalFailure", "InternalServerError", "ServiceUnavailable":
		return ErrUnknown
	}
	return ErrRejected
}

// quota is which one it was, told by what was asked for.
func quota(err error) string {
	if op, ok := errors.AsType[*smithy.OperationError](err); ok && op.Operation() == "PutTargets" {
		return "targets per rule (5 unless raised)"
	}
	return "rules per event bus (300 unless raised)"
}

// hasTargets recognises AWS's refusal to delete a rule.
func hasTargets(err error) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && api.ErrorCode() == "ValidationException" && strings.Contains(api.ErrorMessage(), "has targets")
}
