package function_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

type args = []any

func TestFunctions(t *testing.T) {
	t.Parallel()
	parts := func(collection, activityType, activity, product string) map[string]any {
		return map[string]any{"collection_id": collection, "activity_type": activityType, "activity_id": activity, "product_id": product}
	}
	tests := map[string][]struct {
		args args
		want any
	}{
		"signal_key": {
			{args{"mockPark1", "backcountryCamp", "1", "1"}, "availabilitySignal::mockPark1::backcountryCamp::1::1"},
			{args{"été", "a:b", "c/d", "e f"}, "availabilitySignal::été::a:b::c/d::e f"},
		},
		"parse_signal_key": {
			{args{"availabilitySignal::mockPark1::backcountryCamp::1::1"}, parts("mockPark1", "backcountryCamp", "1", "1")},
			{args{"availabilitySignal::mockPark1::backcountryCamp::1:2"}, parts("mockPark1", "backcountryCamp", "1", "2")},
		},
		"signal_expiry": {
			{args{"2026-07-01", "UTC"}, "2026-07-02T00:00:00.000Z"},
			{args{"2026-07-01", "America/Vancouver"}, "2026-07-02T07:00:00.000Z"},
			// British Columbia stays on summer time.
			{args{"2027-01-15", "America/Vancouver"}, "2027-01-16T07:00:00.000Z"},
			{args{"2028-02-28", "UTC"}, "2028-02-29T00:00:00.000Z"},
		},
		"schedule_expression": {
			{args{acctest.Config{"minutes": 1}}, "rate(1 minute)"},
			{args{acctest.Config{"minutes": 5}}, "rate(5 minutes)"},
			{args{acctest.Config{"hours": 1}}, "rate(1 hour)"},
			{args{acctest.Config{"days": 2, "hours": nil}}, "rate(2 days)"},
			{args{acctest.Config{"days": acctest.Unknown{}}}, acctest.Unknown{}},
		},
	}
	s := acctest.NewOfflineServer(t)
	for name, calls := range tests {
		t.Run(name, func(t *testing.T) {
			for _, call := range calls {
				got, err := s.Call(name, call.args...)
				if err != nil {
					t.Errorf("%v: %s", call.args, err.Text)
					continue
				}
				if diff := cmp.Diff(call.want, got); diff != "" {
					t.Errorf("%v (-want +got):\n%s", call.args, diff)
				}
			}
		})
	}
}

// An error names the argument that is to blame, and says what was expected.
func TestFunctions_errors(t *testing.T) {
	t.Parallel()
	const units = "expected exactly one of minutes, hours and days, set to 1 or more, such as { minutes = 5 }; got "
	tests := map[string][]struct {
		args     args
		argument int64
		want     string
	}{
		"signal_key": {
			{args{"", "b", "c", "d"}, 0, `Collection_id "" must not be empty.`},
			{args{"a", "b::c", "c", "d"}, 1, `Activity_type "b::c" must not contain "::", which separates the parts of a key.`},
			{args{"a", "b", ":c", "d"}, 2, `Activity_id ":c" must not begin or end with ":", which would run into the separator "::".`},
			{args{"a", "b", "c", "d\n"}, 3, `Product_id "d\n" must not contain control characters.`},
			{args{strings.Repeat("a", 2048), "b", "c", "d"}, -1, "Invalid signal key: the four parts make a key of 2072 bytes, the table takes 2036."},
		},
		"parse_signal_key": {
			{args{""}, 0, `Invalid signal key "": expected it to begin with "availabilitySignal::".`},
			{args{"availabilitySignal::a::b"}, 0, `Invalid signal key "availabilitySignal::a::b": expected four parts after "availabilitySignal::", found 2.`},
			{args{"availabilitySignal::a::b::c::"}, 0, `Key "availabilitySignal::a::b::c::": product_id "" must not be empty.`},
		},
		"signal_expiry": {
			{args{"2027-02-29", "UTC"}, 0, `Invalid date "2027-02-29": expected a calendar date as YYYY-MM-DD, such as 2026-07-01.`},
			{args{"", "UTC"}, 0, `Invalid date "": expected a calendar date as YYYY-MM-DD, such as 2026-07-01.`},
			{args{"2027-02-28", "PST"}, 1, `Unknown time zone "PST": an abbreviation is half a year's offset, not a place; write a place of that time, such as America/Vancouver or America/Los_Angeles (zone data ` + zoneData(t) + `).`},
		},
		"schedule_expression": {
			{args{acctest.Config{}}, 0, "Invalid cadence: " + units + "none."},
			{args{acctest.Config{"minutes": nil}}, 0, "Invalid cadence: " + units + "none."},
			{args{acctest.Config{"minutes": 1, "days": 2}}, 0, "Invalid cadence: " + units + "minutes = 1, days = 2."},
			{args{acctest.Config{"minutes": 0}}, 0, "Minutes: expected a whole number of at least 1, got 0."},
			{args{acctest.Config{"minutes": -5}}, 0, "Minutes: expected a whole number of at least 1, got -5."},
			{args{acctest.Config{"hours": 1.5}}, 0, "Hours: expected a whole number of at least 1, got 1.5."},
			{args{acctest.Config{"minutes": 1e30}}, 0, "Minutes: expected at most a year, got 1e+30."},
			{args{acctest.Config{"days": 366}}, 0, "Invalid cadence: days: expected a whole number from 1 to 365, a year, got 366."},
			{args{acctest.Config{"seconds": 5}}, 0, `Unknown unit "seconds": expected exactly one of minutes, hours and days, such as { minutes = 5 }.`},
		},
	}
	s := acctest.NewOfflineServer(t)
	for name, calls := range tests {
		t.Run(name, func(t *testing.T) {
			for _, call := range calls {
				got, err := s.Call(name, call.args...)
				if err == nil {
					t.Errorf("%v gives %v", call.args, got)
					continue
				}
				argument := int64(-1)
				if err.FunctionArgument != nil {
					argument = *err.FunctionArgument
				}
				// Terraform ends it with a period of its own.
				if text := err.Text + "."; text != call.want || argument != call.argument {
					t.Errorf("%v: argument %d, %s\nwant argument %d, %s", call.args, argument, err.Text+".", call.argument, call.want)
				}
			}
		})
	}
}

