package lambda

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

// mostNamed is how many signals or products the function's answer names: it has 6
// MB at most.
const mostNamed = 1000

// Access is with what the runtime's work is done.
type Access struct {
	DynamoDB    *dynamodb.Client
	Region      string
	Credentials aws.CredentialsProvider
}

// NewOperator returns what does the operators' tasks by the same settings as the
// function, for a command that has clients of its own. What the settings say of
// region, credentials and endpoints is not looked at. newSource is as Function has
// it.
func NewOperator(getenv func(string) string, a Access, newSource NewSource, log *slog.Logger) (*operate.Operator, error) {
	r := settingsReader{getenv: getenv}
	s := r.platform(a.Region, newSource != nil)
	if err := r.err(); err != nil {
		return nil, err
	}
	o, err := newOperator(s, a, newSource, new(atomic.Int64), log)
	if err != nil {
		return nil, err
	}
	// A function's clock is kept right; that of a command's machine may be anything.
	o.Skew = func(ctx context.Context) (time.Duration, bool) { return o.Signals.Skew(ctx, time.Now) }
	return o, nil
}

func newOperator(s platformSettings, a Access, newSource NewSource, throttles *atomic.Int64, log *slog.Logger) (*operate.Operator, error) {
	store := dynamo.NewStore(a.DynamoDB, s.table)
	if newSource == nil {
		newSource = func(p Platform) (source.Source, error) { return s.source.open(p, throttles), nil }
	}
	from, err := newSource(Platform{
		DynamoDB:    a.DynamoDB,
		Inventory:   dynamo.NewStore(a.DynamoDB, s.inventory),
		Region:      a.Region,
		Credentials: a.Credentials,
		Log:         log,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSettings, err)
	}
	return &operate.Operator{
		Runner: check.Runner{
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
			Log:           log,
			Throttled:     throttles.Load,
		},
		Signals: store,
		Sync: stream.Sync{
			Keeper:   newKeeper(a.DynamoDB, s, log),
			Platform: dynamo.NewFinder(a.DynamoDB, s.inventory),
			Signals:  dynamo.NewFinder(a.DynamoDB, s.table),
		},
	}, nil
}
