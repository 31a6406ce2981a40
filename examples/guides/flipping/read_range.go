package flipping

import (
	"context"
	"fmt"
	"io"

	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Show prints what a calendar shows of a product.
func Show(ctx context.Context, w io.Writer, reader *read.Reader, product signal.Product, first, last signal.Date) error {
	readings, err := reader.Range(ctx, product, first, last)
	if err != nil {
		return fmt.Errorf("show %s: %w", product, err)
	}
	for _, r := range readings {
		switch {
		case r.Expired:
		case r.Unknown:
			fmt.Fprintln(w, r.Date, "ask us")
		case r.Stale:
			fmt.Fprintln(w, r.Date, r.Value, "as of", signal.FormatInstant(r.AsOf))
		default:
			fmt.Fprintln(w, r.Date, r.Value)
		}
	}
	return nil
}
