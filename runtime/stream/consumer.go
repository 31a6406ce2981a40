package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

const (
	// jobsAtOnce is how many signals, dates and products are seen to at once.
	jobsAtOnce = 16
	// margin is kept of a deadline for saying what was not done; of a short one, a
	// quarter.
	margin = 5 * time.Second
)

// Consumer handles batches of stream records. Keeper and Log must be set.
type Consumer struct {
	Keeper *Keeper
	Log    *slog.Logger
	// Inventory reads partition keys of inventory that are not as the contract has
	// them. The zero value reads none.
	Inventory source.Template
}

// Consume handles a batch: one flip per distinct signal, one keeping per distinct
// date and product. A record that cannot be handled does not keep the others from
// it: the report has the sequence numbers of those that are worth another
// delivery, and names those that are not.
//
// It ends in time before ctx's deadline. The error, after which all should be
// delivered again, is dynamo.ErrAccessDenied or ErrTableNotFound if nothing can
// be done at all, or that a record to be delivered again has no sequence number.
func (c *Consumer) Consume(ctx context.Context, records []Record) (Report, error) {
	began := c.Keeper.Now()
	ctx, stop := InTime(ctx, began)
	defer stop()
	r := Report{Counts: Counts{Records: len(records)}}
	jobs := c.jobsOf(records, &r)
	session := c.Keeper.session(mode{flipOthers: true})

	var (
		mu    sync.Mutex
		fatal error
		again = map[int]bool{}
		lost  = map[int]bool{}
		// failing is how many jobs that failed have been named.
		failing int
	)
	inParallel(len(jobs), jobsAtOnce, func(i int) {
		j := jobs[i]
		k, errs := c.do(ctx, session, j)
		mu.Lock()
		defer mu.Unlock()
		if j.key == (signal.Key{}) {
			r.add(j.scope, k)
		} else if len(errs) == 0 {
			r.Flipped++
		}
		for _, err := range errs {
			into := again
			if hopeless(err) {
				into = lost
				r.problem(Problem{Key: j.String(), Reason: err.Error()})
			}
			for _, n := range j.records {
				into[n] = true
			}
			if fatal == nil && (errors.Is(err, dynamo.ErrAccessDenied) || errors.Is(err, dynamo.ErrTableNotFound)) {
				fatal = err
			}
		}
		if len(errs) > 0 && failing < mostNamed {
			failing++
			c.Log.LogAttrs(ctx, slog.LevelError, "stream record not handled",
				slog.String("key", j.String()), slog.Int("records", len(j.records)), slog.Int("errors", len(errs)), slog.Any("error", errs[0]))
		}
	})
	for n := range records {
		switch {
		case again[n] && records[n].Sequence == "":
			fatal = errors.Join(fatal, fmt.Errorf("record %d, which has no sequence number, was not handled", n))
			r.Retried++
		case again[n]:
			r.Failures = append(r.Failures, records[n].Sequence)
			r.Retried++
		case lost[n]:
			r.Abandoned++
		}
	}
	slices.SortFunc(r.Problems, func(a, b Problem) int { return strings.Compare(a.Key+a.Dates, b.Key+b.Dates) })
	r.DurationMS = c.Keeper.Now().Sub(began).Milliseconds()
	c.log(ctx, r)
	return r, fatal
}

// InTime ends before ctx does, so that there is time for an answer.
func InTime(ctx context.Context, now time.Time) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(margin, deadline.Sub(now)/4)))
}

func (c *Consumer) do(ctx context.Context, s *session, j job) (k kept, errs []error) {
	if err := context.Cause(ctx); err != nil {
		return k, []error{fmt.Errorf("not begun: %w", err)}
	}
	if j.key != (signal.Key{}) {
		if err := c.Keeper.Flips.Flip(ctx, j.key); err != nil {
			errs = append(errs, err)
		}
		return k, errs
	}
	k, err := s.keep(ctx, j.scope)
	if err != nil {
		errs = append(errs, err)
	}
	for _, st := range k.steps {
		if st.Err != nil {
			errs = append(errs, st.Err)
		}
	}
	return k, errs
}

// hopeless is whether another delivery would end the same way.
func hopeless(err error) bool { return errors.Is(err, dynamo.ErrRejected) }

func (c *Consumer) log(ctx context.Context, r Report) {
	c.Log.LogAttrs(ctx, slog.LevelInfo, "stream batch", r.attrs()...)
	for _, p := range r.Problems {
		c.Log.LogAttrs(ctx, slog.LevelWarn, "stream problem", slog.String("key", p.Key), slog.String("dates", p.Dates), slog.String("reason", p.Reason))
	}
}
