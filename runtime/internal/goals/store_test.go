package goals_test

import (
	"context"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// distant is a store whose writes take their time on the way.
type distant struct{ check.Store }

func (d distant) Write(ctx context.Context, w protocol.Write) (signal.Item, error) {
	time.Sleep(2 * time.Millisecond)
	return d.Store.Write(ctx, w)
}

func (d distant) WriteOnce(ctx context.Context, w protocol.Write) (signal.Item, error) {
	time.Sleep(2 * time.Millisecond)
	return d.Store.WriteOnce(ctx, w)
}

// unheld is a store by which no run gets hold of its bucket: so it goes on without.
type unheld struct{ check.Store }

func (u unheld) Write(ctx context.Context, w protocol.Write) (signal.Item, error) {
	if w.Op == protocol.OpTakeRun {
		return nil, dynamo.ErrThrottled
	}
	return u.Store.Write(ctx, w)
}
