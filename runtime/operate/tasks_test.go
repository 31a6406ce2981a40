package operate_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Whoever asks for a check gets one: of a clean signal, of one that backs off, and
// of one in quarantine.
func TestCheck_product(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for day := 2; day <= 8; day++ {
		w.pool(day, 1)
	}
	w.seed(2, nil)
	w.seed(3, func(i signal.Item) { dirty(i); i["attempts"], i["notBefore"] = signal.N(2), ms(now.Add(time.Hour)) })
	w.seed(4, func(i signal.Item) {
		dirty(i)
		i["attempts"], i["notBefore"] = signal.N(9), signal.N(now.Add(time.Hour).UnixMilli()+1)
	})
	w.seed(5, func(i signal.Item) {
		dirty(i)
		i["claimedBy"], i["leaseUntil"] = signal.S("x"), ms(now.Add(time.Minute))
	})
	w.seed(6, func(i signal.Item) { i["gsipk"] = signal.S("cadenceBucket::9min") })
	w.seed(7, func(i signal.Item) { i["expiry"] = signal.S("2026-07-01T00:00:00.000Z") })
	w.put(signal.Key{PK: on(8).PoolPK(), SK: "loop"}, signal.Item{"availability": signal.N(1)})
	w.seed(8, dirty)

	c := do[*operate.Checks](w, operate.Task{Task: "check", Product: "mockPark1/backcountryCamp/1/1"})
	want := `mockPark1/backcountryCamp/1/1 2026-07-02  cleaned: medium before, low now
mockPark1/backcountryCamp/1/1 2026-07-03  cleaned: medium before, low now
mockPark1/backcountryCamp/1/1 2026-07-04  cleaned: medium before, low now
mockPark1/backcountryCamp/1/1 2026-07-05  not claimed: another check has it, until 2026-07-01T12:06:00.000Z at the latest
mockPark1/backcountryCamp/1/1 2026-07-06  failed: run bucket "9min": read bucket "9min" in table "signals": bucket not registered: without its registry item nothing says how to check its signals, so they stay dirty; apply availability_cadence_bucket "9min" for this table, or remove the rule that triggers it
mockPark1/backcountryCamp/1/1 2026-07-08  failed: inventory pool "loop" cannot be counted: its capacity is missing
left alone, because the date is over: 1
`
	if diff := cmp.Diff(want, printed(w, c)); diff != "" || !c.Findings() {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for day := 2; day <= 4; day++ {
		if is := w.item(day); is.Text("gsisk") != "clean" || is.Text("value") != "low" || is["attempts"].Exists() || is["notBefore"].Exists() {
			t.Errorf("July %d: %v", day, is)
		}
	}
	if is := w.item(2); is.Int("rev") != 4 || !c.Signals[0].Flipped {
		t.Errorf("a clean signal is flipped first: rev %d", is.Int("rev"))
	}
	if is := w.item(8); is.Int("attempts") != 1 {
		t.Errorf("a failed check counts: %v", is)
	}
}

// A check of a bucket takes all that is dirty, and is no tick: the time between two
// ticks is the cadence of a bucket that runs by cron.
func TestCheck_bucket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pool(3, 1)
	w.seed(2, nil)
	w.seed(3, func(i signal.Item) { dirty(i); i["notBefore"] = ms(now.Add(time.Hour)) })
	read := func() signal.Item {
		item, err := w.store.Get(t.Context(), signal.RunKey("5min"))
		if err != nil {
			t.Fatal(err)
		}
		return item
	}
	before := read()
	c := do[*operate.Checks](w, operate.Task{Task: "check", Bucket: "5min"})
	if c.Run.Cleaned != 1 || c.Run.Audited != 0 || c.Findings() || !strings.Contains(printed(w, c), "bucket 5min: 1 dirty, 1 checked, 1 of them changed, 1 clean now") {
		t.Errorf("%s", printed(w, c))
	}
	if is := w.item(2); is.Int("rev") != 3 {
		t.Errorf("a clean signal of a bucket is left alone: %v", is)
	}
	if diff := cmp.Diff(before, read()); diff != "" {
		t.Errorf("the run item:\n%s", diff)
	}

	item := before.Clone()
	item[protocol.AttrRunBy], item[protocol.AttrRunUntil] = signal.S("another"), ms(now.Add(30*time.Second))
	w.put(signal.RunKey("5min"), item)
	c = do[*operate.Checks](w, operate.Task{Task: "check", Bucket: "5min"})
	if !strings.Contains(printed(w, c), "another run has it, until 2026-07-01T12:05:30.000Z") {
		t.Errorf("%s", printed(w, c))
	}

	// A hold that a clock left which was wrong once keeps nobody out.
	item[protocol.AttrRunUntil] = ms(now.Add(48 * time.Hour))
	w.put(signal.RunKey("5min"), item)
	w.seed(3, dirty)
	if c = do[*operate.Checks](w, operate.Task{Task: "check", Bucket: "5min"}); c.Run.Cleaned != 1 {
		t.Errorf("%s", printed(w, c))
	}
}

