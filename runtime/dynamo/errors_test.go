package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// apiError is an error of AWS's.
type apiError struct{ name, message string }

func (e *apiError) Error() string                 { return e.name + ": " + e.message }
func (e *apiError) ErrorCode() string             { return e.name }
func (e *apiError) ErrorMessage() string          { return e.message }
func (e *apiError) ErrorFault() smithy.ErrorFault { return smithy.FaultUnknown }

// answering is an HTTP client that gets that status and body from everybody.
type answering func() (status int, body string)

func (a answering) Do(*http.Request) (*http.Response, error) {
	status, body := a()
	return &http.Response{
		StatusCode: status,
		Header:     http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:       io.NopCloser(strings.NewReader(body)),
	}, nil
}

// deaf answers every read with an error.
type deaf struct {
	dynamo.StoreAPI
	err error
}

func (d deaf) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return nil, d.err
}

func TestStore_errorClasses(t *testing.T) {
	t.Parallel()
	key := signal.Key{PK: "availabilitySignal::park::dayuse::1::1", SK: "2026-07-01"}
	tests := []struct {
		err  error
		want error
	}{
		{code("TransactionConflictException", ""), dynamo.ErrConflict},
		{code("ReplicatedWriteConflictException", ""), dynamo.ErrConflict},
		{code("ProvisionedThroughputExceededException", ""), dynamo.ErrThrottled},
		{code("ThrottlingException", ""), dynamo.ErrThrottled},
		{code("Throttling", ""), dynamo.ErrThrottled},
		{code("RequestLimitExceeded", ""), dynamo.ErrThrottled},
		{code("TooManyRequestsException", ""), dynamo.ErrThrottled},
		{code("ResourceNotFoundException", "Requested resource not found"), dynamo.ErrTableNotFound},
		{code("AccessDeniedException", "not authorized"), dynamo.ErrAccessDenied},
		{code("ExpiredTokenException", ""), dynamo.ErrAccessDenied},
		{code("UnrecognizedClientException", ""), dynamo.ErrAccessDenied},
		{code("InvalidClientTokenId", ""), dynamo.ErrAccessDenied},
		{code("MissingAuthenticationTokenException", ""), dynamo.ErrAccessDenied},
		{code("InvalidSignatureException", ""), dynamo.ErrAccessDenied},
		{code("IncompleteSignatureException", ""), dynamo.ErrAccessDenied},
		{code("SignatureDoesNotMatch", ""), dynamo.ErrAccessDenied},
		{code("ValidationException", "The table does not have the specified index: cadence-index"), dynamo.ErrIndexNotFound},
		{code("ValidationException", "The provided key element does not match the schema"), dynamo.ErrRejected},
		{code("ValidationException", "The AttributeValue for a key attribute cannot contain an empty string value. IndexName: cadence-index, IndexKey: gsipk"), dynamo.ErrRejected},
		{code("InternalServerError", ""), dynamo.ErrUnknown},
		{code("InternalFailure", ""), dynamo.ErrUnknown},
		{code("ServiceUnavailable", ""), dynamo.ErrUnknown},
		{errLost, dynamo.ErrUnknown},
		{context.DeadlineExceeded, dynamo.ErrUnknown},
	}
	classes := []error{
		dynamo.ErrRefused, dynamo.ErrConflict, dynamo.ErrThrottled, dynamo.ErrTableNotFound,
		dynamo.ErrIndexNotFound, dynamo.ErrAccessDenied, dynamo.ErrRejected, dynamo.ErrUnknown,
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.err), func(t *testing.T) {
			t.Parallel()
			_, err := dynamo.NewStore(deaf{err: tt.err}, "park").Get(t.Context(), key)
			for _, class := range classes {
				if errors.Is(err, class) != errors.Is(tt.want, class) {
					t.Errorf("%v: is %q: %t", err, class, errors.Is(err, class))
				}
			}
			if !errors.Is(err, tt.err) || !strings.Contains(err.Error(), key.String()) {
				t.Errorf("%q has lost its cause or does not name its key", err)
			}
		})
	}
}

// A gateway's answer has a code that nobody knows, or none. It says nothing of
// what was written behind it.
func TestStore_serverFaultsAreNoAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status int
		body   string
		want   error
	}{
		{502, `{"message":"Bad Gateway"}`, dynamo.ErrUnknown},
		{502, `{}`, dynamo.ErrUnknown},
		{500, `{"__type":"com.amazonaws.dynamodb.v20120810#InternalFailure"}`, dynamo.ErrUnknown},
		{500, `{"message":"no code"}`, dynamo.ErrUnknown},
		{503, `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException"}`, dynamo.ErrThrottled},
		{400, `{"__type":"com.amazonaws.dynamodb.v20120810#SomethingElse"}`, dynamo.ErrRejected},
	} {
		api := client(1, answering(func() (int, string) { return tt.status, tt.body }))
		_, err := dynamo.NewStore(api, "park").Write(t.Context(), protocol.Flip(campOn(july).Key(), now))
		if !errors.Is(err, tt.want) || dynamo.NothingWritten(err) != errors.Is(tt.want, dynamo.ErrRejected) {
			t.Errorf("%d %s: %v, want %v", tt.status, tt.body, err, tt.want)
		}
	}
}

