package demo_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	mathrand "math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/beside"
	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// platform is a database, and ticks that are goroutines in a bubble of testing/synctest
// instead of processes, so that nobody waits for a lease to end.
type platform struct {
	db *simulator.DB
	// network is what is on its way to the database, whoever has sent it.
	network *simulator.Client
	deleted bool
}

func newPlatform() *platform {
	db := simulator.New(simulator.Config{Clock: bubble{}})
	return &platform{db: db, network: db.Client("network")}
}

func (p *platform) createTable(_ context.Context, name string) error {
	p.db.CreateTable(simulator.SignalTable(name, types.ProjectionTypeInclude))
	return nil
}

func (p *platform) deleteTable(context.Context, string) error {
	p.deleted = true
	return nil
}

// bubble is the clock of the bubble it is used in.
type bubble struct{}

func (bubble) Now() time.Time { return time.Now() }

func (bubble) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *platform) literal() beside.Begin {
	return p.begin(func(ctx context.Context, db dynamo.StoreAPI, bucket string) error {
		return beside.LiteralLoop(ctx, db, beside.TableName, bucket)
	})
}

// runtime runs a bucket as the function does.
func (p *platform) runtime() beside.Begin {
	return p.begin(func(ctx context.Context, db dynamo.StoreAPI, bucket string) error {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
		defer cancel()
		store := dynamo.NewStore(db, beside.TableName)
		runner := check.Runner{
			Store: store, Registry: dynamo.NewRegistry(store), Source: source.NewPool(store), Index: beside.CadenceIndex,
			Now: time.Now, NewID: rand.Text, Random: mathrand.Float64, Log: slog.New(slog.DiscardHandler),
		}
		_, err := runner.Run(ctx, bucket)
		return err
	})
}

// thorough is a literal loop that trusts no bit.
func (p *platform) thorough() beside.Begin { return p.trustless(signal.Clean) }

// untidy is one that trusts no bit and leaves all of them dirty.
func (p *platform) untidy() beside.Begin { return p.trustless(signal.Dirty) }

func (p *platform) trustless(bit string) beside.Begin {
	return p.begin(func(ctx context.Context, db dynamo.StoreAPI, bucket string) error {
		if err := beside.LiteralLoop(ctx, db, beside.TableName, bucket); err != nil {
			return err
		}
		store := dynamo.NewStore(db, beside.TableName)
		for entry, err := range store.Query(ctx, dynamo.Query{Index: beside.CadenceIndex, Hash: signal.AttrGSIPK, Partition: signal.BucketID(bucket)}) {
			if err != nil {
				return err
			}
			date, err := signal.ParseKey(entry.Key())
			if err != nil {
				return err
			}
			estimate, err := source.NewPool(store).Estimate(ctx, date)
			if err != nil {
				return err
			}
			value, _ := signal.Pattern{Mode: signal.Exact}.Cache(estimate)
			_, err = store.Write(ctx, protocol.Write{Op: "compute", Key: entry.Key(), Set: []protocol.Assignment{
				{Attr: signal.AttrValue, Value: signal.S(value)}, {Attr: signal.AttrGSISK, Value: signal.S(bit)},
			}})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

var errKilled = errors.New("signal: killed")

// begin begins a tick as a process of its own.
func (p *platform) begin(run func(ctx context.Context, db dynamo.StoreAPI, bucket string) error) beside.Begin {
	return func(ctx context.Context, bucket string, g *beside.Gate) (*beside.Tick, error) {
		ctx, kill := context.WithCancelCause(ctx)
		client := p.db.Client("process")
		it := process{StoreAPI: client, platform: p, gate: g, dead: ctx.Done()}
		ended := func() error {
			defer kill(nil)
			err := run(ctx, it, bucket)
			if errors.Is(context.Cause(ctx), errKilled) {
				return errKilled
			}
			return err
		}
		return beside.NewTick(ended, func() error {
			kill(errKilled)
			client.Crash()
			return nil
		}), nil
	}
}

// process is a process's way to the database: what it has sent goes on when it is
// dead, and it sends no more.
type process struct {
	dynamo.StoreAPI
	*platform
	gate *beside.Gate
	dead <-chan struct{}
}

// UpdateItem sends an update, through the gate if there is one.
func (p process) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, options ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	select {
	case <-p.dead:
		return nil, errKilled
	default:
	}
	type answer struct {
		out *dynamodb.UpdateItemOutput
		err error
	}
	answered := make(chan answer, 1)
	send := func() {
		out, err := p.network.UpdateItem(context.WithoutCancel(ctx), in, options...)
		answered <- answer{out, err}
	}
	if p.gate == nil || !cleans(in) {
		send()
	} else {
		go p.gate.Pass(send)
	}
	select {
	case a := <-answered:
		return a.out, a.err
	case <-p.dead:
		return nil, errKilled
	}
}

func cleans(in *dynamodb.UpdateItemInput) bool {
	for _, v := range in.ExpressionAttributeValues {
		if text, ok := v.(*types.AttributeValueMemberS); ok && text.Value == signal.Clean {
			return true
		}
	}
	return false
}
