package dynamo

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// List yields a product's signals on the dates of a span, in order, strongly
// consistent, whoever seeded them; those that have expired are left out. After an
// error it yields nothing more.
func (s *Seeder) List(ctx context.Context, p signal.Product, span Span) iter.Seq2[Seeded, error] {
	return func(yield func(Seeded, error) bool) {
		q := Query{
			Hash: signal.AttrPK, Partition: p.PK(),
			Range: signal.AttrSK, From: span.First.String(), To: span.Last.String(),
			Attrs: signal.SeederReads(),
		}
		for item, err := range s.store.Query(ctx, q) {
			if err != nil {
				yield(Seeded{}, err)
				return
			}
			d, err := signal.ParseDate(item.Text(signal.AttrSK))
			if err != nil || item.Text(signal.AttrSchema) != signal.SchemaSignal || protocol.Expired(item, s.now()) {
				continue
			}
			if !yield(parseSeeded(signal.ProductDate{Product: p, Date: d}, item), nil) {
				return
			}
		}
	}
}

// ListBucket yields a bucket's signals that have one of those bits, or without any
// all; index is the name of the cadence index. Each is read from the table itself,
// since the index lags; those that have expired are left out. A signal whose key is
// not of the format is an error, after which the others follow; any other error is
// the last.
func (s *Seeder) ListBucket(ctx context.Context, index, bucket string, bits ...string) iter.Seq2[Seeded, error] {
	return func(yield func(Seeded, error) bool) {
		for hit, err := range s.store.Members(ctx, index, bucket, bits...) {
			if err != nil {
				yield(Seeded{}, err)
				return
			}
			if protocol.Expired(hit, s.now()) {
				continue
			}
			key := hit.Key()
			item, err := s.store.Get(ctx, key, append(signal.SeederReads(), signal.AttrGSISK)...)
			if err != nil {
				yield(Seeded{}, err)
				return
			}
			if !s.listed(item, bucket, bits) {
				continue
			}
			d, err := signal.ParseKey(key)
			if err == nil && d.Key() != key {
				err = fmt.Errorf("%w %q: its parts are not joined by \"::\"", signal.ErrKey, key)
			}
			if !yield(parseSeeded(d, item), err) {
				return
			}
		}
	}
}

// listed is whether an item is still what the index said of it.
func (s *Seeder) listed(item signal.Item, bucket string, bits []string) bool {
	name, _, _ := signal.ParseShardKey(item.Text(signal.AttrGSIPK))
	return name == bucket && item.Text(signal.AttrSchema) == signal.SchemaSignal &&
		(len(bits) == 0 || slices.Contains(bits, item.Text(signal.AttrGSISK))) && !protocol.Expired(item, s.now())
}
