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
	AttrRunBy             = "runBy"
	AttrRunUntil          = "runUntil"
)

// RunLease is for how long a bucket's run item is taken at a time. It is for pace
// alone, so that one run at a time drains a bucket: two at once do no harm.
const RunLease = 60 * time.Second

// runSkew is by how much the clocks of two runs may differ.
const runSkew = time.Hour

// TakeRun takes a bucket's run item for a run, unless another run has it or a
// later one has started. by is the run's own id. The start before is kept too: for
// a bucket that runs by cron, the time between the two is its cadence.
func TakeRun(bucket, by string, started time.Time) Write {
	at := signal.S(signal.FormatInstant(started))
	w := TakeRunUnnoted(bucket, by, started)
	w.If = append(w.If, anyOf(absent(AttrStartedAt), below(AttrStartedAt, at)))
	w.Set = append(w.Set,
		set(AttrStartedAt, at),
		Assignment{Attr: AttrPreviousStartedAt, From: AttrStartedAt, Value: at})
	return w
}

// TakeRunUnnoted takes it for a run that will not be noted: by its clock, which
// may be behind, a later run has started already.
func TakeRunUnnoted(bucket, by string, now time.Time) Write {
	return Write{
		Op:  OpTakeRun,
		Key: signal.RunKey(bucket),
		If:  []Cond{anyOf(absent(AttrRunUntil), atMost(AttrRunUntil, signal.N(now.UnixMilli())))},
		Set: []Assignment{
			set(AttrRunBy, signal.S(by)),
			set(AttrRunUntil, signal.N(now.Add(RunLease).UnixMilli())),
		},
	}
}

// RetakeRun takes a run item that is Astray, as it was read: nobody else gets it
// otherwise, nor is any run noted in it.
func RetakeRun(bucket, by string, started time.Time, item signal.Item) Write {
	at := signal.S(signal.FormatInstant(started))
	w := TakeRunUnnoted(bucket, by, started)
	w.If = []Cond{equalOrAbsent(AttrStartedAt, item[AttrStartedAt]), equalOrAbsent(AttrRunUntil, item[AttrRunUntil])}
	// Between that start and this one is no cadence.
	w.Set = append(w.Set, set(AttrStartedAt, at), set(AttrPreviousStartedAt, at))
	return w
}

// Astray is whether a run item has a start or a hold that is no run's: of another
// type, or further ahead than clocks differ, as a clock that was wrong once leaves
// it. what is the attribute.
func Astray(item signal.Item, now time.Time) (what string, ok bool) {
	latest := now.Add(runSkew)
	if item[AttrStartedAt].Exists() {
		if at, err := signal.ParseInstant(item.Text(AttrStartedAt)); err != nil || at.After(latest) {
			return AttrStartedAt, true
		}
	}
	if ms, whole := item[AttrRunUntil].Int(); item[AttrRunUntil].Exists() && (!whole || ms > latest.UnixMilli()) {
		return AttrRunUntil, true
	}
	return "", false
}

// RunHeld is until when another run has a bucket's run item; ok is false if none
// has.
func RunHeld(item signal.Item, now time.Time) (until time.Time, ok bool) {
	ms := item.Int(AttrRunUntil)
	return time.UnixMilli(ms).UTC(), ms > now.UnixMilli() && ms <= now.Add(runSkew).UnixMilli()
}

// RenewRun prolongs a run's hold of its run item. Refused means that it has lost
// it.
func RenewRun(bucket, by string, now time.Time) Write {
	return Write{
		Op:  OpRenewRun,
		Key: signal.RunKey(bucket),
		If:  []Cond{equal(AttrRunBy, signal.S(by))},
		Set: []Assignment{set(AttrRunUntil, signal.N(now.Add(RunLease).UnixMilli()))},
	}
}

// EndRun records a run's report and gives its run item back, unless another run
// has taken it meanwhile.
func EndRun(bucket, by string, started, ended time.Time, report signal.Value) Write {
	w := ReleaseRun(bucket, by)
	w.Op = OpEndRun
	w.If = append(w.If, equal(AttrStartedAt, signal.S(signal.FormatInstant(started))))
	w.Set = []Assignment{
		set(AttrLastRunAt, signal.S(signal.FormatInstant(ended))),
		set(AttrReport, report),
	}
	return w
}

// ReleaseRun gives a run item back without a report.
func ReleaseRun(bucket, by string) Write {
	return Write{
		Op:     OpReleaseRun,
		Key:    signal.RunKey(bucket),
		If:     []Cond{equal(AttrRunBy, signal.S(by))},
		Remove: []string{AttrRunBy, AttrRunUntil},
	}
}
