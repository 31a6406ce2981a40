package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// runTable renders runs as an aligned table, a line for each bucket.
func runTable(runs []bucketRun) []string {
	rows := [][]string{{"bucket", "dirty", "checked", "changed", "raced", "left", "waited", "took"}}
	for _, r := range runs {
		waited := "-"
		if r.counts.Int("seen") > 0 {
			waited = seconds(time.Duration(r.counts.Int("oldestDirtyAgeSeconds")) * time.Second)
		}
		rows = append(rows, []string{
			r.bucket,
			comma(r.counts.Int("seen")), comma(r.counts.Int("computed")), comma(r.counts.Int("changed")),
			comma(r.counts.Int("raced")), comma(r.left()), waited, seconds(r.ended.Sub(r.started)),
		})
	}
	return aligned(rows)
}

// aligned renders rows in columns: the first to the left, the others to the right.
func aligned(rows [][]string) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	lines := make([]string, len(rows))
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			if i == 0 {
				fmt.Fprintf(&b, "%-*s", widths[i], cell)
				continue
			}
			fmt.Fprintf(&b, "  %*s", widths[i], cell)
		}
		lines[n] = b.String()
	}
	return lines
}

// comma writes a number with a comma between thousands.
func comma[N int | int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// seconds writes a duration in seconds, with a decimal where it matters.
func seconds(d time.Duration) string {
	if d < 10*time.Second && d%time.Second != 0 {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return comma(n) + " " + noun + "s"
}