// zoneData is the release of the zones, as the repository's file has it.
func zoneData(t *testing.T) string {
	t.Helper()
	version, err := os.ReadFile("../../runtime/signal/zones/VERSION")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(version))
}

// A key and its parts are two ways to write the same, whatever the parts are.
func FuzzSignalKey(f *testing.F) {
	f.Add("mockPark1", "backcountryCamp", "1", "1")
	f.Add("::", ":", "", "\x00")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		// The protocol carries nothing else.
		if !utf8.ValidString(strings.Join([]string{a, b, c, d}, " ")) {
			return
		}
		s := acctest.NewOfflineServer(t)
		key, err := s.Call("signal_key", a, b, c, d)
		if err != nil {
			return
		}
		parts, err := s.Call("parse_signal_key", key)
		want := map[string]any{"collection_id": a, "activity_type": b, "activity_id": c, "product_id": d}
		if diff := cmp.Diff(want, parts); err != nil || diff != "" {
			t.Errorf("(-want +got):\n%s%v", diff, err)
		}
	})
}

// What the documentation shows is what Terraform says.
func TestFunctions_examples(t *testing.T) {
	const folder = "../../examples/functions"
	want := map[string]map[string]knownvalue.Check{
		"signal_key":       {"key": knownvalue.StringExact("availabilitySignal::mockPark1::backcountryCamp::1::1")},
		"parse_signal_key": {"activity": knownvalue.StringExact("backcountryCamp/1")},
		"signal_expiry":    {"expiry": knownvalue.StringExact("2027-07-02T07:00:00.000Z")},
		"schedule_expression": {
			"every_minute":    knownvalue.StringExact("rate(1 minute)"),
			"every_5_minutes": knownvalue.StringExact("rate(5 minutes)"),
		},
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(want) {
		t.Errorf("there are %d examples of %d functions", len(entries), len(want))
	}
	for name, outputs := range want {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			example, err := os.ReadFile(filepath.Join(folder, name, "function.tf"))
			if err != nil {
				t.Fatal(err)
			}
			var checks []statecheck.StateCheck
			for output, value := range outputs {
				checks = append(checks, statecheck.ExpectKnownOutputValue(output, value))
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{{
					Config:            "terraform {\n  required_providers {\n    availability = { source = \"hashicorp/availability\" }\n  }\n}\n" + string(example),
					ConfigStateChecks: checks,
				}},
			})
		})
	}
}
