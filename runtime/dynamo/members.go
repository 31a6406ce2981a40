package dynamo

import (
	"context"
	"iter"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Members yields what the cadence index lists of a bucket under any of its shard
// keys, for each of those bits in turn: key and ttl. The index lags, so that what
// it lists may have moved, changed or gone. After an error it yields nothing more.
func (s *Store) Members(ctx context.Context, index, bucket string, bits ...string) iter.Seq2[signal.Item, error] {
	return func(yield func(signal.Item, error) bool) {
		for _, bit := range bits {
			for _, shard := range signal.ShardKeys(bucket) {
				q := Query{
					Index: index, Hash: signal.AttrGSIPK, Partition: shard, Range: signal.AttrGSISK, Equals: bit,
					Attrs: []string{signal.AttrPK, signal.AttrSK, signal.AttrTTL},
				}
				for item, err := range s.Query(ctx, q) {
					if !yield(item, err) || err != nil {
						return
					}
				}
			}
		}
	}
}
