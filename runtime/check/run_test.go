package check_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestRun_computesWhatIsDirty(t *testing.T) {
	inWorld(t, func(w *world) {
		exact := w.seed("2026-07-01", dirtyFor(90*time.Second))
		// Since when it is dirty is not known: it makes nothing old.
		same := w.seed("2026-07-02", attr(signal.AttrValue, signal.S("7")), attr(signal.AttrDirtySince, signal.Value{}))
		tier := w.seed("2026-07-03", tiered, attr(signal.AttrValue, signal.S("full")))
		quiet := w.seed("2026-07-04", clean)
		before := w.table.item(quiet)
		mine := attr("displayName", signal.S("the application's"))
		decorated := w.seed("2026-07-05", mine)

		asOf := time.Now()
		report := w.run()

		w.wantCounts(report, check.Counts{Seen: 4, Due: 4, Claimed: 4, Computed: 4, Changed: 3, Cleaned: 4})
		if report.Bucket != "cadenceBucket::5min" || !report.Started.Equal(asOf) || report.OldestDirtyAgeSeconds != 90 {
			t.Errorf("report = %+v", report)
		}
		for k, want := range map[signal.Key]string{exact: "7", same: "7", tier: "medium", decorated: "7"} {
			item := w.table.item(k)
			if w.bit(k) != signal.Clean || w.value(k) != want {
				t.Errorf("%s is %s with %q, want clean with %q", k, w.bit(k), w.value(k), want)
			}
			if got := item.Text(signal.AttrLastUpdatedAt); got != signal.FormatInstant(asOf) {
				t.Errorf("%s is as of %s, want %s, when the source was read", k, got, signal.FormatInstant(asOf))
			}
			for _, gone := range []string{signal.AttrClaimedBy, signal.AttrLeaseUntil, signal.AttrDirtySince, signal.AttrNotBefore, signal.AttrAttempts} {
				if item[gone].Exists() {
					t.Errorf("%s still has %s", k, gone)
				}
			}
		}
		if got := w.table.item(decorated).Text("displayName"); got != "the application's" {
			t.Errorf("the application's attribute is now %q", got)
		}
		if !cmp.Equal(w.table.item(quiet), before, cmp.Comparer(signal.Value.Equal)) {
			t.Error("a clean signal was touched")
		}
	})
}

func TestRun_nothingDirty(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01", clean)
		w.wantCounts(w.run(), check.Counts{})
		if len(w.asked) != 0 {
			t.Error("the source was asked")
		}
	})
}

// The source's read must begin after the claim, and the value is as of then.
func TestRun_asOfIsBetweenClaimAndRead(t *testing.T) {
	inWorld(t, func(w *world) {
		key := w.seed("2026-07-01")
		var claimed, read time.Time
		w.table.onWrite = func(write protocol.Write, do func() (signal.Item, error)) (signal.Item, error) {
			time.Sleep(time.Second)
			if write.Op == protocol.OpClaim {
				defer func() { claimed = time.Now() }()
			}
			return do()
		}
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			read = time.Now()
			time.Sleep(time.Minute)
			return signal.Estimate{Available: 1, Capacity: 1}, nil
		}
		w.run()
		if claimed.IsZero() || !read.Equal(claimed) {
			t.Errorf("the read began at %s, the claim was made at %s", read, claimed)
		}
		if got := w.table.item(key).Text(signal.AttrLastUpdatedAt); got != signal.FormatInstant(read) {
			t.Errorf("value as of %s, want %s", got, signal.FormatInstant(read))
		}
	})
}