func TestCheck_nothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := do[*operate.Checks](w, operate.Task{Task: "check", Signal: july5})
	if !c.Findings() || !strings.Contains(printed(w, c), "there is no such signal") {
		t.Errorf("%s", printed(w, c))
	}
	_, err := w.operator.Do(t.Context(), operate.Task{Task: "check", Bucket: "9min"})
	if err == nil || !strings.Contains(err.Error(), "bucket not registered") {
		t.Errorf("error %v", err)
	}
}

func TestCheck_sourceIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.seed(5, dirty)
	w.fails = errors.New("no route")
	c := do[*operate.Checks](w, operate.Task{Task: "check", Signal: july5})
	if !c.Findings() || !strings.Contains(printed(w, c), "backed off: the source failed: no route") {
		t.Errorf("%s", printed(w, c))
	}
	if is := w.item(5); is.Int("attempts") != 0 || is.Text("gsisk") != "dirty" {
		t.Errorf("%v", is)
	}
}

func TestAudit(t *testing.T) {
	t.Parallel()
	for name, task := range map[string]operate.Task{
		"product": {Task: "audit", Product: "mockPark1/backcountryCamp/1/1"}, "bucket": {Task: "audit", Bucket: "5min"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for day := 2; day <= 5; day++ {
				w.pool(day, 12)
				w.seed(day, nil)
			}
			w.pool(3, 0)
			w.seed(4, func(i signal.Item) { delete(i, "value") })
			w.put(signal.Key{PK: on(5).PoolPK(), SK: "loop"}, signal.Item{"availability": signal.N(1)})
			a := do[*operate.Audits](w, task)
			want := []operate.Audited{
				{Signal: on(3).String(), Result: check.Mismatched, Cached: "medium", Reason: "nobody had flipped it"},
				{Signal: on(4).String(), Result: check.Valueless},
				{Signal: on(5).String(), Result: check.Unaudited, Reason: `inventory pool "loop" cannot be counted: its capacity is missing`},
			}
			if diff := cmp.Diff(want, a.Signals); diff != "" || a.Audited != 3 || a.Mismatched != 1 || a.Failed != 1 || !a.Complete || !a.Findings() {
				t.Errorf("%+v (-want +got):\n%s", a, diff)
			}
			if is := w.item(2); is.Text("lastUpdatedAt") != signal.FormatInstant(now) || is.Text("gsisk") != "clean" {
				t.Errorf("right, as of now: %v", is)
			}
			if is := w.item(3); is.Text("gsisk") != "dirty" || is.Text("value") != "medium" {
				t.Errorf("flipped, and no value written: %v", is)
			}
			if text := printed(w, a); !strings.Contains(text, "2026-07-03  mismatched: it showed medium") || !strings.Contains(text, "some writer changes inventory without a flip") {
				t.Errorf("%s", text)
			}
		})
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	for name, task := range map[string]operate.Task{
		"product": {Task: "sweep", Product: "mockPark1/backcountryCamp/1/1"}, "bucket": {Task: "sweep", Bucket: "5min"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			expiredFor := func(d time.Duration) func(signal.Item) {
				return func(i signal.Item) {
					i["expiry"], i["ttl"] = signal.S(signal.FormatInstant(now.Add(-d))), signal.N(now.Add(-d).Unix())
				}
			}
			// More than one batch of them, which takes its time.
			const days = 450
			w.operator.Runner.Now = func() time.Time {
				w.clock.Advance(time.Millisecond)
				return w.clock.Now()
			}
			for day := range days {
				w.seed(100+day, expiredFor(time.Hour))
			}
			w.seed(5, nil)
			w.seed(6, expiredFor(59*time.Minute))
			s := do[*operate.Sweep](w, task)
			if s.Expired != days || s.Swept != days || s.Findings() {
				t.Errorf("%+v", s)
			}
			if w.item(5) == nil || w.item(6) == nil || w.item(100) != nil {
				t.Error("want those gone that have been expired for an hour, and no others")
			}
		})
	}
}

