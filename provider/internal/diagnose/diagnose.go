// Package diagnose words the diagnostics of all resources in one way: what
// failed, what it means for the state, what to do, then AWS's own words.
package diagnose

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/smithy-go"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

// Failure is an operation that did not succeed. What, State and Do are whole
// sentences; those that are empty are left out.
type Failure struct {
	// Verb and Thing make the summary: Unable to create signal "...".
	Verb, Thing string
	// Path is the attribute to blame, if it is one.
	Path path.Path
	// What failed, and why.
	What string
	// State is what it means for the state and for what is in AWS.
	State string
	// Do is what to do about it.
	Do string
	// Err is where AWS's message and request id are taken from; nil if AWS has
	// no part in it.
	Err error
}

// Error is the failure as an error.
func (f Failure) Error() diag.Diagnostic {
	if f.Path.Equal(path.Empty()) {
		return diag.NewErrorDiagnostic(f.summary(), f.detail())
	}
	return diag.NewAttributeErrorDiagnostic(f.Path, f.summary(), f.detail())
}

// Warning is the failure as a warning.
func (f Failure) Warning() diag.Diagnostic {
	if f.Path.Equal(path.Empty()) {
		return diag.NewWarningDiagnostic(f.summary(), f.detail())
	}
	return diag.NewAttributeWarningDiagnostic(f.Path, f.summary(), f.detail())
}

func (f Failure) summary() string { return "Unable to " + f.Verb + " " + f.Thing }

func (f Failure) detail() string {
	var paragraphs []string
	for _, p := range []string{f.What, f.State, f.Do, Cause(f.Err)} {
		if p != "" {
			paragraphs = append(paragraphs, p)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// Cause is AWS's own message and request id, or what kept its answer from
// arriving, as a sentence; empty for nil and for errors in which AWS has no part.
func Cause(err error) string {
	if credentials, ok := errors.AsType[*dynamo.CredentialsError](err); ok {
		// The request that they were for has no part in it.
		if _, answered := errors.AsType[smithy.APIError](credentials.Err); answered {
			return Cause(credentials.Err)
		}
		return Sentence(credentials.Err)
	}
	id := ""
	if response, ok := errors.AsType[answered](err); ok && response.ServiceRequestID() != "" {
		id = " (request id " + response.ServiceRequestID() + ")"
	}
	operation, sent := errors.AsType[*smithy.OperationError](err)
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		message := strings.TrimSpace(api.ErrorMessage())
		if message == "" {
			message = "no message"
		}
		if !sent {
			return fmt.Sprintf("AWS answered %s: %s%s", api.ErrorCode(), message, id)
		}
		return fmt.Sprintf("%s answered %s with %s: %s%s", operation.Service(), operation.Operation(), api.ErrorCode(), message, id)
	}
	switch {
	case !sent:
		return ""
	case errors.Is(err, context.Canceled):
		return fmt.Sprintf("%s of %s was cancelled.", operation.Operation(), operation.Service())
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("%s of %s was given no more time.", operation.Operation(), operation.Service())
	}
	// The SDK wraps what went wrong on the way in much that says nothing.
	cause := operation.Unwrap()
	if sending, ok := errors.AsType[*url.Error](err); ok {
		cause = sending
	}
	return fmt.Sprintf("%s of %s got no answer: %s%s", operation.Operation(), operation.Service(), cause, id)
}

// Count is a number of things, one of which has that name.
func Count(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}

// answered is an error that AWS's answer carried, as the SDK and package trigger
// have them.
type answered interface {
	error
	ServiceRequestID() string
}