func TestRun_everyShardWhateverTheirNumber(t *testing.T) {
	for _, shards := range []int{1, 4, signal.MaxShards} {
		inWorld(t, func(w *world) {
			w.bucket.Shards = shards
			for k := range signal.MaxShards {
				w.seed(fmt.Sprintf("2026-07-%02d", k+1), attr(signal.AttrGSIPK, signal.S(signal.ShardKey("5min", k))))
			}
			other := w.seed("2026-08-01", attr(signal.AttrGSIPK, signal.S(signal.BucketID("1h"))))

			report := w.run()

			if report.Cleaned != signal.MaxShards {
				t.Errorf("%d shards: %d of 16 cleaned", shards, report.Cleaned)
			}
			for k := range signal.MaxShards {
				key := signal.Key{PK: loop.PK(), SK: fmt.Sprintf("2026-07-%02d", k+1)}
				if got, want := w.table.item(key).Text(signal.AttrGSIPK), w.bucket.GSIPK(key); got != want {
					t.Errorf("%d shards: %s is in %s, want it in its present shard %s", shards, key, got, want)
				}
			}
			if w.bit(other) != signal.Dirty {
				t.Error("another bucket's signal was checked")
			}
		})
	}
}

func TestRun_oldestFirstAcrossShards(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		// More than are sorted at a time, the oldest seeded last.
		const many = 20_000
		first := signal.Date{Year: 2026, Month: time.July, Day: 1}
		for i := range many {
			w.seed(first.AddDays(i).String(), dirtyFor(time.Duration(i)*time.Second),
				attr(signal.AttrGSIPK, signal.S(signal.ShardKey("5min", i%signal.MaxShards))))
		}
		unknown := w.seed("2026-06-30", func(i signal.Item) { delete(i, signal.AttrDirtySince) })

		if report := w.run(); report.Cleaned != many+1 {
			t.Fatalf("cleaned %d of %d", report.Cleaned, many+1)
		}
		if w.asked[0].Date.String() != unknown.SK {
			t.Errorf("first was %s, want the one that nobody knows how long it has been dirty", w.asked[0])
		}
		byAge := slices.IsSortedFunc(w.asked[1:], func(a, b signal.ProductDate) int { return b.Date.Compare(a.Date) })
		if !byAge {
			t.Error("not in order of dirtySince")
		}
	})
}

func TestRun_concurrencyIsTheBuckets(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 3
		for i := range 12 {
			w.seed(fmt.Sprintf("2026-07-%02d", i+1))
		}
		now, most := 0, 0
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			w.mu.Lock()
			now++
			most = max(most, now)
			w.mu.Unlock()
			time.Sleep(time.Second)
			w.mu.Lock()
			now--
			w.mu.Unlock()
			return signal.Estimate{}, nil
		}
		if report := w.run(); report.Cleaned != 12 || report.DurationMS != 4000 || most != 3 {
			t.Errorf("%d at once, %d ms; want 3 at once and 4000 ms", most, report.DurationMS)
		}
	})
}

func TestRun_leavesExpiredAndNotDueAlone(t *testing.T) {
	inWorld(t, func(w *world) {
		past, future := time.Now().Add(-time.Second), time.Now().Add(time.Hour)
		expired := w.seed("2026-07-01", attr(signal.AttrTTL, signal.N(past.Unix())))
		// As a seeder of another language may leave it: no ttl to see in the index.
		hidden := w.seed("2026-07-02", func(i signal.Item) {
			delete(i, signal.AttrTTL)
			i[signal.AttrExpiry] = signal.S(signal.FormatInstant(past))
		})
		later := w.seed("2026-07-03", attr(signal.AttrNotBefore, signal.N(future.UnixMilli())))
		due := w.seed("2026-07-04", attr(signal.AttrNotBefore, signal.N(time.Now().UnixMilli())))
		timeless := w.seed("2026-07-05", func(i signal.Item) {
			delete(i, signal.AttrTTL)
			delete(i, signal.AttrExpiry)
		})

		report := w.run()

		w.wantCounts(report, check.Counts{Seen: 5, Expired: 2, NotDue: 1, Due: 3, Claimed: 2, Computed: 2, Changed: 2, Cleaned: 2})
		for _, k := range []signal.Key{expired, hidden, later} {
			if w.bit(k) != signal.Dirty || !w.free(k) || w.value(k) != "" {
				t.Errorf("%s was checked", k)
			}
		}
		for _, k := range []signal.Key{due, timeless} {
			if w.bit(k) != signal.Clean {
				t.Errorf("%s was not checked", k)
			}
		}
	})
}

