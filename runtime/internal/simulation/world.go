package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	table   = "platform"
	regular = "5min"
	seldom  = "1h"
)

// The names of clients.
const (
	setupName     = "setup"
	functionName  = "function"
	consumerName  = "consumer"
	terraformName = "terraform"
)

// named is what a process of a role is called: the name of its number. Its clients
// have their numbers from it alone.
func named(role string, number int) string { return fmt.Sprintf("%s %d", role, number) }

// roleOf is the role that a client's name tells.
func roleOf(client string) string {
	role, _, _ := strings.Cut(client, " ")
	return role
}

// Verdict is what came of a run.
type Verdict struct {
	// Broken is what was found wrong, in the order it was; nil is nothing.
	Broken []Breach
	// Hash is of all calls and changes, in order.
	Hash uint64
	// Calls is how many there were.
	Calls int
	// Story tells what happened, if it was asked for.
	Story []string
}

// Breach is an invariant that was broken, and how.
type Breach struct{ Invariant, Words string }

func (b Breach) String() string { return b.Invariant + ": " + b.Words }

// Option is how a plan is run.
type Option func(*world)

// Under bends the rules.
func Under(r Rules) Option { return func(w *world) { w.rules = r } }

// Told has the story told.
func Told() Option { return func(w *world) { w.story.telling = true } }

// Sharing has parsed expressions shared with other runs.
func Sharing(e *simulator.Expressions) Option { return func(w *world) { w.expressions = e } }

// world is a run of a plan.
type world struct {
	*simulator.World
	plan        Plan
	rules       Rules
	expressions *simulator.Expressions
	story       *story
	judge       *judge
	records     *records
	// calm is set when all has been done, and nothing goes wrong any more.
	calm atomic.Bool
	// creating is whether Terraform must not crash: nobody would know what it made.
	creating atomic.Bool
}

// Run carries out a plan and judges it.
func Run(t *testing.T, p Plan, options ...Option) Verdict {
	t.Helper()
	w := &world{plan: p, story: &story{}}
	for _, o := range options {
		o(w)
	}
	if w.rules.Plan != nil {
		w.rules.Plan(&w.plan)
	}
	w.judge = newJudge(w.plan, w.story)
	w.records = newRecords(w.plan)
	config := simulator.Config{
		Seed: p.Seed, Faults: w.fault, OnChange: w.changed, OnCall: w.story.call, Expressions: w.expressions,
	}
	upTo := func(most time.Duration) simulator.Delay {
		if most == 0 {
			return nil
		}
		return simulator.Between(0, most)
	}
	config.IndexLag, config.ReadLag, config.VisibilityDelay = upTo(w.plan.IndexLag), upTo(w.plan.ReadLag), upTo(w.plan.Visibility)
	if w.plan.TTL {
		config.TTLDelay = simulator.Between(0, 2*time.Hour)
	}
	simulator.Run(t, simulator.WorldConfig{Config: config, Start: w.plan.start(), MostCalls: 50_000}, func(sim *simulator.World) {
		w.World = sim
		w.live()
	})
	return Verdict{Broken: w.judge.broken, Hash: w.story.hash, Calls: w.World.Calls(), Story: w.story.lines}
}

func (w *world) changed(c simulator.Change) {
	w.story.change(c)
	w.judge.changed(c)
	w.records.changed(c)
}

// live is all that happens.
func (w *world) live() {
	w.DB().CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
	tf := w.setUp()
	var consumers sync.WaitGroup
	for i, shard := range w.records.shards() {
		consumers.Go(func() { w.consume(shard, i) })
	}
	var all, schedules sync.WaitGroup
	for _, a := range w.plan.Actors {
		group := &all
		if a.Role == Schedule {
			group = &schedules
		}
		group.Go(func() { w.act(a, tf) })
	}
	schedules.Wait()
	w.judge.unscheduled()
	all.Wait()
	w.calm.Store(true)
	w.records.end()
	consumers.Wait()
	w.conclude(tf)
}

