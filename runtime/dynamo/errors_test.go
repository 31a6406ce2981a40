package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
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
		{code("ProvisionedThroughputExceededException", ""), dynamo.ErrThrottled},
		{code("ThrottlingException", ""), dynamo.ErrThrottled},
		{code("RequestLimitExceeded", ""), dynamo.ErrThrottled},
		{code("ResourceNotFoundException", "Requested resource not found"), dynamo.ErrTableNotFound},
		{code("AccessDeniedException", "not authorized"), dynamo.ErrAccessDenied},
		{code("ExpiredTokenException", ""), dynamo.ErrAccessDenied},
		{code("UnrecognizedClientException", ""), dynamo.ErrAccessDenied},
		{code("ValidationException", "The table does not have the specified index: cadence-index"), dynamo.ErrIndexNotFound},
		{code("ValidationException", "The provided key element does not match the schema"), dynamo.ErrRejected},
		{code("InternalServerError", ""), dynamo.ErrUnknown},
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