// The SDK's last attempt may be turned down after one that was applied.
func TestStore_earlierAttemptsMayHaveBeenApplied(t *testing.T) {
	t.Parallel()
	const none, throttled, expired = "InternalServerError", "ThrottlingException", "ExpiredTokenException"
	for _, tt := range []struct {
		name    string
		answers []string
		nothing bool
	}{
		{"no answer at first", []string{none, expired}, false},
		{"throttled at first", []string{throttled, expired}, true},
		{"no answer at first, then throttled", []string{none, throttled, expired}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			api := client(3, answering(func() (int, string) {
				answer := tt.answers[calls]
				calls++
				return map[bool]int{true: 500, false: 400}[answer == none], `{"__type":"com.amazonaws.dynamodb.v20120810#` + answer + `"}`
			}))
			_, err := dynamo.NewStore(api, "park").Write(t.Context(), protocol.Flip(campOn(july).Key(), now))
			if calls != len(tt.answers) || !errors.Is(err, dynamo.ErrAccessDenied) || dynamo.NothingWritten(err) != tt.nothing {
				t.Errorf("after %d calls: %v; nothing was written: %t", calls, err, dynamo.NothingWritten(err))
			}
		})
	}
}

// client is the SDK's own, with the answers given.
func client(attempts int, answers answering) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:           "ca-central-1",
		BaseEndpoint:     aws.String("http://127.0.0.1:1"),
		Credentials:      aws.AnonymousCredentials{},
		HTTPClient:       answers,
		RetryMaxAttempts: attempts,
	})
}

// serverError is an error of the service's own that came without an HTTP answer.
type serverError struct{ apiError }

func (*serverError) ErrorFault() smithy.ErrorFault { return smithy.FaultServer }

func TestClassify_serverFaultWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	if err := dynamo.Classify(&serverError{apiError{"SomethingElse", ""}}); !errors.Is(err, dynamo.ErrUnknown) || errors.Is(err, dynamo.ErrRejected) {
		t.Errorf("%v, want that the outcome is unknown", err)
	}
}

// What kept credentials from being had is no answer to the request, whatever it is.
func TestClassify_noCredentials(t *testing.T) {
	t.Parallel()
	denied := code("AccessDeniedException", "to assume the role")
	_, failed := dynamo.Credentials{CredentialsProvider: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, denied
	})}.Retrieve(t.Context())
	err := dynamo.Classify(failed)
	if !errors.Is(err, dynamo.ErrNoCredentials) || errors.Is(err, dynamo.ErrAccessDenied) || errors.Is(err, dynamo.ErrUnknown) {
		t.Errorf("%v, want that there are no credentials", err)
	}
	if !errors.Is(err, denied) {
		t.Errorf("%v has lost its cause", err)
	}
}

func TestClassify_refusalWithoutAnItem(t *testing.T) {
	t.Parallel()
	for _, item := range []map[string]types.AttributeValue{nil, {}} {
		cause := &types.ConditionalCheckFailedException{Item: item}
		err := dynamo.Classify(cause)
		refused, ok := errors.AsType[*dynamo.RefusedError](err)
		if !ok || refused.Old != nil {
			t.Errorf("there is %v", refused.Old)
		}
		if !errors.Is(err, cause) {
			t.Errorf("%v has lost its cause", err)
		}
	}
}

func TestNothingWritten(t *testing.T) {
	t.Parallel()
	for want, causes := range map[bool][]error{
		true: {
			code("ResourceNotFoundException", ""), code("AccessDeniedException", ""), code("ValidationException", ""),
			&dynamo.CredentialsError{Err: errLost},
		},
		false: {code("ThrottlingException", ""), code("TransactionConflictException", ""), code("InternalServerError", ""), errLost},
	} {
		for _, cause := range causes {
			if dynamo.NothingWritten(dynamo.Classify(cause)) != want {
				t.Errorf("%v: nothing was written: %t", cause, !want)
			}
		}
	}
}

// A write that was answered in the end is a success, whatever came before.
func TestStore_successAfterAnAttemptWithoutAnswer(t *testing.T) {
	t.Parallel()
	calls := 0
	api := client(2, answering(func() (int, string) {
		if calls++; calls == 1 {
			return 500, `{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}`
		}
		return 200, `{}`
	}))
	if _, err := dynamo.NewStore(api, "park").Write(t.Context(), protocol.Flip(campOn(july).Key(), now)); err != nil || calls != 2 {
		t.Errorf("after %d calls: %v", calls, err)
	}
}