// Such an item is never claimed, by nobody's decision: somebody must be told.
func TestRun_namesWhatCanNeverBeClaimed(t *testing.T) {
	for _, tt := range []struct {
		name  string
		value signal.Value
		// due is whether it takes a claim to learn of it.
		due   int64
		fault string
	}{
		{signal.AttrTTL, signal.S("1782950400"), 0, "is not of type Number"},
		{signal.AttrTTL, signal.Null(), 0, "is not of type Number"},
		{signal.AttrNotBefore, signal.S("1782950400"), 0, "is not of type Number"},
		{signal.AttrLeaseUntil, signal.S("1782950400000"), 1, "is not of type Number"},
		{signal.AttrExpiry, signal.N(1782950400), 1, "is no text with an instant"},
		{signal.AttrExpiry, signal.Null(), 1, "is no text with an instant"},
		{signal.AttrExpiry, signal.S(""), 1, "is no text with an instant"},
	} {
		inWorld(t, func(w *world) {
			bad := w.seed("2026-07-01", attr(tt.name, tt.value))
			w.seed("2026-07-02")
			report := w.run()
			w.wantCounts(report, check.Counts{Seen: 2, Failed: 1, Due: 1 + tt.due, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1})
			if w.table.item(bad) == nil {
				t.Fatalf("%s %v: the signal is gone", tt.name, tt.value)
			}
			want := []check.Failure{{bad.String(), "its " + tt.name + " " + tt.fault + ", so that it is never claimed: correct or remove it"}}
			if diff := cmp.Diff(want, report.Failures); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRun_blamesARevThatIsNoWholeNumber(t *testing.T) {
	for _, rev := range []signal.Value{signal.S("5"), signal.Decimal("5.5"), signal.Null()} {
		inWorld(t, func(w *world) {
			bad := w.seed("2026-07-01", attr(signal.AttrRev, rev))
			report := w.run()
			w.wantCounts(report, check.Counts{Seen: 1, Due: 1, Claimed: 1, Failed: 1})
			want := []check.Failure{{bad.String(), "its rev is not a whole number of type Number, so that it can never be cleaned: remove it"}}
			if diff := cmp.Diff(want, report.Failures); diff != "" {
				t.Error(diff)
			}
			if item := w.table.item(bad); item.Int(signal.AttrAttempts) != 1 || !w.free(bad) || w.putOff(bad) <= 0 {
				t.Errorf("want it put off, and free: %v", item)
			}
		})
	}
}

// Date.now()/1000 is no whole number, and DynamoDB compares it all the same.
func TestRun_timesThatAreNoWholeNumbers(t *testing.T) {
	inWorld(t, func(w *world) {
		fraction := func(at time.Time, unit time.Duration) signal.Value {
			return signal.Decimal(fmt.Sprintf("%d.5", at.UnixNano()/int64(unit)))
		}
		past, future := time.Now().Add(-time.Minute), time.Now().Add(time.Hour)
		w.seed("2026-07-01", attr(signal.AttrTTL, fraction(future, time.Second)))
		w.seed("2026-07-02", attr(signal.AttrNotBefore, fraction(past, time.Millisecond)))
		w.seed("2026-07-03", attr(signal.AttrNotBefore, fraction(future, time.Millisecond)))
		w.seed("2026-07-04", attr(signal.AttrTTL, fraction(past, time.Second)))
		w.wantCounts(w.run(), check.Counts{Seen: 4, Expired: 1, NotDue: 1, Due: 2, Claimed: 2, Computed: 2, Changed: 2, Cleaned: 2})
	})
}

func TestRun_ghostsOfTheIndex(t *testing.T) {
	inWorld(t, func(w *world) {
		cleaned := w.seed("2026-07-01")
		gone := w.seed("2026-07-02")
		w.table.ghosts = []signal.Item{w.table.item(cleaned), w.table.item(gone)}
		w.seed("2026-07-01", clean)
		delete(w.table.items, gone)

		w.wantCounts(w.run(), check.Counts{Seen: 2, Due: 2, Refused: 2})
		if w.table.item(gone) != nil {
			t.Error("a deleted signal is there again")
		}
	})
}

func TestRun_leavesOtherRunsClaimsAlone(t *testing.T) {
	inWorld(t, func(w *world) {
		leased := attr(signal.AttrLeaseUntil, signal.N(time.Now().Add(time.Second).UnixMilli()))
		over := attr(signal.AttrLeaseUntil, signal.N(time.Now().UnixMilli()))
		theirs := w.seed("2026-07-01", leased, attr(signal.AttrClaimedBy, signal.S("another run")))
		crashed := w.seed("2026-07-02", over, attr(signal.AttrClaimedBy, signal.S("a crashed run")))

		w.wantCounts(w.run(), check.Counts{Seen: 2, Due: 2, Refused: 1, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1})
		if w.free(theirs) || w.bit(crashed) != signal.Clean {
			t.Error("want the other run's claim kept, and the crashed run's taken over")
		}
	})
}

func TestRun_thatCannotBegin(t *testing.T) {
	newer := func(w *world) {
		item := w.bucket.Item()
		item[signal.AttrFormat] = signal.N(2)
		w.table.put(item)
	}
	queryFails := func(class error) func(*world) {
		return func(w *world) {
			w.table.put(w.bucket.Item())
			w.table.onQuery = func(context.Context, dynamo.Query) error { return class }
		}
	}
	for name, test := range map[string]struct {
		prepare func(*world)
		is      error
		says    string
	}{
		"not registered": {
			func(*world) {}, dynamo.ErrNotRegistered,
			`run bucket "5min": read bucket "5min": bucket not registered: without its registry item nothing says how to check its signals, so they stay dirty; apply availability_cadence_bucket "5min" for this table, or remove the rule that triggers it`,
		},
		"newer format": {
			newer, signal.ErrFormat,
			`run bucket "5min": registry item has format 2, this release reads format 1: written by a newer release; install the release of availability that wrote it, or a later one`,
		},
		"no index": {
			queryFails(dynamo.ErrIndexNotFound), dynamo.ErrIndexNotFound,
			`run bucket "5min": list its dirty signals: index not found: create an index of gsipk and gsisk that projects dirtySince, ttl and notBefore, or give the runtime the name of the one that there is`,
		},
		"index of another shape": {
			queryFails(dynamo.ErrRejected), dynamo.ErrRejected,
			`run bucket "5min": list its dirty signals: request rejected: the index must have the keys gsipk and gsisk, and project dirtySince, ttl and notBefore`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				key := w.seed("2026-07-01")
				test.prepare(w)
				_, err := w.runner.Run(w.Context(), "5min")
				if !errors.Is(err, test.is) || err.Error() != test.says {
					t.Errorf("got %v\nwant %s", err, test.says)
				}
				if w.bit(key) != signal.Dirty || !w.free(key) {
					t.Error("a signal was touched")
				}
				if w.table.item(signal.RunKey("5min"))[protocol.AttrLastRunAt].Exists() {
					t.Error("the run item says that it has run")
				}
				if lines := w.logged("run failed"); len(lines) != 1 || lines[0]["error"] != test.says {
					t.Errorf("log: %v", lines)
				}
			})
		})
	}
}

func TestRun_listingThatTakesTooLong(t *testing.T) {
	inWorld(t, func(w *world) {
		w.table.onQuery = func(ctx context.Context, _ dynamo.Query) error {
			<-ctx.Done()
			return fmt.Errorf("%w: %w", dynamo.ErrUnknown, ctx.Err())
		}
		ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
		defer cancel()
		report, err := w.tryRun(ctx)
		if err == nil || !strings.HasSuffix(err.Error(), "the invocation ends before all are listed; give the function more time") {
			t.Errorf("got %v", err)
		}
		// Five seconds are left to say so, and to give the bucket back.
		if report.DurationMS != 55_000 {
			t.Errorf("it took %d ms, want 55 s", report.DurationMS)
		}
	})
}

func TestRun_keepsItsRunItem(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		first := w.run()
		item := w.table.item(signal.RunKey("5min"))
		at := signal.FormatInstant(first.Started)
		for name, want := range map[string]string{
			protocol.AttrStartedAt: at, protocol.AttrPreviousStartedAt: at, protocol.AttrLastRunAt: at,
		} {
			if got := item.Text(name); got != want {
				t.Errorf("%s = %q, want %q", name, got, want)
			}
		}
		counts := map[string]int64{}
		fields, _ := item[protocol.AttrReport].Fields()
		for name, v := range fields {
			counts[name], _ = v.Int()
		}
		text, err := json.Marshal(first.Counts)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]int64{}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, counts); diff != "" || want["cleaned"] != 1 {
			t.Errorf("the run item's counts are not the report's: %s", diff)
		}

		time.Sleep(5 * time.Minute)
		w.run()
		item = w.table.item(signal.RunKey("5min"))
		if got := item.Text(protocol.AttrPreviousStartedAt); got != at {
			t.Errorf("previousStartedAt = %s, want %s", got, at)
		}
	})
}

