package stream

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Counts are a batch's numbers.
type Counts struct {
	// Records is how many the batch had. Of them:
	Records int `json:"records"`
	// Ignored have nothing to do with signals, our own writes among them.
	Ignored int `json:"ignored"`
	// Expired were deletions by TTL, which are no changes.
	Expired int `json:"expired"`
	// Poison could not be read, and are not tried again.
	Poison int `json:"poison"`
	// Retried could not be handled, and will be delivered again.
	Retried int `json:"retried"`
	// Abandoned could not be handled and never will: not tried again.
	Abandoned int `json:"abandoned"`

	// Signals is for how many distinct signals there were records of inventory.
	Signals int `json:"signals"`
	// Flipped were flipped, other seeders' whose dates have changed included.
	Flipped int `json:"flipped"`
	// Seeded, Updated, Adopted and Deleted are signals that were kept.
	Seeded  int `json:"seeded"`
	Updated int `json:"updated"`
	Adopted int `json:"adopted"`
	Deleted int `json:"deleted"`
	// Unchanged were as they should be.
	Unchanged int `json:"unchanged"`
	// Left are dates whose signal cannot be as it should: see Problems.
	Left int `json:"left"`
	// Zoneless are products without a time zone: their dates end at midnight UTC.
	Zoneless int `json:"zoneless"`
	// DurationMS is how long the batch took, in ms.
	DurationMS int64 `json:"durationMs"`
}

// Report is what was done about a batch.
type Report struct {
	Counts
	// Problems are what somebody has to look at, the first of each kind.
	Problems []Problem `json:"problems,omitempty"`
	// Failures are the sequence numbers of the records to be delivered again.
	Failures []string `json:"-"`
}

// Problem is something that repeating does not cure.
type Problem struct {
	// Key names what it is about: a key of the table, a product or a signal.
	Key string `json:"key"`
	// Dates are which dates of a product, as intervals.
	Dates  string `json:"dates,omitempty"`
	Reason string `json:"reason"`
}

// mostNamed is how many problems a report names, and how many intervals a problem.
const mostNamed = 20

func (r *Report) problem(p Problem) {
	if len(r.Problems) < mostNamed {
		r.Problems = append(r.Problems, p)
	}
}

// add counts what came of keeping a scope.
func (r *Report) add(sc scope, k kept) {
	r.Unchanged += k.unchanged
	if k.zoneless {
		r.Zoneless++
		r.problem(Problem{Key: sc.product.String(), Reason: "the product has no " + signal.AttrTimezone + ": its dates are taken to end at midnight UTC"})
	}
	left := map[string][]signal.Date{}
	var reasons []string
	for _, st := range k.steps {
		switch {
		case st.Err != nil:
		case st.Action == Leave:
			r.Left++
			if left[st.Reason] == nil {
				reasons = append(reasons, st.Reason)
			}
			left[st.Reason] = append(left[st.Reason], st.Date)
		default:
			r.count(st.Action)
		}
	}
	for _, reason := range reasons {
		r.problem(Problem{Key: sc.product.String(), Dates: intervals(left[reason]), Reason: reason})
	}
}

func (r *Report) count(a Action) {
	switch a {
	case Seed:
		r.Seeded++
	case Update:
		r.Updated++
	case Adopt, TakeOver:
		r.Adopted++
	case Delete:
		r.Deleted++
	case Flip:
		r.Flipped++
	}
}

// intervals renders dates, which are in order, as few intervals.
func intervals(dates []signal.Date) string {
	spans := dynamo.Spans(slices.Compact(dates))
	var b strings.Builder
	for i, s := range spans {
		if i == mostNamed {
			b.WriteString(" and more")
			break
		}
		if i > 0 {
			b.WriteString(" ")
		}
		if s.First == s.Last {
			b.WriteString(s.First.String())
			continue
		}
		b.WriteString(s.String())
	}
	return b.String()
}

// attrs are the report as one line of a log.
func (r *Report) attrs() []slog.Attr {
	return []slog.Attr{
		slog.Int("records", r.Records), slog.Int("ignored", r.Ignored), slog.Int("expired", r.Expired), slog.Int("poison", r.Poison),
		slog.Int("retried", r.Retried), slog.Int("abandoned", r.Abandoned), slog.Int("signals", r.Signals), slog.Int("flipped", r.Flipped),
		slog.Int("seeded", r.Seeded), slog.Int("updated", r.Updated), slog.Int("adopted", r.Adopted), slog.Int("deleted", r.Deleted),
		slog.Int("unchanged", r.Unchanged), slog.Int("left", r.Left), slog.Int("zoneless", r.Zoneless), slog.Int64("durationMs", r.DurationMS),
	}
}
