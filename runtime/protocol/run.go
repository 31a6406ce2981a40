package protocol

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Attribute names of a bucket's run item.
const (
	AttrStartedAt         = "startedAt"
	AttrPreviousStartedAt = "previousStartedAt"
	AttrLastRunAt         = "lastRunAt"
	AttrReport            = "report"
)

// BeginRun records that a run of a bucket has started, unless a later one
// already has. The start before it is kept too: for a bucket that runs by cron,
// the time between the two is its cadence.
func BeginRun(bucket string, started time.Time) Write {
	at := signal.S(signal.FormatInstant(started))
	return Write{
		Op:  OpBeginRun,
		Key: signal.RunKey(bucket),
		If:  []Cond{anyOf(absent(AttrStartedAt), below(AttrStartedAt, at))},
		Set: []Assignment{
			set(AttrStartedAt, at),
			{Attr: AttrPreviousStartedAt, From: AttrStartedAt, Value: at},
		},
	}
}

// EndRun records a run's report, unless a later run has started meanwhile.
func EndRun(bucket string, started, ended time.Time, report signal.Value) Write {
	return Write{
		Op:  OpEndRun,
		Key: signal.RunKey(bucket),
		If:  []Cond{equal(AttrStartedAt, signal.S(signal.FormatInstant(started)))},
		Set: []Assignment{
			set(AttrLastRunAt, signal.S(signal.FormatInstant(ended))),
			set(AttrReport, report),
		},
	}
}