// A slow run must not overwrite what a later one has reported.
func TestRun_leavesALaterRunsItemAlone(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		later := time.Now().Add(time.Minute)
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			w.takeOver("later", later)
			return signal.Estimate{}, nil
		}
		if report := w.run(); report.Cleaned != 1 {
			t.Errorf("cleaned %d", report.Cleaned)
		}
		item := w.table.item(signal.RunKey("5min"))
		if got := item.Text(protocol.AttrStartedAt); got != signal.FormatInstant(later) || item[protocol.AttrReport].Exists() {
			t.Errorf("run item: %v", item)
		}
		// Nor one whose clock is behind.
		if _, err := w.table.apply(protocol.ReleaseRun("5min", "later")); err != nil {
			t.Fatal(err)
		}
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) { return signal.Estimate{}, nil }
		w.seed("2026-07-02")
		if report := w.run(); report.Cleaned != 1 {
			t.Errorf("cleaned %d", report.Cleaned)
		}
		if got := w.table.item(signal.RunKey("5min")).Text(protocol.AttrStartedAt); got != signal.FormatInstant(later) {
			t.Errorf("startedAt = %s", got)
		}
	})
}

func TestRun_withoutARunItem(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		w.table.onWrite = func(write protocol.Write, do func() (signal.Item, error)) (signal.Item, error) {
			if write.Op == protocol.OpTakeRun || write.Op == protocol.OpEndRun {
				return nil, dynamo.ErrThrottled
			}
			return do()
		}
		if report := w.run(); report.Cleaned != 1 {
			t.Errorf("cleaned %d", report.Cleaned)
		}
		if lines := w.logged("run item not written: this run is missing in the bucket's health"); len(lines) != 2 {
			t.Errorf("log: %v", lines)
		}
	})
}

