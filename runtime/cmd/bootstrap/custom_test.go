package main_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
)

// The example of a binary with a source of its own.
func TestCustomSource(t *testing.T) {
	bootstrap := buildPackage(t, "../../../examples/custom-source")
	t.Run("runs a bucket", func(t *testing.T) {
		db := awstest.DynamoDB(t)
		store, inventory := newStore(t, db, awstest.Included), awstest.Table(t, db, awstest.NoIndex)
		key := seed(t, db, store, store.Table(), "2027-07-01")
		put(t, db, inventory, map[string]types.AttributeValue{
			"pk": s("quota::mockPark1::backcountryCamp::1::1::2027-07-01"), "sk": s("quota"),
			"limit": &types.AttributeValueMemberN{Value: "40"}, "issued": &types.AttributeValueMemberN{Value: "28"},
		})
		l := start(t, bootstrap, lambdaEnv(map[string]string{
			"AVAILABILITY_TABLE_NAME": store.Table(), "AVAILABILITY_INVENTORY_TABLE_NAME": inventory,
		}))
		if r := report(t, l.invoke(fiveMinutes)); r.Cleaned != 1 {
			t.Errorf("report: %+v", r)
		}
		wantClean(t, store, key)
	})
	t.Run("needs no setting of a source", func(t *testing.T) {
		l := start(t, bootstrap, lambdaEnv(map[string]string{"AVAILABILITY_TABLE_NAME": "signals", "AVAILABILITY_SOURCE": "lambda"}))
		const want = "environment variable AVAILABILITY_SOURCE is set, but this binary has a source of its own: remove it"
		if a := l.invoke(fiveMinutes); a.ErrorType != "BadSettings" || !strings.Contains(a.ErrorMessage, want) {
			t.Errorf("got %+v", a)
		}
	})
}
