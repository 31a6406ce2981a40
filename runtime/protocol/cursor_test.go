package protocol_test

import (
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestCursor(t *testing.T) {
	t.Parallel()
	never := protocol.ParseCursor(nil)
	if !never.PassStarted.IsZero() {
		t.Errorf("a shard that was never walked: %+v", never)
	}
	c := never
	c.PassStarted, c.Counted, c.Entries, c.Passed, c.After = claimedAt, readAt, 7, 2, key()
	w, _ := protocol.Advance("5min", 3, c)
	item := applied(t, w, nil)
	if item.Text("pk") != "cadenceBucket::5min" || item.Text("sk") != "audit::3" {
		t.Errorf("it is kept in %s %s", item.Text("pk"), item.Text("sk"))
	}
	// Nobody else may have begun.
	refused(t, w, item)

	read := protocol.ParseCursor(item)
	if !read.PassStarted.Equal(claimedAt) || !read.Counted.Equal(readAt) || read.Entries != 7 || read.Passed != 2 || read.After != key() || read.Ended {
		t.Errorf("read back: %+v", read)
	}
	read.Passed, read.Ended, read.After = 7, true, signal.Key{}
	w, next := protocol.Advance("5min", 3, read)
	begun := item
	item = applied(t, w, item)
	refused(t, w, item)
	// Nor one that has got further, of a bucket that there was before.
	further, _ := protocol.Advance("5min", 3, next)
	refused(t, further, begun)
	if got := protocol.ParseCursor(item); got != next || !got.Ended || got.After != (signal.Key{}) {
		t.Errorf("read back: %+v", got)
	}
	// One that cannot be used begins anew, and replaces what is there.
	broken := with(item, signal.Item{"passStartedAt": signal.S("yesterday")})
	begin := protocol.ParseCursor(broken)
	if !begin.PassStarted.IsZero() || begin.Ended {
		t.Errorf("broken: %+v", begin)
	}
	begin.PassStarted, begin.Counted = readAt, readAt
	w, _ = protocol.Advance("5min", 3, begin)
	applied(t, w, broken)
}

// Either instant that cannot be read makes the whole of it begin anew.
func TestCursor_brokenInstants(t *testing.T) {
	t.Parallel()
	c := protocol.Cursor{PassStarted: claimedAt, Counted: readAt, Entries: 7, Passed: 2}
	w, _ := protocol.Advance("5min", 3, c)
	item := applied(t, w, nil)
	for _, attr := range []string{"passStartedAt", "countedAt"} {
		if got := protocol.ParseCursor(with(item, signal.Item{attr: signal.S("yesterday")})); !got.PassStarted.IsZero() || !got.Counted.IsZero() || got.Entries != 0 {
			t.Errorf("%s: %+v", attr, got)
		}
	}
}

// A cursor that is gone since it was read is another run's to begin.
func TestCursor_spoiledAndGone(t *testing.T) {
	t.Parallel()
	w, _ := protocol.Advance("5min", 3, protocol.ParseCursor(signal.Item{"advances": signal.S("many")}))
	refused(t, w, nil)
}