// A clock was wrong once, or somebody wrote there by hand.
func TestRun_overwritesARunItemThatIsAstray(t *testing.T) {
	ahead := time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, item := range map[string]signal.Item{
		"started in 2099": {
			protocol.AttrStartedAt: signal.S(signal.FormatInstant(ahead)), protocol.AttrPreviousStartedAt: signal.S(signal.FormatInstant(ahead)),
		},
		"started at a number":    {protocol.AttrStartedAt: signal.N(1)},
		"started at no instant":  {protocol.AttrStartedAt: signal.S("tomorrow")},
		"held until 2099":        {protocol.AttrRunBy: signal.S("crashed"), protocol.AttrRunUntil: signal.N(ahead.UnixMilli())},
		"held until some text":   {protocol.AttrRunBy: signal.S("crashed"), protocol.AttrRunUntil: signal.S("2099")},
		"both, by the same slip": {protocol.AttrStartedAt: signal.S(signal.FormatInstant(ahead)), protocol.AttrRunUntil: signal.N(ahead.UnixMilli())},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.seed("2026-07-01")
				key := signal.RunKey(w.bucket.Name)
				item[signal.AttrPK], item[signal.AttrSK] = signal.S(key.PK), signal.S(key.SK)
				w.table.put(item)
				for range 2 {
					report := w.run()
					after := w.runItem()
					if !report.HeldUntil.IsZero() || after.Text(protocol.AttrStartedAt) != signal.FormatInstant(report.Started) || !after[protocol.AttrReport].Exists() || after[protocol.AttrRunBy].Exists() {
						t.Errorf("report %+v, run item %v", report, after)
					}
					time.Sleep(5 * time.Minute)
				}
				if lines := w.warnings(); len(lines) != 1 || !strings.HasPrefix(lines[0], "run item overwritten") {
					t.Errorf("want one warning: %q", lines)
				}
			})
		})
	}
}

