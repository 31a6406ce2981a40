package lambda

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/aws/aws-lambda-go/lambda/messages"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

// handler is the function: an event in, a run's report out, or which records of a
// stream are to be delivered again.
type handler struct {
	runner check.Runner
	keeper *stream.Keeper
	log    *slog.Logger
	// inventory is how keys of inventory are read in a stream.
	inventory source.Keys
	// unusable is why there can be no run at all, or nil.
	unusable error
}

func newHandler(s settings, newSource NewSource, log *slog.Logger) (*handler, error) {
	var throttles atomic.Int64
	client := newClient(s, &throttles)
	store := dynamo.NewStore(client, s.table)
	if newSource == nil {
		newSource = func(p Platform) (source.Source, error) { return s.source.open(p, &throttles), nil }
	}
	from, err := newSource(Platform{
		DynamoDB:    client,
		Inventory:   dynamo.NewStore(client, s.inventory),
		Region:      s.region,
		Credentials: s.provider(),
		Log:         log,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSettings, err)
	}
	return &handler{log: log, inventory: s.source.inventory(), keeper: newKeeper(client, s, log), runner: check.Runner{
		Store:         store,
		Registry:      dynamo.NewRegistry(store),
		Source:        from,
		Settle:        s.settle,
		SourceTimeout: s.source.answersWithin(),
		Table:         store.Table(),
		Index:         s.index,
		Now:           time.Now,
		NewID:         rand.Text,
		Random:        mathrand.Float64,
		Throttled:     throttles.Load,
	}}, nil
}

// Invoke runs the bucket that the event names, or handles its stream records.
func (h *handler) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	log := h.log
	if c, ok := lambdacontext.FromContext(ctx); ok {
		log = log.With("requestId", c.AwsRequestID)
	}
	if h.unusable != nil {
		return nil, failure(h.unusable)
	}
	if stream.IsEvent(event) {
		return h.consume(ctx, log, event)
	}
	bucket, err := parseEvent(event)
	if err != nil {
		log.ErrorContext(ctx, "event unusable", "error", err.Error())
		return nil, failure(err)
	}
	runner := h.runner
	runner.Log = log
	report, err := runner.Run(ctx, bucket)
	if err != nil {
		return nil, failure(err)
	}
	return json.Marshal(report)
}

// failure is an error as Lambda reports it, of a type that a caller, a queue or
// an alarm can tell apart, and with the setting that may be wrong.
func failure(err error) error {
	kind, hint := "RunFailed", ""
	switch {
	case errors.Is(err, errEvent), errors.Is(err, stream.ErrEvent):
		kind = "BadEvent"
	case errors.Is(err, errSettings):
		kind = "BadSettings"
	case errors.Is(err, dynamo.ErrNotRegistered):
		kind, hint = "BucketNotRegistered", envTable
	case errors.Is(err, dynamo.ErrTableNotFound):
		kind, hint = "TableNotFound", envTable+" and "+envRegion
	case errors.Is(err, dynamo.ErrIndexNotFound):
		kind, hint = "IndexNotFound", envIndex
	case errors.Is(err, dynamo.ErrAccessDenied):
		kind = "AccessDenied"
	case errors.Is(err, signal.ErrFormat):
		kind = "NewerFormat"
	}
	message := err.Error()
	if hint != "" {
		message = fmt.Sprintf("%s (set by %s)", message, hint)
	}
	return messages.InvokeResponse_Error{Message: message, Type: kind}
}
