package diagnose_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

// sent is an error as the SDK returns it.
func sent(err error) error {
	return &smithy.OperationError{ServiceID: "DynamoDB", OperationName: "PutItem", Err: err}
}

func answered(err error) error {
	return sent(&awshttp.ResponseError{
		RequestID:     "r-1",
		ResponseError: &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: &http.Response{StatusCode: 400}}, Err: err},
	})
}

func TestCause(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err  error
		want string
	}{
		"none":      {nil, ""},
		"our own":   {errors.New("no such thing"), ""},
		"answered":  {answered(&smithy.GenericAPIError{Code: "ValidationException", Message: "no"}), "DynamoDB answered PutItem with ValidationException: no (request id r-1)"},
		"wordless":  {answered(&smithy.GenericAPIError{Code: "ValidationException"}), "DynamoDB answered PutItem with ValidationException: no message (request id r-1)"},
		"wrapped":   {fmt.Errorf("write it: %w", answered(&smithy.GenericAPIError{Code: "X", Message: "no"})), "DynamoDB answered PutItem with X: no (request id r-1)"},
		"cancelled": {sent(&smithy.CanceledError{Err: context.Canceled}), "PutItem of DynamoDB was cancelled."},
		"late":      {sent(context.DeadlineExceeded), "PutItem of DynamoDB was given no more time."},
		"lost": {
			sent(&smithyhttp.RequestSendError{Err: &url.Error{Op: "Post", URL: "http://127.0.0.1:1/", Err: errors.New("connection refused")}}),
			`PutItem of DynamoDB got no answer: Post "http://127.0.0.1:1/": connection refused`,
		},
		"no credentials": {sent(errors.New("no credentials found")), "PutItem of DynamoDB got no answer: no credentials found"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := diagnose.Cause(tt.err); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	f := diagnose.Failure{Verb: "create", Thing: `signal "x"`, What: "It failed.", Do: "Try again.", Err: answered(&smithy.GenericAPIError{Code: "X", Message: "no"})}
	const detail = "It failed.\n\nTry again.\n\nDynamoDB answered PutItem with X: no (request id r-1)"
	if got := f.Error(); got.Summary() != `Unable to create signal "x"` || got.Detail() != detail || got.Severity() != diag.SeverityError {
		t.Errorf("error: %v", got)
	}
	if got := f.Warning(); got.Detail() != detail || got.Severity() != diag.SeverityWarning {
		t.Errorf("warning: %v", got)
	}
	f.Path = path.Root("name")
	for _, d := range []diag.Diagnostic{f.Error(), f.Warning()} {
		if at, ok := d.(diag.DiagnosticWithPath); !ok || !at.Path().Equal(path.Root("name")) {
			t.Errorf("the path is missing from %v", d)
		}
	}
}

// Every class of error of the table's has words of its own.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]error{}
	for _, class := range []error{
		dynamo.ErrTableNotFound, dynamo.ErrIndexNotFound, dynamo.ErrAccessDenied, dynamo.ErrThrottled, dynamo.ErrConflict, dynamo.ErrUnknown, dynamo.ErrRejected,
	} {
		what, do, ok := diagnose.Table(fmt.Errorf("read it: %w", class), "reservations")
		if !ok || what == "" || do == "" || seen[what] != nil {
			t.Errorf("%v: %q, %q, %t; the same as %v", class, what, do, ok, seen[what])
		}
		seen[what] = class
	}
	if _, _, ok := diagnose.Table(errors.New("else"), "reservations"); ok {
		t.Error("an error of no class is worded as one of the table's")
	}
}

// Whose fault a refusal is decides what there is to do.
func TestDenied(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"ExpiredTokenException":       "The AWS credentials have expired. Get new ones, then run Terraform again.",
		"UnrecognizedClientException": "AWS does not accept the credentials. Check which ones the provider uses: its access_key, secret_key and token, its profile, or what the environment has. Check the clock of this machine too.",
		"InvalidSignatureException":   "AWS does not accept the credentials. Check which ones the provider uses: its access_key, secret_key and token, its profile, or what the environment has. Check the clock of this machine too.",
		"AccessDeniedException":       "The credentials are not allowed to do it. Allow them the action that AWS names, or have the provider use others.",
	} {
		if what, do := diagnose.Denied(answered(&smithy.GenericAPIError{Code: code}), "do it"); what+" "+do != want {
			t.Errorf("%s: %s %s", code, what, do)
		}
	}
}

func TestSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "it failed": "It failed.", "is it?": "Is it?", "done.": "Done.", "été": "Été."} {
		if got := diagnose.Sentence(errors.New(text)); got != want {
			t.Errorf("Sentence(%q) = %q, want %q", text, got, want)
		}
	}
}