// A function's answer and the command's are the same.
func TestDecode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pool(5, 12)
	w.seed(5, dirty)
	w.put(loop.ItemKey(), signal.Item{"timezone": signal.S("America/Vancouver")})
	for _, task := range []operate.Task{
		{Task: "explain", Signal: july5},
		{Task: "check", Signal: july5},
		{Task: "audit", Product: "mockPark1/backcountryCamp/1/1"},
		{Task: "sweep", Bucket: "cadenceBucket::5min"},
		{Task: "sync", All: true},
	} {
		answer, err := w.operator.Do(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		sameDecoded(w, task, answer)
	}
}

// sameDecoded holds that a function's answer says the same.
func sameDecoded(w *world, task operate.Task, answer operate.Answer) {
	w.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		w.Fatal(err)
	}
	again, err := operate.Decode(task.Task, text)
	if err != nil || !reflect.DeepEqual(answer, again) || printed(w, answer) != printed(w, again) || answer.Findings() != again.Findings() {
		w.Errorf("%s: %v: %s", task.Task, err, cmp.Diff(answer, again))
	}
}

func TestDo_most(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for day := 2; day <= 9; day++ {
		w.pool(day, 0)
		w.seed(day, nil)
	}
	w.operator.Most = 3
	a := do[*operate.Audits](w, operate.Task{Task: "audit", Bucket: "5min"})
	if len(a.Signals) != 3 || a.Omitted != 5 || a.Mismatched != 8 || !strings.Contains(printed(w, a), "... and 5 more") {
		t.Errorf("%+v", a)
	}
}

// What a check of a bucket leaves dirty is somebody's to see to, and so is that
// there was none.
func TestCheck_bucketFindings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		run   check.Report
		finds bool
		says  string
	}{
		"all clean":       {run: check.Report{Counts: check.Counts{Seen: 2, Computed: 2, Cleaned: 2}}, says: "2 clean now"},
		"flipped again":   {run: check.Report{Counts: check.Counts{Seen: 1, Computed: 1, Raced: 1}}, says: "1 flipped again"},
		"held":            {run: check.Report{HeldUntil: now.Add(time.Minute)}, finds: true, says: "another run has it"},
		"given back":      {run: check.Report{Counts: check.Counts{Seen: 1, Claimed: 1, Released: 1}}, finds: true, says: "1 not reached"},
		"not reached":     {run: check.Report{Counts: check.Counts{Seen: 1, Remaining: 1}}, finds: true, says: "1 not reached"},
		"outcome unknown": {run: check.Report{Counts: check.Counts{Seen: 1, Claimed: 1, Abandoned: 1}}, finds: true, says: "1 of unknown outcome"},
	} {
		c := &operate.Checks{Task: "check", About: "bucket 5min", Run: &test.run}
		var b strings.Builder
		if err := c.Print(&b); err != nil || !strings.Contains(b.String(), test.says) || c.Findings() != test.finds {
			t.Errorf("%s: %v, %v, %s", name, err, c.Findings(), b.String())
		}
	}
}

