package check

import (
	"context"
	"log/slog"
)

const namespace = "Availability"

// metric is one of a run's counts that is a metric too, and its unit.
type metric struct {
	Name string
	Unit string
}

// metrics are the metrics of a run, by the names of its counts.
func metrics() []metric {
	const count, seconds, ms = "Count", "Seconds", "Milliseconds"
	return []metric{
		{"seen", count},
		{"claimed", count},
		{"computed", count},
		{"changed", count},
		{"raced", count},
		{"expired", count},
		{"failed", count},
		{"quarantined", count},
		{"released", count},
		{"audited", count},
		{"mismatched", count},
		{"swept", count},
		{"remaining", count},
		{"oldestDirtyAgeSeconds", seconds},
		{"throttles", count},
		{"durationMs", ms},
	}
}

// embedded is what makes a log line one of metrics: CloudWatch takes the values
// from the line's own fields (the embedded metric format).
type embedded struct {
	Timestamp         int64
	CloudWatchMetrics []directive
}

type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []metric
}

// logMetrics writes the run's line. It is written whatever the level of the log:
// whoever wants fewer lines does not want fewer metrics.
func (r *run) logMetrics(ctx context.Context, level slog.Level, message string, attrs []slog.Attr) {
	dimensions := []string{attrBucket}
	if r.Table != "" {
		dimensions = append(dimensions, attrTable)
		attrs = append(attrs, slog.String(attrTable, r.Table))
	}
	attrs = append(attrs, slog.Any("_aws", embedded{
		Timestamp:         r.started.UnixMilli(),
		CloudWatchMetrics: []directive{{Namespace: namespace, Dimensions: [][]string{dimensions}, Metrics: metrics()}},
	}))
	record := slog.NewRecord(r.Now(), level, message, 0)
	record.AddAttrs(attrs...)
	// A handler that cannot write has nowhere to say so.
	_ = r.log.Handler().Handle(ctx, record)
}
