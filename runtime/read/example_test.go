package read_test

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A month of a calendar.
func Example() {
	show := func(ctx context.Context, client *dynamodb.Client, product signal.Product, first signal.Date) error {
		readings, err := read.New(client, "reservations").Range(ctx, product, first, first.AddDays(30))
		if err != nil {
			return err
		}
		for _, r := range readings {
			switch {
			case r.Unknown, r.Expired:
				fmt.Println(r.Date, "?")
			case r.Stale:
				fmt.Println(r.Date, r.Value, "as of", r.AsOf)
			default:
				fmt.Println(r.Date, r.Value)
			}
		}
		return nil
	}
	_ = show
}
