package dynamo

import (
	"context"
	"iter"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Members yields what the cadence index lists of a bucket under any of its shard
// keys, for each of those bits in turn, or without any for both at once: key and
// ttl, each key once. The index lags, so that what it lists may have moved, changed
// or gone. After an error it yields nothing more.
func (s *Store) Members(ctx context.Context, index, bucket string, bits ...string) iter.Seq2[signal.Item, error] {
	if len(bits) == 0 {
		bits = []string{""}
	}
	return func(yield func(signal.Item, error) bool) {
		// One that is flipped, cleaned or moved meanwhile is listed twice.
		seen := map[signal.Key]bool{}
		for _, bit := range bits {
			for _, shard := range signal.ShardKeys(bucket) {
				q := Query{
					Index: index, Hash: signal.AttrGSIPK, Partition: shard, Range: signal.AttrGSISK, Equals: bit,
					Attrs: []string{signal.AttrPK, signal.AttrSK, signal.AttrTTL},
				}
				for item, err := range s.Query(ctx, q) {
					if err != nil {
						yield(nil, err)
						return
					}
					if key := item.Key(); !seen[key] {
						seen[key] = true
						if !yield(item, nil) {
							return
						}
					}
				}
			}
		}
	}
}
