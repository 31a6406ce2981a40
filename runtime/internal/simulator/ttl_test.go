package simulator_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
)

func TestTTL(t *testing.T) {
	start := midnight().Now()
	in := func(d time.Duration) any { return strconv.FormatInt(start.Add(d).Unix(), 10) }
	seconds := func(d time.Duration) int64 { return start.Add(d).Unix() }
	tests := []struct {
		name  string
		item  attributes
		after time.Duration
		gone  bool
	}{
		{"before its time", with(at("a"), "ttl", seconds(time.Hour)), time.Hour, false},
		{"at its time, TTL being late", with(at("a"), "ttl", seconds(time.Hour)), time.Hour + 47*time.Hour, false},
		{"late", with(at("a"), "ttl", seconds(time.Hour)), time.Hour + 48*time.Hour, true},
		{"expired when it was written", with(at("a"), "ttl", seconds(-time.Hour)), 48 * time.Hour, true},
		{"text is no time", with(at("a"), "ttl", in(time.Hour)), 100 * time.Hour, false},
		{"nor is a fraction", with(at("a"), "ttl", number("1.5")), 100 * time.Hour, false},
		{"nor milliseconds, for a long time", with(at("a"), "ttl", start.UnixMilli()), 100 * time.Hour, false},
		{"more than five years past", with(at("a"), "ttl", seconds(-6*365*24*time.Hour)), 100 * time.Hour, false},
		{"none", at("a"), 100 * time.Hour, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clock := midnight()
			_, c := newDB(simulator.Config{Clock: clock, TTLDelay: simulator.Fixed(48 * time.Hour)})
			put(t, c, tt.item)
			clock.Advance(tt.after)
			if gone := get(t, c, at("a")) == nil; gone != tt.gone {
				t.Errorf("gone: %v", gone)
			}
		})
	}
}

func TestTTL_costsNothingAndIsTold(t *testing.T) {
	clock := midnight()
	var changes []simulator.Change
	db, c := newDB(simulator.Config{
		Clock: clock, TTLDelay: simulator.Fixed(time.Minute),
		OnChange: func(change simulator.Change) { changes = append(changes, change) },
	})
	put(t, c, with(at("a"), "ttl", clock.Now().Unix(), "gsipk", "b", "gsisk", "dirty"))
	before := db.Units(simulator.Scope{Index: simulator.Everything}).Write
	clock.Advance(time.Hour)
	if n := count(t, c, "dirty"); n != 0 {
		t.Errorf("the index still has %d", n)
	}
	if got := db.Units(simulator.Scope{Index: simulator.Everything}).Write; got != before {
		t.Errorf("cost %v", got-before)
	}
	if len(changes) != 2 || changes[0].ByTTL || changes[0].Old != nil || !changes[1].ByTTL || changes[1].New != nil || textOf(changes[1].Old["sk"]) != "a" {
		t.Errorf("changes: %+v", changes)
	}
	if got, want := changes[1].At, time.Date(2026, time.July, 1, 0, 1, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("deleted at %v, not %v", got, want)
	}
}

func TestTTL_putOffIsSpared(t *testing.T) {
	clock := midnight()
	db, c := newDB(simulator.Config{Clock: clock, TTLDelay: simulator.Fixed(time.Hour)})
	put(t, c, with(at("a"), "ttl", clock.Now().Unix()))
	clock.Advance(time.Minute)
	put(t, c, with(at("a"), "ttl", clock.Now().Add(24*time.Hour).Unix()))
	clock.Advance(2 * time.Hour)
	if get(t, c, at("a")) == nil {
		t.Error("deleted, though its time was put off")
	}
	db.Settle()
	if get(t, c, at("a")) == nil {
		t.Error("deleted before its time, by settling")
	}
	clock.Advance(24 * time.Hour)
	if get(t, c, at("a")) != nil {
		t.Error("never deleted")
	}
}
