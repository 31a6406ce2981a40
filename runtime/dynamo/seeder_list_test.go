package dynamo_test

import (
	"errors"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// What has changed since the index was written is listed as the table has it, or not.
func TestSeeder_listsWhatTheTableHas(t *testing.T) {
	t.Parallel()
	past := now.Add(-time.Hour)
	for name, tt := range map[string]struct {
		change signal.Item
		bits   []string
		listed bool
	}{
		"as it was":               {nil, nil, true},
		"as it was, by its bit":   {nil, []string{"clean"}, true},
		"in another shard":        {signal.Item{"gsipk": signal.S("cadenceBucket::5min::3")}, nil, true},
		"in another bucket":       {signal.Item{"gsipk": signal.S("cadenceBucket::15min")}, nil, false},
		"in no bucket":            {signal.Item{"gsipk": signal.S("elsewhere")}, nil, false},
		"no signal":               {signal.Item{"schema": signal.S("note")}, nil, false},
		"expired":                 {signal.Item{"expiry": signal.S(signal.FormatInstant(past)), "ttl": signal.N(past.Unix())}, nil, false},
		"dirty":                   {signal.Item{"gsisk": signal.S("dirty")}, nil, true},
		"dirty, and sought clean": {signal.Item{"gsisk": signal.S("dirty")}, []string{"clean"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.write(t, protocol.Seed(seeding(july), now))
			e.set(fault{"GetItem", 1, before(func() { e.change(t, july, tt.change) })})
			n := 0
			for is, err := range e.seeder().ListBucket(t.Context(), cadenceIndex, "5min", tt.bits...) {
				if err != nil || is.Date != july {
					t.Errorf("%+v, %v", is, err)
				}
				n++
			}
			if (n == 1) != tt.listed {
				t.Errorf("listed %d times", n)
			}
		})
	}
}

// One that is flipped while a bucket is listed is in both lists of the index, and
// listed once.
func TestSeeder_listsOnceWhatIsFlippedMeanwhile(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.write(t, protocol.Seed(seeding(july), now))
	flip := before(func() { e.write(t, protocol.Flip(campOn(july).Key(), now)) })
	e.set(fault{"GetItem", 1, flip})
	n := 0
	for _, err := range e.seeder().ListBucket(t.Context(), cadenceIndex, "5min", signal.Clean, signal.Dirty) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("listed %d times", n)
	}
}

func TestSeeder_listSkipsAndFails(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.write(t, protocol.Seed(seeding(july), now))
	noDate := protocol.Seed(seeding(july.AddDays(1)), now).Item
	noDate["sk"] = signal.S("2026-07-02, or so")
	e.put(t, noDate)
	span := dynamo.Span{First: july, Last: july.AddDays(9)}
	n := 0
	for is, err := range e.seeder().List(t.Context(), camp, span) {
		if err != nil || is.Date != july {
			t.Errorf("%+v, %v", is, err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d listed, want the one that has a date", n)
	}
	e.set(fault{"Query", 1, fail(errLost)})
	failures := 0
	for _, err := range e.seeder().List(t.Context(), camp, span) {
		if !errors.Is(err, dynamo.ErrUnknown) {
			t.Errorf("error %v", err)
		}
		failures++
	}
	if failures != 1 {
		t.Errorf("%d failures of a reading that fails", failures)
	}
}
