package signal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const markDirty = "availability_mark_dirty"

// bits are the dates of the camp by their bit.
func (w *world) bits() map[string]string {
	w.t.Helper()
	bits := map[string]string{}
	for date, item := range w.items() {
		bits[date] = item.Text(signal.AttrGSISK)
	}
	return bits
}

// One signal, a product's dates and a bucket are marked, and nothing else is.
func TestMarkDirty(t *testing.T) {
	t.Parallel()
	const d, c = "dirty", "clean"
	tests := map[string]struct {
		config   acctest.Config
		want     map[string]string
		progress []string
	}{
		"one": {
			key(acctest.Config{"date": "2090-07-02"}),
			map[string]string{"2090-05-31": c, "2090-07-01": c, "2090-07-02": d, "2090-07-03": d, "2090-07-04": c, "2090-07-09": c},
			[]string{`Marking signal "mockPark1/backcountryCamp/1/1 2090-07-02" dirty`, "Marked 1 signal: their bucket's next tick checks them"},
		},
		"dates": {
			key(acctest.Config{"start_date": "2090-05-01", "end_date": "2090-07-03"}),
			map[string]string{"2090-05-31": c, "2090-07-01": d, "2090-07-02": d, "2090-07-03": d, "2090-07-04": c, "2090-07-09": c},
			[]string{`Marking signals "mockPark1/backcountryCamp/1/1 2090-05-01/2090-07-03" dirty`, "Marked 3 signals, left 1 expired alone: their bucket's next tick checks them"},
		},
		"bucket": {
			acctest.Config{"cadence_bucket": "15min"},
			map[string]string{"2090-05-31": c, "2090-07-01": d, "2090-07-02": d, "2090-07-03": d, "2090-07-04": d, "2090-07-09": c},
			[]string{`Marking signals of cadence bucket "15min" dirty`, "Marked 4 signals, left 1 expired alone: their bucket's next tick checks them"},
		},
		"no dates": {
			key(acctest.Config{"start_date": "2091-05-01", "end_date": "2091-07-03"}),
			map[string]string{"2090-05-31": c, "2090-07-01": c, "2090-07-02": c, "2090-07-03": d, "2090-07-04": c, "2090-07-09": c},
			[]string{`Marking signals "mockPark1/backcountryCamp/1/1 2091-05-01/2091-07-03" dirty`, "Marked 0 signals: their bucket's next tick checks them"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for day := 1; day <= 4; day++ {
				w.seedReading(campOn(day), "1", day == 3)
			}
			// A day that is over, and a signal of another bucket.
			w.seedReading(campOn(-30), "1", false)
			w.put(another(9))
			progress, errs := w.protocolServer(nil).Invoke(markDirty, tt.config)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			holdTexts(t, "progress", tt.progress, progress)
			holdTexts(t, "bits", tt.want, w.bits())
			// What is marked is checked again: the flip counts.
			if name == "one" && w.item(2).Int(signal.AttrRev) < 1 {
				t.Errorf("the signal is %v", w.item(2))
			}
		})
	}
}

// Many signals are marked with a word now and then, and a claim under way is not
// taken for done.
func TestMarkDirty_many(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	season := key(acctest.Config{
		"start_date": july(1).String(), "end_date": july(1100).String(), "cadence_bucket": "15min",
		"availability_estimation_pattern": acctest.Config{"estimation_mode": "exact"},
	})
	if errs := w.driver(rangeType, nil).Apply(season); len(errs) > 0 {
		t.Fatal(errs)
	}
	bucket := signal.Bucket{Name: "15min", Shards: 1, Checks: signal.DefaultChecks()}
	w.write(protocol.Flip(campOn(1).Key(), june))
	check := protocol.NewCheck(campOn(1).Key(), bucket, "run", june)
	w.write(check.Write())

	progress, errs := w.protocolServer(nil).Invoke(markDirty, acctest.Config{"cadence_bucket": "15min"})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if len(progress) < 3 || !strings.HasSuffix(progress[1], " so far") || progress[len(progress)-1] != "Marked 1100 signals: their bucket's next tick checks them" {
		t.Errorf("progress %q", progress)
	}
	for date, bit := range w.bits() {
		if bit != signal.Dirty {
			t.Errorf("%s is %s", date, bit)
		}
	}
	if rev := w.item(1).Int(signal.AttrRev); rev < 2 {
		t.Errorf("the claimed one has rev %d", rev)
	}
}