func TestRun_saysThatItIsNotNoted(t *testing.T) {
	inWorld(t, func(w *world) {
		later := signal.FormatInstant(time.Now().Add(time.Minute))
		key := signal.RunKey(w.bucket.Name)
		w.table.put(signal.Item{signal.AttrPK: signal.S(key.PK), signal.AttrSK: signal.S(key.SK), protocol.AttrStartedAt: signal.S(later)})
		w.seed("2026-07-01")
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			if until := w.runItem().Int(protocol.AttrRunUntil); until != time.Now().Add(time.Minute).UnixMilli() {
				t.Error("it runs without having the bucket")
			}
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		w.run()
		lines := w.logged("this run is missing in the bucket's health: by its clock, a later run has started")
		if len(lines) != 1 || lines[0]["startedAt"] != later || len(w.warnings()) != 1 {
			t.Errorf("want one warning, with when that was: %v", lines)
		}
		if item := w.runItem(); item[protocol.AttrRunBy].Exists() {
			t.Errorf("the bucket is not given back: %v", item)
		}
		if got := w.runItem().Text(protocol.AttrStartedAt); got != later {
			t.Errorf("startedAt = %s, want the later run's", got)
		}
		if w.runItem()[protocol.AttrRunBy].Exists() {
			t.Error("the bucket is not given back")
		}
	})
}

// How the runs before have gone, a run knows though it is not noted itself.
func TestRun_notNotedButNotForgetful(t *testing.T) {
	for name, prepare := range map[string]func(w *world){
		"a later run has started": func(*world) {},
		"and the table is throttled": func(w *world) {
			w.on(protocol.OpTakeRun, 2, func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrThrottled })
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.previousRun(-time.Minute, 100, 0, 0)
				prepare(w)
				w.seed("2026-07-01")
				w.estimate = failing(errDown)
				// The source had worked: it is the signal that is blamed.
				w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Failed: 1})
			})
		})
	}
}

// warnings is the messages of the log's warnings.
func (w *world) warnings() []string {
	w.Helper()
	var messages []string
	for line := range bytes.Lines(w.logs.Bytes()) {
		var fields struct{ Level, Msg string }
		if err := json.Unmarshal(line, &fields); err != nil {
			w.Fatal(err)
		}
		if fields.Level == "WARN" {
			messages = append(messages, fields.Msg)
		}
	}
	return messages
}

// busy is a table that never answers whoever takes a run item.
type busy struct{ *table }

func (b busy) Write(ctx context.Context, write protocol.Write) (signal.Item, error) {
	if write.Op == protocol.OpTakeRun {
		<-ctx.Done()
		return nil, fmt.Errorf("%w: %w", dynamo.ErrUnknown, ctx.Err())
	}
	return b.table.Write(ctx, write)
}

