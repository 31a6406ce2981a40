package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

var (
	// ErrNotRegistered: the table has no registry item of that bucket, so nothing
	// would ever check its signals.
	ErrNotRegistered = errors.New("bucket not registered")
	// ErrExists: there is such an item already, and it is somebody else's.
	ErrExists = errors.New("already exists")
	// ErrNotOurs: the item is gone, or another one has taken its place.
	ErrNotOurs = errors.New("gone or replaced by another")
)

// Registry is the buckets' registry items in a table.
type Registry struct{ store *Store }

// NewRegistry returns the registry of a table.
func NewRegistry(s *Store) *Registry { return &Registry{store: s} }

// Get reads a bucket. The error is ErrNotRegistered, signal.ErrFormat,
// signal.ErrRegistry, or one of the reading.
func (r *Registry) Get(ctx context.Context, name string) (signal.Bucket, error) {
	item, err := r.store.Get(ctx, signal.RegistryKey(name))
	if err != nil {
		return signal.Bucket{}, fmt.Errorf("read bucket %q: %w", name, err)
	}
	if item == nil {
		return signal.Bucket{}, fmt.Errorf("read bucket %q in table %q: %w", name, r.store.table, ErrNotRegistered)
	}
	b, err := signal.ParseBucket(item)
	if err != nil {
		return signal.Bucket{}, fmt.Errorf("read bucket %q in table %q: %w", name, r.store.table, err)
	}
	return b, nil
}

// Create registers a bucket. A bucket of that name that is not this very
// registration (by globalId) is ErrExists.
func (r *Registry) Create(ctx context.Context, b signal.Bucket) error {
	_, err := r.store.Write(ctx, protocol.Register(b))
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		if refused.Old.Text(signal.AttrGlobalID) == b.GlobalID {
			return nil
		}
		return fmt.Errorf("register bucket %q in table %q: %w", b.Name, r.store.table, ErrExists)
	}
	return err
}

// Update writes all fields of a registered bucket. The error is ErrNotOurs if it
// is gone or has another globalId, signal.ErrFormat if a later release wrote it.
func (r *Registry) Update(ctx context.Context, b signal.Bucket) error {
	present, err := r.store.Get(ctx, signal.RegistryKey(b.Name))
	if err != nil {
		return fmt.Errorf("update bucket %q: %w", b.Name, err)
	}
	if _, err := signal.ParseBucket(present); errors.Is(err, signal.ErrFormat) {
		return fmt.Errorf("update bucket %q in table %q: %w", b.Name, r.store.table, err)
	}
	_, err = r.store.Write(ctx, protocol.Reregister(b, present))
	if errors.Is(err, ErrRefused) {
		return fmt.Errorf("update bucket %q in table %q: %w", b.Name, r.store.table, ErrNotOurs)
	}
	return err
}

// Delete removes a bucket's own items: what its runs keep, then its registry
// item. Its signals stay, unchecked. A bucket that is gone, or has another
// globalId, is left alone and is no error.
func (r *Registry) Delete(ctx context.Context, b signal.Bucket) error {
	own, err := r.store.Get(ctx, signal.RegistryKey(b.Name), signal.AttrGlobalID)
	if err != nil {
		return fmt.Errorf("delete bucket %q: %w", b.Name, err)
	}
	if own.Text(signal.AttrGlobalID) != b.GlobalID {
		return nil
	}
	beside := Query{Hash: signal.AttrPK, Partition: signal.BucketID(b.Name), Attrs: []string{signal.AttrPK, signal.AttrSK}}
	for item, err := range r.store.Query(ctx, beside) {
		if err != nil {
			return fmt.Errorf("list items of bucket %q: %w", b.Name, err)
		}
		key := item.Key()
		if key.SK == signal.RegistrySK {
			continue
		}
		if _, err := r.store.Write(ctx, protocol.Write{Op: protocol.OpUnregister, Kind: protocol.Delete, Key: key}); err != nil {
			return err
		}
	}
	_, err = r.store.Write(ctx, protocol.Unregister(b))
	if errors.Is(err, ErrRefused) {
		return nil
	}
	return err
}
