package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/rival"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/served"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
)

// longPlan compares a plan of a long range with that of one signal: on the engine,
// beside the bare query of what such a plan reads; and on the simulator, which takes
// less time for a page.
func (s *Suite) longPlan(ctx context.Context, r *record.Row) error {
	days := s.sized(10_000, 60)
	onEngine, err := s.plansOnEngine(ctx, days)
	if err != nil {
		return err
	}
	onSimulator, err := s.plansOnSimulator(ctx, days)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("plan without changes of %s dates by that of one signal", record.Number(float64(days)))
	one, bare := record.Median(onEngine.Theirs), record.Median(onEngine.bare)
	r.Lines = append(r.Lines,
		onEngine.Line(what, "s", record.AtMost(2)),
		record.Line{
			What: "beside it: the plan of one signal, and a bare query of the dates, one page after the other, by the plan of one signal", Value: (one + bare) / one, Unit: "x",
			Detail: fmt.Sprintf("a query by hand of %d pages takes %s", onEngine.pages, record.Quantity(bare, "s")),
		},
		onSimulator.Line(what+", on the simulator behind HTTP", "s", record.AtMost(2)),
		record.Line{
			What: "the same query by hand, on the simulator behind HTTP", Value: record.Median(onSimulator.bare), Unit: "s",
			Detail: fmt.Sprintf("%d pages", onSimulator.pages),
		})
	r.Notes = append(r.Notes, fmt.Sprintf("A plan reads every date of its range, strongly consistent, which DynamoDB answers in pages of 1 MB. The query by hand asks for one page after the other, a plan for those of up to four parts of a long range at once: it is no bound of the ratio, but says what reading takes. On %s a page takes %s so. "+
		"On the simulator, a page takes %s, and what is left is Terraform's and the provider's own.",
		s.EngineName, record.Quantity(1000*bare/float64(onEngine.pages), "ms"), record.Quantity(1000*record.Median(onSimulator.bare)/float64(onSimulator.pages), "ms")))
	return nil
}

// plans are those of a long range (ours) and of one signal (theirs), and bare
// queries of what the first read, in so many pages.
type plans struct {
	record.Pair
	bare  []float64
	pages int
}

func (s *Suite) plansOnEngine(ctx context.Context, days int) (plans, error) {
	long, done, err := s.place(ctx)
	if err != nil {
		return plans{}, err
	}
	defer done()
	one, done, err := s.place(ctx)
	if err != nil {
		return plans{}, err
	}
	defer done()
	return s.plans(ctx, s.Engine, long, one, days)
}

func (s *Suite) plansOnSimulator(ctx context.Context, days int) (plans, error) {
	const one = "one"
	long, err := simulated(ctx, 0)
	if err != nil {
		return plans{}, err
	}
	long.db.CreateTable(simulator.SignalTable(one, types.ProjectionTypeInclude))
	if _, err := newSeason(ctx, long.db, long.api, one, 0); err != nil {
		return plans{}, err
	}
	endpoint, end, err := serve(served.Handler(long.db.Client("terraform")))
	if err != nil {
		return plans{}, err
	}
	defer end()
	api := dynamodb.NewFromConfig(aws.Config{Region: s.Engine.Options().Region, Credentials: s.Engine.Options().Credentials, BaseEndpoint: &endpoint})
	return s.plans(ctx, api, long.table, one, days, "AWS_ENDPOINT_URL="+endpoint)
}

// plans applies a range and a signal, each in a table of its own, and plans them by
// turns.
func (s *Suite) plans(ctx context.Context, api rival.API, longTable, oneTable string, days int, env ...string) (found plans, err error) {
	long, err := s.workspace(ctx, oneRange(longTable, days), env...)
	if err != nil {
		return found, err
	}
	one, err := s.workspace(ctx, signals(oneTable, 1), env...)
	if err != nil {
		return found, err
	}
	for _, w := range []*workspace{long, one} {
		if _, err := w.apply(ctx); err != nil {
			return found, err
		}
	}
	found.Pair, err = record.Alternate(s.Rounds, seconds(ctx, long.plan), seconds(ctx, one.plan))
	if err != nil {
		return found, err
	}
	is := rangeOf(1, days)
	for range s.Rounds {
		began := time.Now()
		items, pages, err := rival.Read(ctx, api, longTable, is.PK(), is.First.String(), is.Last.String())
		if err == nil && items != days {
			err = fmt.Errorf("a query by hand finds %d of %d dates", items, days)
		}
		if err != nil {
			return found, err
		}
		found.bare, found.pages = append(found.bare, time.Since(began).Seconds()), pages
	}
	return found, nil
}

// seconds is how long a run of terraform takes.
func seconds(ctx context.Context, run func(context.Context) (spent, error)) func() (float64, error) {
	return func() (float64, error) {
		took, err := run(ctx)
		return took.seconds, err
	}
}
