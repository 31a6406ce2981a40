package simulator

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

var (
	// ErrCrashed is what every call of a crashed Client answers.
	ErrCrashed = errors.New("the process has crashed")
	// ErrNoAnswer is what a lost request or a lost answer looks like. Whether the
	// request was executed is not known.
	ErrNoAnswer = errors.New("use of closed network connection")
)

// NotSimulatedError is the panic of a request that AWS may take and the simulator
// does not know.
type NotSimulatedError struct {
	// What names the construct.
	What string
}

func (e *NotSimulatedError) Error() string {
	return "the simulator does not know " + e.What + ": teach it, with a conformance case, or do without"
}

func notSimulated(format string, args ...any) {
	panic(&NotSimulatedError{What: fmt.Sprintf(format, args...)})
}

// invalid is AWS's ValidationException, which the SDK has no type for.
func invalid(format string, args ...any) error {
	return &smithy.GenericAPIError{
		Code:    "ValidationException",
		Message: fmt.Sprintf(format, args...),
		Fault:   smithy.FaultClient,
	}
}

func text(s string) *string { return &s }

func conditionFailed(old map[string]types.AttributeValue) error {
	return &types.ConditionalCheckFailedException{Message: text("The conditional request failed"), Item: old}
}

func conflict() error {
	return &types.TransactionConflictException{Message: text("Transaction is ongoing for the item")}
}

func noTable(name string) error {
	return &types.ResourceNotFoundException{Message: text("Requested resource not found: Table: " + name + " not found")}
}

func serverError() error {
	return &types.InternalServerError{Message: text("Internal server error")}
}

// Responses carry nothing but their status, so that they can be shared.
var (
	badRequest = &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusBadRequest, Status: "400 Bad Request"}}
	failed     = &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusInternalServerError, Status: "500 Internal Server Error"}}
)

// answered wraps an error as the SDK wraps one that the service answered with.
func answered(err error, request uint64) error {
	response := badRequest
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorFault() == smithy.FaultServer {
		response = failed
	}
	return &awshttp.ResponseError{
		ResponseError: &smithyhttp.ResponseError{Response: response, Err: err},
		RequestID:     "simulated-" + strconv.FormatUint(request, 10),
	}
}

func unanswered() error { return &smithyhttp.RequestSendError{Err: ErrNoAnswer} }