func TestRun_doesNotWaitForItsRunItem(t *testing.T) {
	for _, invocation := range []time.Duration{3 * time.Second, 10 * time.Second, 15 * time.Minute} {
		inWorld(t, func(w *world) {
			w.runner.Store = busy{w.table}
			w.seed("2026-07-01")
			if report := w.runFor(invocation); report.Cleaned != 1 || report.DurationMS > min(2000, invocation.Milliseconds()/5) {
				t.Errorf("in %s: %+v", invocation, report)
			}
			if lines := w.logged("run item not written: this run is missing in the bucket's health"); len(lines) != 1 {
				t.Errorf("log: %v", lines)
			}
		})
	}
}

// Where not even the run item can be written, neither can a claim.
func TestRun_thatMayNotWrite(t *testing.T) {
	for _, class := range []error{dynamo.ErrAccessDenied, dynamo.ErrTableNotFound, dynamo.ErrRejected} {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			w.on(protocol.OpTakeRun, always, func(func() (signal.Item, error)) (signal.Item, error) { return nil, class })
			if report, err := w.tryRun(w.Context()); !errors.Is(err, class) || report.Seen != 0 || !w.free(key) {
				t.Errorf("got %v, %+v", err, report)
			}
		})
	}
}

func TestRun_reportsAsJSON(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01", dirtyFor(time.Minute))
		bad := w.seed("2026-07-02", attr(signal.AttrPattern, signal.S("exact")))
		got, err := json.Marshal(w.run())
		if err != nil {
			t.Fatal(err)
		}
		want := `{"bucket":"cadenceBucket::5min","started":"2000-01-01T00:00:00Z",` +
			`"seen":2,"expired":0,"notDue":0,"due":2,"claimed":2,"refused":0,"computed":1,"changed":1,"cleaned":1,"raced":0,"settling":0,` +
			`"failed":1,"backedOff":0,"quarantined":0,"released":0,"superseded":0,"abandoned":0,` +
			`"audited":0,"mismatched":0,"auditFailed":0,"swept":0,"remaining":0,"anomalies":0,` +
			`"oldestDirtyAgeSeconds":60,"throttles":0,"durationMs":0,` +
			`"failures":[{"key":"` + bad.String() + `","reason":"invalid availability estimation pattern: expected a map"}]}`
		if string(got) != want {
			t.Errorf(" got %s\nwant %s", got, want)
		}
	})
}

func TestRun_logsKeysAndCountsButNoValues(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01", attr(signal.AttrValue, signal.S("canary")), attr("guest", signal.S("canary")))
		bad := w.seed("2026-07-02", attr(signal.AttrPattern, signal.M(map[string]signal.Value{"canary": signal.S("canary")})))
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			return signal.Estimate{Available: 123456, Capacity: 123455}, nil
		}
		w.run()
		for _, secret := range []string{"canary", "123456", "123455"} {
			if strings.Contains(w.logs.String(), secret) {
				t.Errorf("the log has %q:\n%s", secret, w.logs.String())
			}
		}
		failed := w.logged("signal not checked")
		if len(failed) != 1 || failed[0]["key"] != bad.String() || failed[0]["reason"] == "" || failed[0]["bucket"] != "cadenceBucket::5min" {
			t.Errorf("line of the failed signal: %v", failed)
		}
		ends := w.logged("run")
		if len(ends) != 1 || ends[0]["cleaned"] != 1.0 || ends[0]["failed"] != 1.0 || ends[0]["anomalies"] != 1.0 || ends[0]["bucket"] != "cadenceBucket::5min" {
			t.Errorf("line of the run: %v", ends)
		}
		if odd := w.logged("estimate out of range, counted as the nearest sensible one"); len(odd) != 1 || odd[0]["anomaly"] != string(signal.AboveCapacity) || odd[0]["key"] == nil {
			t.Errorf("line of the anomaly: %v", odd)
		}
	})
}
