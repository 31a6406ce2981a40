package signal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	signalData  = "availability_signal"
	signalsData = "availability_signals"
)

// seedReading seeds a clean signal of bucket 15min, with a value unless that is "".
func (w *world) seedReading(d signal.ProductDate, value string, dirty bool) {
	w.t.Helper()
	w.write(protocol.Seed(protocol.Seeding{
		ProductDate: d, GSIPK: signal.BucketID("15min"), GlobalID: "id-" + d.Date.String(), Pattern: signal.Pattern{Mode: signal.Exact},
		Expiry: signal.Expiry(d.Date, time.UTC), SeededBy: "test", Value: value, Dirty: dirty,
	}, w.clock.now()))
}

// ran notes a run of bucket 15min that has just ended.
func (w *world) ran() {
	w.t.Helper()
	now := w.clock.now()
	w.write(protocol.TakeRun("15min", "run", now))
	w.write(protocol.EndRun("15min", "run", now, now, signal.M(nil)))
}

// protocolServer is the provider of the world's table and time.
func (w *world) protocolServer(settings acctest.Config) *acctest.Server {
	w.t.Helper()
	all := acctest.Config{"table_name": w.table}
	for name, v := range settings {
		all[name] = v
	}
	return acctest.NewServer(w.t, all, w.option())
}

// key is a product, and what else is given.
func key(more acctest.Config) acctest.Config {
	config := acctest.Config{"collection_id": "mockPark1", "activity_type": "backcountryCamp", "activity_id": "1", "product_id": "1"}
	for name, v := range more {
		config[name] = v
	}
	return config
}

func holdTexts(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// A signal by its key and by its globalId, through all that it can be.
func TestSignalData(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.seedReading(campOn(2), "", false)
	s := w.protocolServer(nil)
	read := func(config acctest.Config) map[string]any {
		t.Helper()
		values, errs := s.Read(signalData, config)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		return values
	}
	byKey, byID := key(acctest.Config{"date": "2090-07-02"}), acctest.Config{"global_id": "id-2090-07-02"}
	want := key(acctest.Config{
		"date": "2090-07-02", "global_id": "id-2090-07-02", "table_name": w.table, "cadence_bucket": "15min", "expiry": "2090-07-03T00:00:00.000Z",
		"pending": false, "stale": true, "expired": false, "unknown": true,
	})
	holdTexts(t, "clean without a value, of a bucket that never ran", want, read(byKey))
	w.ran()
	want["stale"] = false
	holdTexts(t, "after a run", want, read(byKey))

	flipped := june.Add(time.Minute)
	w.write(protocol.Flip(campOn(2).Key(), flipped))
	want["pending"], want["dirty_since"] = true, signal.FormatInstant(flipped)
	holdTexts(t, "flipped", want, read(byID))

	c := protocol.NewCheck(campOn(2).Key(), signal.Bucket{Name: "15min", Shards: 1, Checks: signal.DefaultChecks()}, "run", flipped)
	w.write(c.Write())
	c = c.Applied(w.item(2)).Computed(protocol.Outcome{Value: "37", AsOf: flipped.Add(time.Second)})
	w.write(c.Write())
	want["pending"], want["unknown"], want["value"], want["as_of"] = false, false, "37", signal.FormatInstant(flipped.Add(time.Second))
	delete(want, "dirty_since")
	holdTexts(t, "checked", want, read(byID))
	holdTexts(t, "checked, by its key", want, read(byKey))

	w.clock.set(time.Date(2090, time.July, 3, 0, 0, 0, 0, time.UTC))
	want["expired"], want["stale"] = true, true
	delete(want, "value")
	holdTexts(t, "expired", want, read(byKey))
}

func TestSignalData_errors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const either = ": a signal is given by the five parts of its key, or by its global_id."
	tests := map[string]struct {
		settings, config acctest.Config
		want             string
	}{
		"not there": {
			nil,
			key(acctest.Config{"date": "2090-07-02"}),
			`Unable to read signal "mockPark1/backcountryCamp/1/1 2090-07-02": There is none in table "` + w.table + "\".\n\nCorrect its key or table_name, or seed it first, with a resource on which this data source depends.",
		},
		"no such id": {
			nil,
			acctest.Config{"global_id": "x-1"},
			`Unable to read signal "x-1": There is none in table "` + w.table + "\".\n\nCorrect its key or table_name, or seed it first, with a resource on which this data source depends.",
		},
		"nothing":       {nil, nil, "collection_id: Invalid signal: collection_id is missing" + either},
		"no date":       {nil, key(nil), "date: Invalid signal: date is missing" + either},
		"both":          {nil, acctest.Config{"date": "2090-07-02", "global_id": "x"}, "date: Invalid signal: date and global_id are both set: a signal is given by either its key or its global_id."},
		"bad date":      {nil, key(acctest.Config{"date": "2090-02-29"}), `date: Invalid signal: Invalid date "2090-02-29": expected a calendar date as YYYY-MM-DD, such as 2026-07-01.`},
		"bad part":      {nil, key(acctest.Config{"date": "2090-07-02", "product_id": "a::b"}), `product_id: Invalid signal: The key part "a::b" must not contain "::", which separates the parts of a key.`},
		"unknown table": {acctest.Config{"table_name": acctest.Unknown{}}, key(acctest.Config{"date": "2090-07-02"}), `Unable to read signal "mockPark1/backcountryCamp/1/1 2090-07-02": Settings of the provider are not known before the apply, and Terraform cannot put off reading a data source because of them.` + "\n\n" + "Set them to values that are known at plan, or make this data source depend on what they come from, by depends_on, so that it is read during the apply."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := w.protocolServer(tt.settings).Read(signalData, tt.config)
			holdTexts(t, "errors", []string{tt.want}, errs)
		})
	}
	_, errs := w.protocolServer(acctest.Config{"global_id_index_name": "nowhere"}).Read(signalData, acctest.Config{"global_id": "x"})
	if len(errs) != 1 || !strings.HasPrefix(errs[0], `Unable to read signal "x": Table "`+w.table+`" has no such index.`) {
		t.Errorf("without the index: %q", errs)
	}
}

