package simulator_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
)

// What AWS knows and the simulator does not is a panic that names it.
func TestNotSimulated(t *testing.T) {
	condition := func(c string) func(*testing.T, *simulator.Client) {
		return func(t *testing.T, c2 *simulator.Client) {
			_, _ = c2.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
				TableName: ptr(table), Key: at("a"), ConditionExpression: &c, ExpressionAttributeValues: attributes{":v": text("x")},
			})
		}
	}
	update := func(u string) func(*testing.T, *simulator.Client) {
		return func(t *testing.T, c *simulator.Client) {
			_, _ = c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
				TableName: ptr(table), Key: at("a"), UpdateExpression: &u, ExpressionAttributeValues: attributes{":v": &types.AttributeValueMemberSS{Value: []string{"x"}}},
			})
		}
	}
	statement := func(st string) func(*testing.T, *simulator.Client) {
		return func(t *testing.T, c *simulator.Client) {
			_, _ = c.BatchExecuteStatement(t.Context(), &dynamodb.BatchExecuteStatementInput{Statements: []types.BatchStatementRequest{{Statement: &st}}})
		}
	}
	tests := []struct {
		names string
		do    func(*testing.T, *simulator.Client)
	}{
		{"NOT", condition("NOT n = :v")},
		{"IN", condition("n IN (:v)")},
		{"function contains", condition("contains(n, :v)")},
		{"function size", condition("size(n) > :v")},
		{"function attribute_type", condition("attribute_type(n, :v)")},
		{`document path "n.m`, condition("n.m = :v")},
		{`document path "n[`, condition("n[0] = :v")},
		{"arithmetic operator +", update("SET n = n + :v")},
		{"arithmetic operator -", update("SET n = if_not_exists(n, :v) - :v")},
		{"function list_append", update("SET n = list_append(n, :v)")},
		{"DELETE in an UpdateExpression", update("DELETE n :v")},
		{"ADD of a set", update("ADD n :v")},
		{"SELECT in PartiQL", statement(`SELECT * FROM "signals"`)},
		{"UPDATE in PartiQL", statement(`UPDATE "signals" SET "n" = 1`)},
		{"literal x in PartiQL", statement(`INSERT INTO "signals" VALUE {'pk': 'x'}`)},
		{"unquoted name signals", statement(`DELETE FROM signals WHERE "pk" = ?`)},
		{"operator < in PartiQL", statement(`DELETE FROM "signals" WHERE "pk" < ?`)},
		{"OR in PartiQL", statement(`DELETE FROM "signals" WHERE "pk" = ? OR "sk" = ?`)},
		{"RETURNING in PartiQL", statement(`DELETE FROM "signals" WHERE "pk" = ? RETURNING ALL OLD *`)},
		{"IS NOT in PartiQL", statement(`DELETE FROM "signals" WHERE "pk" IS NOT MISSING`)},
		{"parameters that expressions have replaced, in GetItem", func(t *testing.T, c *simulator.Client) {
			_, _ = c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: ptr(table), Key: at("a"), AttributesToGet: []string{"n"}})
		}},
		{"parameters that expressions have replaced, in Query", func(t *testing.T, c *simulator.Client) {
			_, _ = c.Query(t.Context(), &dynamodb.QueryInput{TableName: ptr(table), KeyConditions: map[string]types.Condition{}})
		}},
		{"ReturnItemCollectionMetrics in PutItem", func(t *testing.T, c *simulator.Client) {
			_, _ = c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: ptr(table), Item: at("a"), ReturnItemCollectionMetrics: types.ReturnItemCollectionMetricsSize})
		}},
		{"two statements on one item", func(t *testing.T, c *simulator.Client) {
			st := types.BatchStatementRequest{Statement: ptr(`INSERT INTO "signals" VALUE {'pk': ?, 'sk': ?}`), Parameters: []types.AttributeValue{text("p"), text("a")}}
			_, _ = c.BatchExecuteStatement(t.Context(), &dynamodb.BatchExecuteStatementInput{Statements: []types.BatchStatementRequest{st, st}})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.names, func(t *testing.T) {
			_, c := newDB(simulator.Config{})
			defer func() {
				e, ok := recover().(*simulator.NotSimulatedError)
				if !ok || !strings.Contains(e.Error(), tt.names) {
					t.Errorf("panic: %v", e)
				}
				// The database still works.
				put(t, c, at("a"))
			}()
			tt.do(t, c)
		})
	}
}
