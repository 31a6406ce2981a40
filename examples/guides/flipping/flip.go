// Package flipping is the guide's example in Go.
package flipping

import (
	"context"
	"log/slog"

	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Booked says to the signals what a booking has changed. Call it once the booking
// has committed; the booking stands whatever comes of it.
func Booked(ctx context.Context, client *flip.Client, log *slog.Logger, product signal.Product, nights ...signal.Date) {
	for _, night := range nights {
		key := signal.ProductDate{Product: product, Date: night}.Key()
		if err := client.Flip(ctx, key); err != nil {
			// Count it too, and put an alarm on it.
			log.ErrorContext(ctx, "flip failed", "signal", key.String(), "error", err)
		}
	}
}
