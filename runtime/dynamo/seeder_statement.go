package dynamo

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// statement renders a write in PartiQL, of which 25 go into one request, each
// with a condition of its own: no other batch of DynamoDB's has conditions at the
// price of single writes.
//
// An INSERT is refused where there is an item, which is all that a Put of the
// protocol asks. A DELETE is refused where its item is another than the condition
// says; where there is no item it has nothing to do, and succeeds.
func statement(table string, w protocol.Write) types.BatchStatementRequest {
	if w.Kind == protocol.Put {
		return insertion(table, w.Item)
	}
	return deletion(table, w)
}

func insertion(table string, item signal.Item) types.BatchStatementRequest {
	names := slices.Sorted(maps.Keys(item))
	parameters := make([]types.AttributeValue, len(names))
	var b strings.Builder
	b.WriteString("INSERT INTO " + quoteName(table) + " VALUE {")
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("'" + name + "': ?")
		parameters[i] = encode(item[name])
	}
	b.WriteString("}")
	text := b.String()
	return types.BatchStatementRequest{Statement: &text, Parameters: parameters}
}

func deletion(table string, w protocol.Write) types.BatchStatementRequest {
	var b strings.Builder
	parameters := []types.AttributeValue{encode(signal.S(w.Key.PK)), encode(signal.S(w.Key.SK))}
	b.WriteString("DELETE FROM " + quoteName(table) + " WHERE " + quoteName(signal.AttrPK) + " = ? AND " + quoteName(signal.AttrSK) + " = ?")
	for _, c := range w.If {
		switch c.Test {
		case protocol.Equal:
			b.WriteString(" AND " + quoteName(c.Attr) + " = ?")
			parameters = append(parameters, encode(c.Value))
		case protocol.Absent:
			b.WriteString(" AND " + quoteName(c.Attr) + " IS MISSING")
		}
	}
	text := b.String()
	return types.BatchStatementRequest{Statement: &text, Parameters: parameters}
}

// quoteName quotes a name of ours: tables' and attributes' names hold no quotes.
func quoteName(name string) string { return `"` + name + `"` }

// statementFailure is the error of one statement inside an answer that is
// otherwise a success; it is an error of AWS's as any other.
type statementFailure struct {
	code, message, requestID string
}

func (e *statementFailure) Error() string { return e.code + ": " + e.message }

func (e *statementFailure) ErrorCode() string             { return e.code }
func (e *statementFailure) ErrorMessage() string          { return e.message }
func (e *statementFailure) ErrorFault() smithy.ErrorFault { return smithy.FaultUnknown }
func (e *statementFailure) ServiceRequestID() string      { return e.requestID }

// statementError is the error of one statement, in its class.
func statementError(e *types.BatchStatementError, out *dynamodb.BatchExecuteStatementOutput) error {
	id, _ := awsmiddleware.GetRequestIDMetadata(out.ResultMetadata)
	return fmt.Errorf("%w: %w", statementClass(e.Code), &smithy.OperationError{
		ServiceID:     dynamodb.ServiceID,
		OperationName: "BatchExecuteStatement",
		Err:           &statementFailure{code: string(e.Code), message: aws.ToString(e.Message), requestID: id},
	})
}

func statementClass(code types.BatchStatementErrorCodeEnum) error {
	switch code {
	case types.BatchStatementErrorCodeEnumDuplicateItem, types.BatchStatementErrorCodeEnumConditionalCheckFailed:
		return ErrRefused
	case types.BatchStatementErrorCodeEnumThrottlingError, types.BatchStatementErrorCodeEnumProvisionedThroughputExceeded, types.BatchStatementErrorCodeEnumRequestLimitExceeded:
		return ErrThrottled
	case types.BatchStatementErrorCodeEnumTransactionConflict:
		return ErrConflict
	case types.BatchStatementErrorCodeEnumResourceNotFound:
		return ErrTableNotFound
	case types.BatchStatementErrorCodeEnumAccessDenied:
		return ErrAccessDenied
	case types.BatchStatementErrorCodeEnumInternalServerError:
		return ErrUnknown
	}
	return ErrRejected
}