// A product's dates in order, and a bucket's signals by their bit.
func TestSignalsData(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ran()
	for day := 1; day <= 6; day++ {
		if day != 4 {
			w.seedReading(campOn(day), fmt.Sprint(day), day%2 == 0)
		}
	}
	w.put(another(7))
	s := w.protocolServer(nil)
	read := func(config acctest.Config) (summary []string, more any) {
		t.Helper()
		values, errs := s.Read(signalsData, config)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		for _, element := range values["signals"].([]any) {
			r := element.(map[string]any)
			summary = append(summary, fmt.Sprint(r["date"], " ", r["value"], " ", r["pending"]))
		}
		return summary, values["more"]
	}
	dates, more := read(key(acctest.Config{"start_date": "2090-07-02", "end_date": "2090-07-06"}))
	holdTexts(t, "dates", []string{"2090-07-02 2 true", "2090-07-03 3 false", "2090-07-05 5 false", "2090-07-06 6 true"}, dates)
	holdTexts(t, "more dates", false, more)
	if none, _ := read(key(acctest.Config{"start_date": "2091-01-01", "end_date": "2091-01-01"})); len(none) > 0 {
		t.Errorf("there are %v", none)
	}
	for state, want := range map[any]int{nil: 5, "any": 5, "dirty": 2, "clean": 3} {
		if got, more := read(acctest.Config{"cadence_bucket": "15min", "state": state}); len(got) != want || more != false {
			t.Errorf("%v: %q, more %v", state, got, more)
		}
	}
	if got, more := read(acctest.Config{"cadence_bucket": "15min", "limit": 4}); len(got) != 4 || more != true {
		t.Errorf("4 at most: %q, more %v", got, more)
	}
	if got, more := read(acctest.Config{"cadence_bucket": "15min", "limit": 5}); len(got) != 5 || more != false {
		t.Errorf("5 at most: %q, more %v", got, more)
	}
}

