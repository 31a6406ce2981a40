package doctor

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// nobody is a signal that there never is: the first day of a calendar that nobody
// sells.
func nobody() signal.ProductDate {
	return signal.ProductDate{
		Product: signal.Product{CollectionID: "doctor", ActivityType: "doctor", ActivityID: "doctor", ProductID: "doctor"},
		Date:    signal.Date{Year: 1, Month: 1, Day: 1},
	}
}

// permissions tries out each call that runs, flips and seeders need, on a signal
// that there is not. Every write has a condition that such a one does not meet, so
// that nothing is ever written.
func (x *exam) permissions(ctx context.Context) {
	key := nobody().Key()
	exists := []protocol.Cond{{Test: protocol.Exists, Attr: signal.AttrPK}}
	write := func(w protocol.Write) error {
		_, err := x.store.Write(ctx, w)
		return err
	}
	inventory := dynamo.NewStore(x.DynamoDB, x.Inventory)
	index := x.Table + "/index/" + x.CadenceIndex
	for _, probe := range []struct {
		action, about string
		try           func() error
	}{
		{"dynamodb:GetItem", x.Table, func() error { _, err := x.store.Get(ctx, key); return err }},
		{"dynamodb:BatchGetItem", x.Table, func() error {
			_, err := dynamo.BatchGet{Table: x.Table, Keys: []signal.Key{key}}.Read(ctx, x.DynamoDB)
			return err
		}},
		{"dynamodb:Query", x.Table, func() error { return first(ctx, x.store, dynamo.Query{Hash: signal.AttrPK, Partition: key.PK}) }},
		{"dynamodb:Query", index, func() error {
			return first(ctx, x.store, dynamo.Query{Index: x.CadenceIndex, Hash: signal.AttrGSIPK, Partition: key.PK})
		}},
		{"dynamodb:Query", x.Table + "/index/" + x.GlobalIDIndex, func() error {
			return first(ctx, x.store, dynamo.Query{Index: x.GlobalIDIndex, Hash: signal.AttrGlobalID, Partition: key.PK})
		}},
		{"dynamodb:UpdateItem", x.Table, func() error { return write(protocol.Flip(key, x.now)) }},
		{"dynamodb:DeleteItem", x.Table, func() error { return write(protocol.Sweep(key, signal.Item{}, x.now)) }},
		{"dynamodb:PutItem", x.Table, func() error {
			return write(protocol.Write{Op: "try", Kind: protocol.Put, Key: key, If: exists, Item: signal.Item{
				signal.AttrPK: signal.S(key.PK), signal.AttrSK: signal.S(key.SK),
			}})
		}},
		{"dynamodb:Query", x.Inventory, func() error {
			return first(ctx, inventory, dynamo.Query{Hash: signal.AttrPK, Partition: nobody().PoolPK()})
		}},
		{"dynamodb:Scan", x.Table, func() error {
			_, err := x.DynamoDB.Scan(ctx, &dynamodb.ScanInput{TableName: &x.Table, Limit: aws.Int32(1)})
			return dynamo.Classify(err)
		}},
	} {
		switch err := probe.try(); {
		case err == nil, errors.Is(err, dynamo.ErrRefused), errors.Is(err, dynamo.ErrIndexNotFound), errors.Is(err, dynamo.ErrRejected):
			// Allowed: a refusal is the condition's, and a wrong index is another finding.
		case errors.Is(err, dynamo.ErrAccessDenied):
			x.deny(probe.action, probe.about)
		case errors.Is(err, dynamo.ErrTableNotFound):
			x.find(AreaTable, Fault, probe.about, "there is no such table", "correct inventory_table_name, AVAILABILITY_INVENTORY_TABLE_NAME or -inventory-table")
		default:
			x.find(AreaPermissions, Warning, probe.about, probe.action+" could not be tried: "+err.Error(), "run the doctor again")
		}
	}
}

func first(ctx context.Context, store *dynamo.Store, q dynamo.Query) error {
	q.Limit = 1
	for _, err := range store.Query(ctx, q) {
		return err
	}
	return nil
}