func TestMarkDirty_errors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.seedReading(campOn(-30), "1", false)
	const either = ": signals are chosen by the four parts of their product, date or start_date and end_date, or by cadence_bucket."
	tests := map[string]struct {
		settings, config acctest.Config
		want             string
	}{
		"nothing":     {nil, nil, "collection_id: Invalid choice of signals: collection_id is missing" + either},
		"no date":     {nil, key(nil), "date: Invalid choice of signals: date is missing" + either},
		"half a span": {nil, key(acctest.Config{"end_date": "2090-07-02"}), "start_date: Invalid choice of signals: start_date is missing: signals are chosen by the four parts of their product, start_date and end_date, or by cadence_bucket."},
		"date and span": {
			nil,
			key(acctest.Config{"date": "2090-07-02", "end_date": "2090-07-02"}),
			"date: Invalid choice of signals: date is set together with start_date or end_date: set either one date, or the first and the last of several.",
		},
		"bucket and date": {
			nil,
			acctest.Config{"cadence_bucket": "15min", "date": "2090-07-02"},
			"date: Invalid choice of signals: date and cadence_bucket are both set: signals are chosen either by product and dates or by bucket.",
		},
		"not there": {
			nil,
			key(acctest.Config{"date": "2090-07-02"}),
			`date: Unable to mark dirty signal "mockPark1/backcountryCamp/1/1 2090-07-02": There is no such signal in table "` + w.table + "\".\n\nCorrect its key or table_name.",
		},
		"expired": {
			nil,
			key(acctest.Config{"date": "2090-05-31"}),
			`date: Unable to mark dirty signal "mockPark1/backcountryCamp/1/1 2090-05-31": It has expired, and nothing checks it any more.` + "\n\nChoose a date that is not over.",
		},
		"no table": {
			acctest.Config{"table_name": nil},
			acctest.Config{"cadence_bucket": "15min"},
			`table_name: Unable to mark dirty signals of cadence bucket "15min": There is no table: neither table_name, nor the provider's, nor AVAILABILITY_TABLE_NAME is set.` + "\n\nSet table_name here or in the provider's configuration.",
		},
		"unknown settings": {
			acctest.Config{"region": acctest.Unknown{}},
			acctest.Config{"cadence_bucket": "15min"},
			`Unable to mark dirty signals of cadence bucket "15min": Settings of the provider are not known yet.` + "\n\nInvoke the action once they are.",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := w.protocolServer(tt.settings).Invoke(markDirty, tt.config)
			holdTexts(t, "errors", []string{tt.want}, errs)
		})
	}
}

// A failure says how far it came.
func TestMarkDirty_fails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for day := 1; day <= 3; day++ {
		w.seedReading(campOn(day), "1", false)
	}
	proxy := acctest.NewFaultProxy(t)
	proxy.Set(acctest.Fault{Operation: "UpdateItem", Effect: acctest.Fail(400, "AccessDeniedException", "not you")})
	_, errs := w.protocolServer(through(proxy)).Invoke(markDirty, acctest.Config{"cadence_bucket": "15min"})
	holdTexts(t, "errors", []string{`Unable to mark dirty signals of cadence bucket "15min": The credentials are not allowed to do this with table "` + w.table + "\".\n\n" +
		"Marked 0 signals before that.\n\n" +
		"Allow them the action that AWS names, or have the provider use others. Then invoke the action again: marking twice does no harm.\n\n" +
		"DynamoDB answered UpdateItem with AccessDeniedException: not you (request id injected)"}, errs)
	proxy.Set(acctest.Fault{Operation: "Query", Effect: acctest.Fail(400, "ResourceNotFoundException", "gone")})
	_, errs = w.protocolServer(through(proxy)).Invoke(markDirty, acctest.Config{"cadence_bucket": "15min"})
	if len(errs) != 1 || !strings.HasPrefix(errs[0], `Unable to mark dirty signals of cadence bucket "15min": There is no table "`+w.table+`" in this account and region.`) {
		t.Errorf("errors %q", errs)
	}
}

// What the documentation shows does what it says.
func TestMarkDirty_example(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock.set(time.Date(2027, time.April, 1, 0, 0, 0, 0, time.UTC))
	w.keepExpired()
	for day := 1; day <= 3; day++ {
		w.seedReading(signal.ProductDate{Product: camp, Date: signal.Date{Year: 2027, Month: time.July, Day: day}}, "1", false)
	}
	s := w.protocolServer(nil)
	counts := map[string]string{"canada_day": "Marked 1 signal:", "july": "Marked 3 signals:", "everything": "Marked 3 signals:"}
	blocks := acctest.Example(t, "../../examples/actions/availability_mark_dirty/action.tf", nil)
	if len(blocks) != len(counts) {
		t.Errorf("the example has %d blocks", len(blocks))
	}
	for _, block := range blocks {
		progress, errs := s.Invoke(block.Labels[1], block.Config)
		if len(errs) > 0 || !strings.HasPrefix(progress[len(progress)-1], counts[block.Labels[2]]) {
			t.Errorf("%v: %q, %q", block.Labels, progress, errs)
		}
	}
}
