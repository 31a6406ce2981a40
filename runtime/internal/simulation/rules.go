package simulation

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Rules bend what processes do. The zero Rules bend nothing.
type Rules struct {
	// Write changes what a function writes.
	Write func(protocol.Write) protocol.Write
	// ReadBack changes what a function reads of a signal.
	ReadBack func(signal.Item) signal.Item
	// RepeatClaims sends claims as all other writes are sent.
	RepeatClaims bool
	// SameID gives all claims of a function one id.
	SameID bool
	// NoSettle takes a source that lags for one that does not.
	NoSettle bool
	// EarlyRead asks the source before anything is claimed.
	EarlyRead bool
	// Get, Update and Statement change the requests of all but functions.
	Get       func(*dynamodb.GetItemInput)
	Update    func(*dynamodb.UpdateItemInput)
	Statement func(*types.BatchStatementRequest)
	// Got changes what such a Get is answered.
	Got func(*dynamodb.GetItemOutput)
	// FlipFirst flips before the booking, and OnlyInside in its transaction alone.
	FlipFirst, OnlyInside bool
	// CleanSeeds seeds signals with a value, and clean.
	CleanSeeds bool
	// StaleSource reads the inventory eventually consistent.
	StaleSource bool
	// Deaf acknowledges a stream's records without a look at them.
	Deaf bool
	// Plan makes plans such that the bent rule matters.
	Plan func(*Plan)
}

// store is a function's store as the rules have it.
func (r Rules) store(s check.Store) check.Store {
	if r.Write == nil && r.ReadBack == nil && !r.RepeatClaims {
		return s
	}
	return &bentStore{s, r}
}

type bentStore struct {
	check.Store
	rules Rules
}

func (b *bentStore) bend(w protocol.Write) protocol.Write {
	if b.rules.Write == nil {
		return w
	}
	return b.rules.Write(w)
}

func (b *bentStore) Write(ctx context.Context, w protocol.Write) (signal.Item, error) {
	return b.Store.Write(ctx, b.bend(w))
}

func (b *bentStore) WriteOnce(ctx context.Context, w protocol.Write) (signal.Item, error) {
	if b.rules.RepeatClaims {
		return b.Store.Write(ctx, b.bend(w))
	}
	return b.Store.WriteOnce(ctx, b.bend(w))
}

func (b *bentStore) Get(ctx context.Context, key signal.Key, attrs ...string) (signal.Item, error) {
	item, err := b.Store.Get(ctx, key, attrs...)
	if err == nil && b.rules.ReadBack != nil {
		item = b.rules.ReadBack(item.Clone())
	}
	return item, err
}

// api is a client that the rules bend.
type api struct {
	*simulator.Client
	rules Rules
}

// GetItem is the SDK's.
func (a api) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if a.rules.Get != nil {
		bent := *in
		a.rules.Get(&bent)
		in = &bent
	}
	out, err := a.Client.GetItem(ctx, in, options...)
	if err == nil && a.rules.Got != nil {
		bent := *out
		a.rules.Got(&bent)
		out = &bent
	}
	return out, err
}

// UpdateItem is the SDK's.
func (a api) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, options ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if a.rules.Update != nil {
		bent := *in
		a.rules.Update(&bent)
		in = &bent
	}
	return a.Client.UpdateItem(ctx, in, options...)
}

// BatchExecuteStatement is the SDK's.
func (a api) BatchExecuteStatement(ctx context.Context, in *dynamodb.BatchExecuteStatementInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error) {
	if a.rules.Statement != nil {
		bent := *in
		bent.Statements = slices.Clone(in.Statements)
		for i := range bent.Statements {
			a.rules.Statement(&bent.Statements[i])
		}
		in = &bent
	}
	return a.Client.BatchExecuteStatement(ctx, in, options...)
}

// staleReads is a client whose queries are eventually consistent.
type staleReads struct{ *simulator.Client }

// Query is the SDK's.
func (s staleReads) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	bent := *in
	bent.ConsistentRead = nil
	return s.Client.Query(ctx, &bent, options...)
}

// settle is the delay after which a run may rely on a source.
func (p Plan) settle() time.Duration {
	if p.Lag == 0 {
		return 0
	}
	return p.Lag + 2*p.skew() + p.Visibility + time.Second
}

// skew is the most that a clock of the plan is wrong.
func (p Plan) skew() time.Duration {
	var most time.Duration
	for _, a := range p.Actors {
		most = max(most, a.Skew.Abs())
	}
	return most
}
