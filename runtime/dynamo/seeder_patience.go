package dynamo

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
)

const (
	// graceTime is what a write that is under way has left once its caller has
	// given up. One that is broken off could still be carried out after it has
	// been looked for and not been found.
	graceTime = 5 * time.Second
	// settleTime bounds each step of finding out what became of writes.
	settleTime = 20 * time.Second
)

// graceful ends a while after ctx.
func graceful(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, stop := context.WithCancel(context.WithoutCancel(ctx))
	late := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(graceTime, stop)
		context.AfterFunc(longer, func() { t.Stop() })
	})
	return longer, func() {
		late()
		stop()
	}
}

// detached outlives a caller that has given up, so that what was written does not
// stay unknown.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), settleTime)
}

// write sends a write and lets it end by itself.
func (s *Seeder) write(ctx context.Context, w protocol.Write) error {
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("%s %q in table %q: not sent: %w", w.Op, w.Key, s.store.table, err)
	}
	ctx, stop := graceful(ctx)
	defer stop()
	_, err := s.store.Write(ctx, w)
	return err
}

// jitter is a random duration between half of d and d.
func (s *Seeder) jitter(d time.Duration) time.Duration {
	var b [8]byte
	if _, err := io.ReadFull(s.random, b[:]); err != nil {
		return d
	}
	half := uint64(d / 2)
	return time.Duration(half + binary.BigEndian.Uint64(b[:])%(half+1))
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
