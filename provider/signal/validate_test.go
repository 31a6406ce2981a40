package signal_test

import (
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestSignal_validation(t *testing.T) {
	t.Parallel()
	tiered := func(tiers ...any) acctest.Config {
		return acctest.Config{"availability_estimation_pattern": pattern("tiered", tiers...)}
	}
	unknown := acctest.Unknown{}
	tests := []struct {
		name string
		more acctest.Config
		want []string
	}{
		{"as it should be", acctest.Config{}, nil},
		{"numbers as ids", acctest.Config{"activity_id": "7", "product_id": "-1.5"}, nil},
		{"a colon inside", acctest.Config{"activity_id": "a:b"}, nil},
		{"an empty part", acctest.Config{"collection_id": ""}, []string{`collection_id: Invalid signal: The key part "" must not be empty.`}},
		{"a separator", acctest.Config{"activity_type": "a::b"}, []string{`activity_type: Invalid signal: The key part "a::b" must not contain "::", which separates the parts of a key.`}},
		{"a colon at the end", acctest.Config{"activity_id": "1:"}, []string{`activity_id: Invalid signal: The key part "1:" must not begin or end with ":", which would run into the separator "::".`}},
		{"a control character", acctest.Config{"product_id": "a\n"}, []string{`product_id: Invalid signal: The key part "a\n" must not contain control characters.`}},
		{"a key that is too long", acctest.Config{"product_id": strings.Repeat("x", 2100)}, []string{`Invalid signal: Invalid signal key: the four parts make a key of 2146 bytes, the table takes 2036.`}},
		{"no date", acctest.Config{"date": "2090-02-30"}, []string{`date: Invalid signal: Invalid date "2090-02-30": expected a calendar date as YYYY-MM-DD, such as 2026-07-01.`}},
		{"a short date", acctest.Config{"date": "2090-7-1"}, []string{`date: Invalid signal: Invalid date "2090-7-1": expected a calendar date as YYYY-MM-DD, such as 2026-07-01.`}},
		{"a bucket's id", acctest.Config{"cadence_bucket": "cadenceBucket::5min"}, []string{`cadence_bucket: Invalid signal: Invalid bucket name "cadenceBucket::5min": expected 1 to 40 lower-case letters, digits and hyphens, beginning with a letter or digit, such as 5min.`}},
		{"an empty bucket", acctest.Config{"cadence_bucket": ""}, []string{`cadence_bucket: Invalid signal: Invalid bucket name "": expected 1 to 40 lower-case letters, digits and hyphens, beginning with a letter or digit, such as 5min.`}},
		{"no instant", acctest.Config{"expiry": "2090-07-02"}, []string{`expiry: Invalid signal: Invalid instant "2090-07-02": expected ISO 8601 such as 2026-07-02T07:00:00.000Z.`}},
		{"an empty expiry", acctest.Config{"expiry": ""}, []string{`expiry: Invalid signal: Invalid instant "": expected ISO 8601 such as 2026-07-02T07:00:00.000Z.`}},
		{"an expiry after the last year", acctest.Config{"expiry": "9999-12-31T23:59:59-01:00"}, []string{`expiry: Invalid signal: Invalid instant "9999-12-31T23:59:59-01:00": in UTC it is after the year 9999.`}},
		{"the last expiry", acctest.Config{"expiry": "9999-12-31T23:59:59Z"}, nil},
		{"a table's ARN", acctest.Config{"table_name": "arn:aws:dynamodb:::table/x"}, []string{`table_name: Invalid signal: Table name "arn:aws:dynamodb:::table/x": expected the name of a table, not its ARN: 3 to 255 letters, digits, dots, hyphens and underscores.`}},
		{"a state", acctest.Config{"initial_state": "unknown"}, []string{`initial_state: Invalid signal: Initial state "unknown": expected dirty or clean.`}},
		{"an empty value", acctest.Config{"initial_value": ""}, []string{`initial_value: Invalid signal: The initial value is empty; leave it out to start without one.`}},
		{"a value of no count", acctest.Config{"initial_value": "high"}, []string{`initial_value: Invalid signal: Initial value "high": with the mode exact a value is a whole number such as 37, or none.`}},
		{"a padded count", acctest.Config{"initial_value": "007"}, []string{`initial_value: Invalid signal: Initial value "007": with the mode exact a value is a whole number such as 37, or none.`}},
		{"nothing left", acctest.Config{"initial_value": "0"}, nil},
		{"no inventory", acctest.Config{"initial_value": "none"}, nil},
		{"a value of no tier", acctest.Config{"initial_value": "37", "availability_estimation_pattern": pattern("tiered")}, []string{`initial_value: Invalid signal: Initial value "37": with these tiers a value is one of full, low, medium, high, or none.`}},
		{"sold out, without a tier", acctest.Config{"initial_value": "full", "availability_estimation_pattern": pattern("tiered", tier("any", 1))}, nil},
		{"a mode", acctest.Config{"availability_estimation_pattern": pattern("EXACT")}, []string{`availability_estimation_pattern.estimation_mode: Invalid signal: Estimation mode "EXACT": expected exact or tiered.`}},
		{"exact with tiers", acctest.Config{"availability_estimation_pattern": pattern("exact", tier("any", 1))}, []string{`availability_estimation_pattern.tiers: Invalid signal: Only the mode tiered has tiers. Remove them, or set estimation_mode = "tiered".`}},
		{"no tiers", acctest.Config{"availability_estimation_pattern": acctest.Config{"estimation_mode": "tiered", "tiers": []any{}}}, []string{`availability_estimation_pattern.tiers: Invalid signal: Tiers must have at least one entry, or be left out for full 0, low 0.25, medium 0.75, high 1.`}},
		{"a tier without id", tiered(tier("", 1)), []string{`availability_estimation_pattern.tiers.0: Invalid signal: Tier 1 has an empty id.`}},
		{"a tier called none", tiered(tier("none", 1)), []string{`availability_estimation_pattern.tiers.0: Invalid signal: Tier 1 has the id "none", which is the value of a date without inventory.`}},
		{"a tier twice", tiered(tier("a", 0.5), tier("a", 1)), []string{`availability_estimation_pattern.tiers.1: Invalid signal: Tier 2 has the id "a" of tier 1.`}},
		{"bounds out of order", tiered(tier("a", 0.5), tier("b", 0.5), tier("c", 1)), []string{`availability_estimation_pattern.tiers.1: Invalid signal: Tier 2 (b) has the bound 0.5, which is not above the 0.5 before it.`}},
		{"a last bound below 1", tiered(tier("a", 0), tier("b", 0.99)), []string{`availability_estimation_pattern.tiers.1: Invalid signal: Tier 2 (b) is the last and must have the bound 1, not 0.99.`}},
		{"a percentage", tiered(tier("a", 25), tier("b", 100)), []string{
			`availability_estimation_pattern.tiers.0.max_percentage: Invalid signal: Tier 1 (a): max_percentage: fraction "25" is greater than 1: expected a decimal from 0 to 1, such as 0.25; it is a fraction: did you mean 0.25?`,
			`availability_estimation_pattern.tiers.1.max_percentage: Invalid signal: Tier 2 (b): max_percentage: fraction "100" is greater than 1: expected a decimal from 0 to 1, such as 0.25; it is a fraction: did you mean 1?`,
		}},
		{"no percentage either", tiered(tier("a", 101)), []string{`availability_estimation_pattern.tiers.0.max_percentage: Invalid signal: Tier 1 (a): max_percentage: fraction "101" is greater than 1: expected a decimal from 0 to 1, such as 0.25.`}},
		{"a negative bound", tiered(tier("a", -0.5), tier("b", 1)), []string{`availability_estimation_pattern.tiers.0.max_percentage: Invalid signal: Tier 1 (a): max_percentage: fraction "-0.5" is negative or not a number: expected a decimal from 0 to 1, such as 0.25.`}},
		{"a third", tiered(tier("a", 1.0/3), tier("b", 1)), nil},
		{"an empty label", tiered(acctest.Config{"id": "a", "label": "", "max_percentage": 1}), []string{`availability_estimation_pattern.tiers.0.label: Invalid signal: Tier 1 (a): label is empty. Leave it out for a tier without one.`}},
		{"unknown tiers", acctest.Config{"availability_estimation_pattern": acctest.Config{"estimation_mode": "tiered", "tiers": unknown}}, nil},
		{"an unknown bound", tiered(tier("a", unknown), tier("a", 2)), []string{`availability_estimation_pattern.tiers.1.max_percentage: Invalid signal: Tier 2 (a): max_percentage: fraction "2" is greater than 1: expected a decimal from 0 to 1, such as 0.25; it is a fraction: did you mean 0.02?`}},
		{"all unknown", acctest.Config{
			"collection_id": unknown, "activity_type": unknown, "activity_id": unknown, "product_id": unknown, "date": unknown,
			"cadence_bucket": unknown, "availability_estimation_pattern": unknown, "time_zone": unknown, "expiry": unknown,
			"initial_value": unknown, "initial_state": unknown, "table_name": unknown,
		}, nil},
		{"an unknown mode", acctest.Config{"availability_estimation_pattern": acctest.Config{"estimation_mode": unknown}, "initial_value": "x"}, nil},
	}
	d := acctest.NewDriver(t, signalType, acctest.Config{"region": "ca-central-1"})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			holdErrors(t, d.Validate(exactSignal(tt.more)), tt.want...)
		})
	}
}

// What has no value at all is Terraform's to refuse; it must not panic here.
func TestSignal_validationOfNothing(t *testing.T) {
	t.Parallel()
	d := acctest.NewDriver(t, signalType, acctest.Config{"region": "ca-central-1"})
	d.Validate(acctest.Config{})
	d.Validate(acctest.Config{"availability_estimation_pattern": acctest.Config{}})
	d.Validate(exactSignal(acctest.Config{"availability_estimation_pattern": pattern("tiered", acctest.Config{})}))
	d.Validate(exactSignal(acctest.Config{"availability_estimation_pattern": pattern("tiered", nil)}))
	holdErrors(t, d.Validate(exactSignal(acctest.Config{"time_zone": "PST"}))[:1],
		`time_zone: Invalid signal: Unknown time zone "PST": an abbreviation is half a year's offset, not a place; write a place of that time, such as America/Vancouver or America/Los_Angeles (zone data `+signal.ZoneVersion()+`).`)
}
