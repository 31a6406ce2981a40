package flip_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A booking service flips after its commit. In a real one, db is a
// *dynamodb.Client; here it is a table in memory.
func Example() {
	campground := signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}
	july1 := signal.ProductDate{Product: campground, Date: signal.Date{Year: 2027, Month: time.July, Day: 1}}
	db := newTable(clean(july1.Key()))

	// One client for the process, so that its callers can share flips.
	flips := flip.New(db, "reservations")

	book := func(ctx context.Context) error {
		if err := commit(ctx); err != nil {
			return err
		}
		// The booking stands whatever becomes of the flip: log and count it.
		if err := flips.Flip(ctx, july1.Key()); err != nil {
			slog.Warn("flip failed", "signal", july1.String(), "error", err)
		}
		return nil
	}
	if err := book(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(july1, "is", db.item(july1.Key()).Text(signal.AttrGSISK))
	// Output: mockPark1/backcountryCamp/1/1 2027-07-01 is dirty
}

// Where even a crash between commit and flip must leave no gap, the flip is in
// the transaction too.
func ExampleClient_TransactItem() {
	db := newTable()
	flips := flip.New(db, "reservations", flip.WithClock(func() time.Time { return time.Date(2027, 7, 1, 14, 0, 0, 0, time.UTC) }))

	entry := flips.TransactItem(signal.Key{PK: "availabilitySignal::mockPark1::backcountryCamp::1::1", SK: "2027-07-01"})
	fmt.Println(*entry.Update.UpdateExpression)
	fmt.Println(*entry.Update.ConditionExpression)
	// Output:
	// SET #gsisk = :v0, #dirtySince = if_not_exists(#dirtySince, :v1) ADD #rev :v2
	// attribute_exists(#pk)
}

// commit stands for the application's own transaction.
func commit(context.Context) error { return nil }