// What is not deleted is named with the cause: a command has no log that says it.
func TestSweep_cannotDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.seed(5, func(i signal.Item) {
		i["expiry"], i["ttl"] = signal.S(signal.FormatInstant(now.Add(-2*time.Hour))), signal.N(now.Add(-2*time.Hour).Unix())
	})
	w.operator.Runner.Store = denied{w.store}
	s := do[*operate.Sweep](w, operate.Task{Task: "sweep", Bucket: "5min"})
	if text := printed(w, s); s.Expired != 1 || s.Swept != 0 || !s.Findings() || !strings.Contains(text, "access denied") {
		t.Errorf("%+v: %s", s, text)
	}
}

// denied is a table that nothing may be written to.
type denied struct{ *dynamo.Store }

func (denied) Write(context.Context, protocol.Write) (signal.Item, error) {
	return nil, dynamo.ErrAccessDenied
}

// A function's answer has to be there before its time is over, whatever the source
// and the table do.
func TestDo_answersInTime(t *testing.T) {
	t.Parallel()
	for name, task := range map[string]operate.Task{
		"explain": {Task: "explain", Signal: july5},
		"sync":    {Task: "sync", Product: "mockPark1/backcountryCamp/1/1", Apply: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.seed(5, nil)
				w.operator.Runner.Now, w.operator.Sync.Keeper.Now = time.Now, time.Now
				w.operator.Runner.Source = hanging{}
				w.operator.Sync.Keeper.Platform = hanging{}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				answer, err := w.operator.Do(ctx, task)
				if err != nil || ctx.Err() != nil || !answer.Findings() {
					t.Errorf("error %v, out of time %v, %+v", err, ctx.Err(), answer)
				}
			})
		})
	}
}

// hanging is a source, and a table, that does not answer.
type hanging struct{}

func (hanging) Estimate(ctx context.Context, _ signal.ProductDate) (signal.Estimate, error) {
	<-ctx.Done()
	return signal.Estimate{}, ctx.Err()
}

func (hanging) Get(ctx context.Context, _ signal.Key, _ ...string) (signal.Item, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (hanging) Query(ctx context.Context, _ dynamo.Query) iter.Seq2[signal.Item, error] {
	return func(yield func(signal.Item, error) bool) {
		<-ctx.Done()
		yield(nil, ctx.Err())
	}
}

// A check mends a bit that no run would find, and does not pass over a ttl of
// another type as a date that is over.
func TestCheck_malformed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pool(2, 1)
	w.pool(3, 1)
	w.seed(2, func(i signal.Item) { i["gsisk"] = signal.S("DIRTY") })
	w.seed(3, func(i signal.Item) { delete(i, "gsisk") })
	w.seed(4, func(i signal.Item) { i["ttl"] = signal.S("2027") })
	c := do[*operate.Checks](w, operate.Task{Task: "check", Product: "mockPark1/backcountryCamp/1/1"})
	want := `mockPark1/backcountryCamp/1/1 2026-07-02  cleaned: medium before, low now
mockPark1/backcountryCamp/1/1 2026-07-03  cleaned: medium before, low now
mockPark1/backcountryCamp/1/1 2026-07-04  failed: its ttl is not of type Number, so that it is never claimed: correct or remove it
`
	if diff := cmp.Diff(want, printed(w, c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A bucket of a newer format keeps no other bucket's signals from being checked.
func TestCheck_newerFormat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pool(5, 1)
	w.seed(5, dirty)
	w.register("9min", nil)
	item, err := w.store.Get(t.Context(), signal.RegistryKey("9min"))
	if err != nil {
		t.Fatal(err)
	}
	item["format"] = signal.N(2)
	w.put(signal.RegistryKey("9min"), item)
	w.seed(6, func(i signal.Item) { i["gsipk"] = signal.S("cadenceBucket::9min") })
	for _, task := range []string{"check", "audit"} {
		answer, err := w.operator.Do(t.Context(), operate.Task{Task: task, Product: "mockPark1/backcountryCamp/1/1"})
		if err != nil {
			t.Fatal(err)
		}
		if text := printed(w, answer); !answer.Findings() || !strings.Contains(text, "format 2") || task == "check" && !strings.Contains(text, "2026-07-05  cleaned") {
			t.Errorf("%s: %s", task, text)
		}
	}
}
