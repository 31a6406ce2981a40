package simulator

import (
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

const maxStatements = 25

// batchStatement is a BatchExecuteStatement that is executed statement by
// statement.
type batchStatement struct {
	in  *dynamodb.BatchExecuteStatementInput
	out dynamodb.BatchExecuteStatementOutput
}

// startBatchStatement checks a BatchExecuteStatement, before anything is written.
func (db *DB) startBatchStatement(in *dynamodb.BatchExecuteStatementInput) (*batchStatement, error) {
	if n := len(in.Statements); n < 1 || n > maxStatements {
		return nil, invalid("1 validation error detected: Value at 'statements' failed to satisfy constraint: Member must have length less than or equal to %d, Member must have length greater than or equal to 1", maxStatements)
	}
	s := &batchStatement{in: in}
	type target struct {
		table *table
		at    address
	}
	seen := map[target]bool{}
	for _, given := range in.Statements {
		if given.Statement == nil {
			return nil, invalid("1 validation error detected: Value null at 'statements.1.member.statement' failed to satisfy constraint: Member must not be null")
		}
		if yes(given.ConsistentRead) {
			notSimulated("ConsistentRead in BatchExecuteStatement")
		}
		r, prog, b, err := db.config.Expressions.statement(*given.Statement).request(db, given)
		if err != nil {
			continue // It is that statement's own answer.
		}
		p, err := db.work(db.tables[*r.table], r, prog, b)
		if err != nil {
			continue
		}
		if seen[target{p.table, p.at}] {
			notSimulated("two statements on one item in BatchExecuteStatement")
		}
		seen[target{p.table, p.at}] = true
	}
	s.out.Responses = make([]types.BatchStatementResponse, len(in.Statements))
	return s, nil
}

// execute executes one statement of a batch; a fault of the service is the
// statement's own answer.
func (db *DB) execute(client int, s *batchStatement, i int, fault error) {
	given := s.in.Statements[i]
	st := db.config.Expressions.statement(*given.Statement)
	answer := &s.out.Responses[i]
	if st.table != "" {
		answer.TableName = &st.table
	}
	err := fault
	if err == nil {
		err = db.executeWrite(client, s, st, given)
	}
	if err != nil {
		answer.Error = st.failure(err)
	}
}

func (db *DB) executeWrite(client int, s *batchStatement, st *statement, given types.BatchStatementRequest) error {
	r, prog, b, err := st.request(db, given)
	if err != nil {
		return err
	}
	t := db.tables[st.table]
	p, err := db.work(t, r, prog, b)
	if err != nil {
		return err
	}
	charges := p.charges(nil, 1)
	if err := db.admit(t, charges); err != nil {
		return err
	}
	db.bill(client, charges)
	if c := t.consumed(s.in.ReturnConsumedCapacity, charges); c != nil {
		s.out.ConsumedCapacity = append(s.out.ConsumedCapacity, *c)
	}
	switch {
	case p.conflict:
		return conflict()
	case p.refused && r.verb == verbDelete && p.old == nil:
		// Nothing to delete is no failure, whatever the condition.
		return nil
	case p.refused:
		return conditionFailed(r.failed(p.old))
	}
	db.commit(&p.write, false)
	return nil
}

// failure is an error as the answer to one statement.
func (st *statement) failure(err error) *types.BatchStatementError {
	out := &types.BatchStatementError{Code: types.BatchStatementErrorCodeEnumInternalServerError, Message: text(err.Error())}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		out.Message = text(api.ErrorMessage())
		if code, known := statementCodes[api.ErrorCode()]; known {
			out.Code = code
		}
	}
	if refused, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		out.Item = refused.Item
		if st.verb == verbPut {
			out.Code, out.Message, out.Item = types.BatchStatementErrorCodeEnumDuplicateItem, text("Duplicate primary key exists in table"), nil
		}
	}
	return out
}

var statementCodes = map[string]types.BatchStatementErrorCodeEnum{
	"ConditionalCheckFailedException":        types.BatchStatementErrorCodeEnumConditionalCheckFailed,
	"TransactionConflictException":           types.BatchStatementErrorCodeEnumTransactionConflict,
	"ProvisionedThroughputExceededException": types.BatchStatementErrorCodeEnumProvisionedThroughputExceeded,
	"ResourceNotFoundException":              types.BatchStatementErrorCodeEnumResourceNotFound,
	"ValidationException":                    types.BatchStatementErrorCodeEnumValidationError,
}
