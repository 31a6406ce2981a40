package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Print writes the report for people, the worst of each area first.
func (r Report) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "table %s, %s\n", r.Table, instant(r.At))
	for _, area := range Areas() {
		var of []Finding
		for _, severity := range []Severity{Fault, Warning, Note} {
			for _, f := range r.Findings {
				if f.Area == area && f.Severity == severity {
					of = append(of, f)
				}
			}
		}
		if len(of) == 0 {
			fmt.Fprintf(&b, "\n%s: all is well\n", area)
			continue
		}
		fmt.Fprintf(&b, "\n%s\n", area)
		for _, f := range of {
			fmt.Fprintf(&b, "  %-7s  %s: %s\n           -> %s\n", f.Severity, f.About, f.Says, f.Remedy)
		}
	}
	b.WriteString("\n")
	for _, bucket := range r.Buckets {
		fmt.Fprintf(&b, "bucket %s  %s  %s\n", bucket.Name, bucket.Schedule, bucket.state())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (b Bucket) state() string {
	text := fmt.Sprintf("%d signals, %d dirty", b.Signals, b.Dirty)
	if !b.OldestDirty.IsZero() {
		text += ", the oldest since " + instant(b.OldestDirty)
	}
	if b.unread {
		return text + "; its runs could not be read"
	}
	if b.LastRun.IsZero() {
		return text + "; no run has come to its end"
	}
	return text + "; last run ended " + instant(b.LastRun)
}

// Bad is whether somebody has to see to something: a note alone is not bad.
func (r Report) Bad() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity != Note })
}
