package lambda

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

// The environment variables of what handles streams.
const (
	envDefaultPattern = "AVAILABILITY_DEFAULT_PATTERN"
	envDefaultBucket  = "AVAILABILITY_DEFAULT_BUCKET"
)

func newKeeper(client *dynamodb.Client, s platformSettings, log *slog.Logger) *stream.Keeper {
	return &stream.Keeper{
		Signals:  dynamo.NewSteward(client, s.table, stream.Owner, time.Now, rand.Reader),
		Platform: dynamo.NewStore(client, s.inventory),
		Flips:    flip.New(client, s.table, flip.WithLogger(log)),
		Defaults: s.defaults,
		Now:      time.Now,
	}
}

// consume handles a batch of stream records, and answers which of them are to be
// delivered again.
func (h *handler) consume(ctx context.Context, log *slog.Logger, event []byte) ([]byte, error) {
	records, err := stream.ParseEventOf(event, h.inventory.HashAttr, h.inventory.RangeAttr)
	if err != nil {
		log.ErrorContext(ctx, "event unusable", "error", err.Error())
		return nil, failure(err)
	}
	consumer := stream.Consumer{Keeper: h.operator.Sync.Keeper, Log: log, Inventory: h.inventory.Partition}
	report, err := consumer.Consume(ctx, records)
	if err != nil {
		return nil, failure(err)
	}
	return report.Answer()
}

// defaults are the terms of signals for whose dates and products the platform has
// none.
func (r *settingsReader) defaults() stream.Defaults {
	d := stream.Defaults{Bucket: r.getenv(envDefaultBucket)}
	if d.Bucket != "" {
		if err := signal.ValidateBucketName(d.Bucket); err != nil {
			r.fault(envDefaultBucket, "cannot be used: %w", err)
		}
	}
	text := r.getenv(envDefaultPattern)
	if text == "" {
		return d
	}
	pattern, bucket, err := stream.ParseDefaultPattern(text)
	if err != nil {
		r.fault(envDefaultPattern, `cannot be used: expected JSON such as {"estimationMode": "tiered", "cadence": {"minutes": 5}}; %w`, err)
		return d
	}
	d.Pattern = &pattern
	if d.Bucket == "" {
		d.Bucket = bucket
	}
	return d
}
