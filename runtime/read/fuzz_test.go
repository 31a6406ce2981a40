package read_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// FuzzParse has anything stand in a signal's attributes: nothing that runs take for
// expired is served, and nothing that is dirty, unknown or nobody's to check is called
// fresh.
func FuzzParse(f *testing.F) {
	f.Add("availabilitySignal", "cadenceBucket::5min", "clean", "7", "2026-06-30T23:00:00.000Z", "", "2026-07-02T00:00:00.000Z", "1782950400", "")
	f.Add("availabilitySignal", "cadenceBucket::5min::3", "dirty", "", "x", "2026-06-30T23:59:00.000Z", "2026-06-30T00:00:00Z", "1782950400", "")
	f.Add("availabilitySignal", "cadenceBucket::9min", "clean", "low", "", "", "", "1782777600.5", "")
	f.Add("booking", "", "", "", "", "", "", "9223372036854775807", "")
	f.Add("availabilitySignal", "cadenceBucket::5min", "clean", "7", "", "", "2026-07-01T02:00:00+02:00", "", "-1")
	f.Fuzz(func(t *testing.T, schema, gsipk, bit, value, lastUpdated, dirtySince, expiry, ttl, more string) {
		item := signal.Item{}
		for name, text := range map[string]string{
			signal.AttrPK: camp.PK(), signal.AttrSK: on(1).Date.String(), signal.AttrSchema: schema, signal.AttrGSIPK: gsipk, signal.AttrGSISK: bit,
			signal.AttrValue: value, signal.AttrLastUpdatedAt: lastUpdated, signal.AttrDirtySince: dirtySince, signal.AttrExpiry: expiry,
		} {
			if text != "" {
				item[name] = signal.S(text)
			}
		}
		if isNumber(ttl) {
			item[signal.AttrTTL] = signal.Decimal(ttl)
		}
		if more != "" {
			item[more] = signal.Other()
		}
		fives := read.Bucket{Bucket: signal.Bucket{Name: "5min", Cadence: signal.Cadence{Minutes: 5}}, Registered: true, LastRunAt: now}
		r, ok := read.Parse(item, func(name string) read.Bucket {
			if name == "5min" {
				return fives
			}
			return read.Bucket{}
		}, now)
		isSignal := item.Text(signal.AttrSchema) == signal.SchemaSignal && item.Key() == on(1).Key()
		if ok != isSignal {
			t.Fatalf("a signal: %t, want %t: %v", ok, isSignal, item)
		}
		if !ok {
			return
		}
		_, err := signal.ParseInstant(item.Text(signal.AttrExpiry))
		told := err == nil || !item[signal.AttrExpiry].Exists()
		if over := protocol.Expired(item, now); told && over && !protocol.Timeless(item, now) && (!r.Expired || r.Value != "") {
			t.Errorf("it has expired, and reads as %+v: %v", r, item)
		}
		if r.Fresh() && (r.Bucket != "5min" || item.Text(signal.AttrGSISK) == signal.Dirty || r.Value == "" || r.Value != item.Text(signal.AttrValue)) {
			t.Errorf("it reads as fresh: %+v: %v", r, item)
		}
		if r.Expired && !r.Expiry.IsZero() && r.Expiry.After(now) || !r.Expired && !r.Expiry.IsZero() && !r.Expiry.After(now.Add(-time.Second)) {
			t.Errorf("expired: %t, and it expires %s: %v", r.Expired, r.Expiry, item)
		}
	})
}

// isNumber is whether DynamoDB would take a text for a number and write it so.
func isNumber(text string) bool {
	v := signal.Decimal(text)
	_, ok := v.Number()
	return ok && decimal.MatchString(text)
}

var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,19})(\.[0-9]{0,9}[1-9])?$`)
