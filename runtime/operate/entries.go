package operate

import (
	"context"
	"iter"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// entries are what the table has of a product.
func (o *Operator) entries(ctx context.Context, p signal.Product) iter.Seq2[signal.Item, error] {
	return o.Signals.Query(ctx, dynamo.Query{
		Hash: signal.AttrPK, Partition: p.PK(),
		Attrs: []string{signal.AttrPK, signal.AttrSK, signal.AttrSchema, signal.AttrGSIPK, signal.AttrTTL, signal.AttrExpiry},
	})
}

// isOver is whether a signal's date is over, as far as that can be told.
func isOver(item signal.Item, now time.Time) bool {
	return protocol.Expired(item, now) && !protocol.Timeless(item, now)
}
