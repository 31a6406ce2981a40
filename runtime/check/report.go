package check

import (
	"context"
	"log/slog"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Report is what a run did.
type Report struct {
	// Bucket is the CadenceBucket ID.
	Bucket  string    `json:"bucket"`
	Started time.Time `json:"started"`
	// HeldUntil is set if another run had the bucket, until then at least: this one
	// has done nothing.
	HeldUntil time.Time `json:"heldUntil,omitzero"`
	Counts
	// Failures names signals that could not be checked: the first of Failed.
	Failures []Failure `json:"failures,omitempty"`
	// InQuarantine names the first of Quarantined.
	InQuarantine []string `json:"inQuarantine,omitempty"`
	// SourceError is the first error of the source, if it had any.
	SourceError string `json:"sourceError,omitempty"`
	// SweepError is why an expired signal could not be deleted, the first if there
	// were several.
	SweepError string `json:"sweepError,omitempty"`
	// Warnings are settings of the bucket that do not fit those of the function.
	Warnings []string `json:"warnings,omitempty"`
}

// Failure is a signal that could not be checked, and why.
type Failure struct {
	Key    string `json:"key"`
	Reason string `json:"reason"`
}

// Counts are a run's numbers, which the run item keeps too.
type Counts struct {
	// Seen is how many entries of the index were dirty.
	Seen int64 `json:"seen"`
	// Expired were left alone because their date is over.
	Expired int64 `json:"expired"`
	// NotDue are put off after a failure.
	NotDue int64 `json:"notDue"`
	// Due were to be checked by this run.
	Due int64 `json:"due"`
	// Claimed were taken by this run. What became of them: Cleaned, Raced,
	// Settling, Failed, BackedOff, Released, Superseded or Abandoned.
	Claimed int64 `json:"claimed"`
	// Refused were not to be had: somebody else has them, or has cleaned them.
	Refused int64 `json:"refused"`
	// Computed is for how many there is an estimate.
	Computed int64 `json:"computed"`
	// Changed have another value than before.
	Changed int64 `json:"changed"`
	// Cleaned have their value and are clean.
	Cleaned int64 `json:"cleaned"`
	// Raced have their value and are dirty again.
	Raced int64 `json:"raced"`
	// Settling have a value, and are dirty until the source, which lags, must have
	// caught up.
	Settling int64 `json:"settling"`
	// Failed could not be checked, some of them not even claimed.
	Failed int64 `json:"failed"`
	// BackedOff are tried again later because the source failed.
	BackedOff int64 `json:"backedOff"`
	// Quarantined have failed too often in a row, in this run or before: they are
	// still dirty, and tried every six hours.
	Quarantined int64 `json:"quarantined"`
	// Released were given back for want of time to ask the source, or because it
	// is gone.
	Released int64 `json:"released"`
	// Superseded were lost to another claim; nothing was written.
	Superseded int64 `json:"superseded"`
	// Abandoned have an unknown outcome; their leases will run out.
	Abandoned int64 `json:"abandoned"`
	// Audited were clean and have been compared with the source. Of them,
	// Mismatched had another value, without a flip: they are dirty now. For
	// AuditFailed, the source or the data made no comparison possible.
	Audited     int64 `json:"audited"`
	Mismatched  int64 `json:"mismatched"`
	AuditFailed int64 `json:"auditFailed"`
	// Swept had been expired for an hour or more, and are deleted.
	Swept int64 `json:"swept"`
	// Remaining were due and not reached: no time, throttled, or in conflict.
	Remaining int64 `json:"remaining"`
	// Anomalies is how many estimates were out of range and counted as the
	// nearest sensible one.
	Anomalies int64 `json:"anomalies"`
	// OldestDirtyAgeSeconds is for how long the oldest of them had been dirty
	// when the run started, expired ones and those in quarantine aside: it is what
	// somebody is called for at night, and those are counted by themselves.
	OldestDirtyAgeSeconds int64 `json:"oldestDirtyAgeSeconds"`
	// Throttles is how many answers were a refusal for rate.
	Throttles int64 `json:"throttles"`
	// DurationMS is how long the run took, in ms.
	DurationMS int64 `json:"durationMs"`
}

// Names of the counts that the next run reads back.
const (
	countComputed  = "computed"
	countFailed    = "failed"
	countBackedOff = "backedOff"
)

type count struct {
	name string
	n    int64
}

// each is the counts under their names in JSON.
func (c Counts) each() []count {
	return []count{
		{"seen", c.Seen},
		{"expired", c.Expired},
		{"notDue", c.NotDue},
		{"due", c.Due},
		{"claimed", c.Claimed},
		{"refused", c.Refused},
		{countComputed, c.Computed},
		{"changed", c.Changed},
		{"cleaned", c.Cleaned},
		{"raced", c.Raced},
		{"settling", c.Settling},
		{countFailed, c.Failed},
		{countBackedOff, c.BackedOff},
		{"quarantined", c.Quarantined},
		{"released", c.Released},
		{"superseded", c.Superseded},
		{"abandoned", c.Abandoned},
		{"audited", c.Audited},
		{"mismatched", c.Mismatched},
		{"auditFailed", c.AuditFailed},
		{"swept", c.Swept},
		{"remaining", c.Remaining},
		{"anomalies", c.Anomalies},
		{"oldestDirtyAgeSeconds", c.OldestDirtyAgeSeconds},
		{"throttles", c.Throttles},
		{"durationMs", c.DurationMS},
	}
}

func (c Counts) value() signal.Value {
	m := map[string]signal.Value{}
	for _, count := range c.each() {
		m[count.name] = signal.N(count.n)
	}
	return signal.M(m)
}

func (r *run) report() Report {
	report := r.tally.report()
	report.Bucket = signal.BucketID(r.name)
	report.Started = r.started
	report.HeldUntil = r.heldUntil
	report.SweepError = r.rubbish.firstError()
	report.Throttles += r.absorbed() - r.absorbedBefore
	report.DurationMS = r.Now().Sub(r.started).Milliseconds()
	return report
}

// logEnd writes the run's line, which carries its metrics.
func (r *run) logEnd(ctx context.Context, report Report, err error) {
	level, message := slog.LevelInfo, "run"
	attrs := []slog.Attr{slog.Time("started", report.Started)}
	if !report.HeldUntil.IsZero() {
		r.log.LogAttrs(ctx, level, "another run has the bucket: nothing to do", append(attrs, slog.Time("heldUntil", report.HeldUntil))...)
		return
	}
	for _, count := range report.each() {
		attrs = append(attrs, slog.Int64(count.name, count.n))
	}
	if report.SourceError != "" {
		level = slog.LevelWarn
		attrs = append(attrs, slog.String("sourceError", report.SourceError))
	}
	if err != nil {
		// No metrics: their absence is what tells that a bucket does not run.
		attrs = append(attrs, slog.String("error", err.Error()))
		r.log.LogAttrs(ctx, slog.LevelError, "run failed", attrs...)
		return
	}
	r.logMetrics(ctx, level, message, attrs)
}