// A bucket whose name is misspelt has no signals either.
func TestSignalsData_unknownBucket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.register("hourly", 60)
	s := w.protocolServer(nil)
	for name, want := range map[string][]string{
		"hourly": nil,
		"horly": {`cadence_bucket: No such cadence bucket: Cadence bucket "horly" is not registered in table "` + w.table + `", and has no signals there. ` +
			"Correct cadence_bucket or table_name, or create the bucket first, as a resource on which this data source depends."},
	} {
		values, errs := s.Read(signalsData, acctest.Config{"cadence_bucket": name})
		if len(errs) > 0 || len(values["signals"].([]any)) > 0 {
			t.Errorf("%s: %v, errors %q", name, values["signals"], errs)
		}
		holdTexts(t, "warnings of "+name, want, s.Warnings())
	}
}

func TestSignalsData_errors(t *testing.T) {
	t.Parallel()
	const either = ": signals are chosen by the four parts of their product, start_date and end_date, or by cadence_bucket."
	tests := map[string]struct {
		config acctest.Config
		want   []string
	}{
		"nothing": {nil, []string{"collection_id: Invalid choice of signals: collection_id is missing" + either}},
		"no end":  {key(acctest.Config{"start_date": "2090-07-02"}), []string{"end_date: Invalid choice of signals: end_date is missing" + either}},
		"both":    {key(acctest.Config{"cadence_bucket": "5min"}), []string{"collection_id: Invalid choice of signals: collection_id and cadence_bucket are both set: signals are chosen either by product and dates or by bucket."}},
		"end before start": {
			key(acctest.Config{"start_date": "2090-07-02", "end_date": "2090-07-01"}),
			[]string{"end_date: Invalid choice of signals: end_date 2090-07-01 is before start_date 2090-07-02."},
		},
		"state of a product": {
			key(acctest.Config{"start_date": "2090-07-02", "end_date": "2090-07-02", "state": "dirty", "limit": 1}),
			[]string{
				"state: Invalid choice of signals: state is set without cadence_bucket, whose signals it chooses.",
				"limit: Invalid choice of signals: limit is set without cadence_bucket, whose signals it chooses.",
			},
		},
		"bad state": {
			acctest.Config{"cadence_bucket": "5min", "state": "filthy"},
			[]string{`state: Invalid Attribute Value Match: Attribute state value must be one of: ["dirty" "clean" "any"], got: "filthy"`},
		},
		"limit of a half": {
			acctest.Config{"cadence_bucket": "5min", "limit": 0.5},
			[]string{"limit: Invalid choice of signals: Expected a whole number, got 0.5."},
		},
		"limit of 0": {
			acctest.Config{"cadence_bucket": "5min", "limit": 0},
			[]string{"limit: Invalid Attribute Value: Attribute limit value must be between 1 and 100000, got: 0"},
		},
	}
	s := acctest.NewOfflineServer(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := s.Read(signalsData, tt.config)
			holdTexts(t, "errors", tt.want, errs)
		})
	}
}

// What the documentation shows applies.
func TestDataExamples(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock.set(time.Date(2027, time.April, 1, 0, 0, 0, 0, time.UTC))
	w.keepExpired()
	w.ran()
	on := func(day int) signal.ProductDate {
		return signal.ProductDate{Product: camp, Date: signal.Date{Year: 2027, Month: time.July, Day: day}}
	}
	w.seedReading(on(1), "37", false)
	w.seedReading(on(2), "0", true)
	for typeName, outputs := range map[string]map[string]knownvalue.Check{
		signalData: {"left": knownvalue.StringExact("37")},
		signalsData: {
			"waiting":  knownvalue.Int64Exact(1),
			"calendar": knownvalue.ObjectExact(map[string]knownvalue.Check{"2027-07-01": knownvalue.StringExact("37"), "2027-07-02": knownvalue.StringExact("0")}),
		},
	} {
		t.Run(typeName, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join("../../examples/data-sources", typeName, "data-source.tf"))
			if err != nil {
				t.Fatal(err)
			}
			var checks []statecheck.StateCheck
			for output, value := range outputs {
				checks = append(checks, statecheck.ExpectKnownOutputValue(output, value))
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(w.option()),
				Steps: []resource.TestStep{{
					Config: string(content), ConfigVariables: config.Variables{"table_name": config.StringVariable(w.table)},
					ConfigStateChecks: checks,
				}},
			})
		})
	}
}