func (w *world) act(a Actor, tf *terraform) {
	switch a.Role {
	case Application:
		w.application(a)
	case Schedule:
		w.schedule(a)
	case Terraform:
		w.terraform(a, tf)
	case Reader:
		w.reader(a)
	case Console, Platform:
		w.byHand(a)
	}
}

// await waits until a step is due.
func (w *world) await(s Step) {
	time.Sleep(s.Wait)
	if !s.Ambush {
		return
	}
	soon := time.NewTimer(cadence + 10*time.Second)
	defer soon.Stop()
	select {
	case <-w.judge.nextClaim(s.Day):
	case <-soon.C:
	}
}

// fault is what the weather does to a request.
func (w *world) fault(r *rand.Rand, c *simulator.Call) (f simulator.Fault) {
	if w.calm.Load() || roleOf(c.Client) == setupName {
		return f
	}
	happens := func(rate float64) bool { return rate > 0 && r.Float64() < rate }
	later := func() time.Duration { return 1 + time.Duration(r.Int64N(int64(time.Minute))) }
	switch {
	case w.plan.Unheld && takesRun(c):
		f.Reject = simulator.NeverSent
	case happens(w.plan.Lost):
		f.LoseAnswer = true
	case happens(w.plan.Late) && mayBeLate(c):
		f.Late = later()
		// Nothing sends a claim a second time.
		if r.IntN(2) == 0 && (!isClaim(c) || w.rules.RepeatClaims) {
			f.Late, f.Again = 0, f.Late
		}
	case happens(w.plan.Refused):
		f.Reject = []simulator.Rejection{simulator.Throttling, simulator.ServerError, simulator.NeverSent, simulator.Conflicting}[r.IntN(4)]
	}
	if happens(w.plan.Refused) {
		f.Leave = r.Float64()
	}
	if happens(w.plan.Slow) {
		f.Delay = 1 + time.Duration(r.Int64N(int64(5*time.Second)))
	}
	if happens(w.plan.Slow) {
		f.AnswerDelay = 1 + time.Duration(r.Int64N(int64(5*time.Second)))
	}
	f.HoldAnswer, f.Torn = happens(w.plan.Held), happens(w.plan.Held)
	if roleOf(c.Client) != terraformName || !w.creating.Load() {
		f.CrashBefore, f.CrashAfter = happens(w.plan.Crash), happens(w.plan.Crash)
	}
	return f
}

// mayBeLate is whether a request may be executed when nobody waits for it any
// more. A signal that is put late would come back after it was deleted, and nobody
// could prevent it.
func mayBeLate(c *simulator.Call) bool {
	return c.Operation == "UpdateItem" || c.Operation == "DeleteItem" || c.Operation == "TransactWriteItems"
}

func isClaim(c *simulator.Call) bool { return returnsNew(c, signal.AttrClaimedRev) }

func takesRun(c *simulator.Call) bool { return returnsNew(c, protocol.AttrRunBy) }

// returnsNew is whether a request is an update of an attribute that asks for the
// whole item.
func returnsNew(c *simulator.Call, attr string) bool {
	in, ok := c.Input.(*dynamodb.UpdateItemInput)
	if !ok || in.ReturnValues != types.ReturnValueAllNew {
		return false
	}
	_, names := in.ExpressionAttributeNames["#"+attr]
	return names
}

// start is when a plan begins: twenty minutes before a midnight.
func (p Plan) start() time.Time { return time.Date(2026, time.June, 30, 23, 40, 0, 0, time.UTC) }

func (p Plan) product() signal.Product {
	return signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}
}

func (p Plan) day(i int) signal.ProductDate {
	first := signal.Date{Year: 2026, Month: time.August, Day: 1}
	if p.Midnight {
		first = signal.DateOf(p.start())
	}
	return signal.ProductDate{Product: p.product(), Date: first.AddDays(i)}
}

// until tries until it works or cannot any more.
func until(ctx context.Context, do func() error) error {
	for {
		err := do()
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(time.Second)
	}
}
