package capacity

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Print writes all of the arithmetic.
func (p Platform) Print(w io.Writer, at Prices) error {
	var text strings.Builder
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	line := func(cells ...string) { _, _ = fmt.Fprintln(out, strings.Join(cells, "\t")) } // Memory takes it all.
	buckets := "1 bucket"
	if p.Buckets > 1 {
		buckets = fmt.Sprintf("%d buckets", p.Buckets)
	}
	line(fmt.Sprintf("%s signals in %s of %s minutes, %s bookings/s on %s of them, flips %s, %s views/s of %d dates",
		count(p.Signals), buckets, count(p.CadenceMinutes), count(p.Bookings), count(p.active()), p.Way, count(p.Views), p.Dates))
	line(fmt.Sprintf("cadence index: %s; globalId index: %s", projection(p.AllCadence, "INCLUDE"), projection(p.AllGlobalID, "KEYS_ONLY")))
	line()
	line("dirty at a tick", count(p.Dirty()))
	line("shards of each bucket", strconv.Itoa(p.Shards()))
	line("a run's checks", count(p.perBucket()))
	line("a run takes", fmt.Sprintf("%s s", count(p.RunSeconds())))
	line()
	line("on average", "read units/s", "write units/s", "$ a month")
	loads := p.Loads()
	for _, l := range loads {
		line(l.What, count(l.Read), count(l.Write), dollars(at.month(l.Units)))
	}
	total := Total(loads)
	line("Lambda", "", "", dollars(p.LambdaDollars(at)))
	line("metrics", "", "", dollars(p.MetricDollars(at)))
	line("storage", "", "", dollars(p.StorageDollars(at)))
	line("all", count(total.Read), count(total.Write), dollars(at.month(total)+p.otherDollars(at)))
	line()
	line("limit", "in use", "of", "")
	for _, l := range p.Limits() {
		line(l.What, count(l.Use)+" "+l.Unit, count(l.Most), percent(l.Share()))
	}
	for _, sentence := range p.Verdict() {
		line(sentence)
	}
	line()
	line("instead", "read units/s", "write units/s", "$ a month", "a value's age")
	for _, a := range p.Alternatives(at) {
		units := a.Booking.plus(a.Showing)
		line(a.What, count(units.Read), count(units.Write), dollars(a.Dollars(at)), a.Age)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for l := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(l, " \n")); err != nil {
			return err
		}
	}
	return nil
}

func projection(all bool, otherwise string) string {
	if all {
		return "ALL"
	}
	return otherwise
}

// count writes a number with thousands apart, and small ones with a decimal.
func count(v float64) string {
	if v < 100 && v != math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// percent writes a share. What is not quite all is not shown as all, nor what is
// more as no more.
func percent(share float64) string {
	whole := math.Round(100 * share)
	if whole == 100 && share != 1 {
		return fmt.Sprintf("%.2f %%", 100*share)
	}
	return count(whole) + " %"
}

func dollars(v float64) string { return count(math.Round(v)) }
