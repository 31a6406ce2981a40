package protocol_test

import (
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestCheck_movesToItsPresentShard(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		gsipk  string
		shards int
		want   string
	}{
		{"from the bare ID", "cadenceBucket::5min", 16, homeOfSixteen},
		{"from another shard", "cadenceBucket::5min::9", 16, homeOfSixteen},
		{"it is there", homeOfSixteen, 16, homeOfSixteen},
		{"back to the bare ID", "cadenceBucket::5min::9", 1, "cadenceBucket::5min"},
		{"another bucket's stays", "cadenceBucket::1h", 16, "cadenceBucket::1h"},
		{"another bucket's shard stays", "cadenceBucket::5min-x::3", 16, "cadenceBucket::5min-x::3"},
		{"what is no shard key stays", "cadenceBucket::5min::16", 16, "cadenceBucket::5min::16"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, item := computedCheck(t, tt.shards, with(dirtyItem(), signal.Item{"gsipk": signal.S(tt.gsipk)}), twelve())
			next := applied(t, c.Write(), item)
			wantItem(t, next, with(checkedClean(item), signal.Item{"gsipk": signal.S(tt.want)}))
			wantDone(t, c.Applied(next), protocol.Cleaned)
		})
	}
}

func TestCheck_movedBySeederMeanwhile(t *testing.T) {
	t.Parallel()
	moved := signal.Item{"gsipk": signal.S("cadenceBucket::1h")}

	t.Run("cleaned where it is", func(t *testing.T) {
		t.Parallel()
		c, item := computedCheck(t, 16, dirtyItem(), twelve())
		item = with(item, moved)
		refused(t, c.Write(), item)
		c = c.Refused(item)
		wantAction(t, c, protocol.Send)
		next := applied(t, c.Write(), item)
		wantItem(t, next, checkedClean(item))
		wantDone(t, c.Applied(next), protocol.Cleaned)
	})
	t.Run("no move was due, so none is refused", func(t *testing.T) {
		t.Parallel()
		c, item := computedCheck(t, 1, dirtyItem(), twelve())
		item = with(item, moved)
		wantItem(t, applied(t, c.Write(), item), checkedClean(item))
	})
	t.Run("and flipped", func(t *testing.T) {
		t.Parallel()
		c, item := computedCheck(t, 16, dirtyItem(), twelve())
		item = flipped(t, with(item, moved))
		c = c.Refused(item)
		wantItem(t, applied(t, c.Write(), item), checkedRaced(item))
	})
	t.Run("and flipped once it is finished where it is", func(t *testing.T) {
		t.Parallel()
		c, item := computedCheck(t, 16, dirtyItem(), twelve())
		item = with(item, moved)
		c = c.Refused(item)
		item = flipped(t, item)
		refused(t, c.Write(), item)
		c = c.Refused(item)
		next := applied(t, c.Write(), item)
		wantItem(t, next, checkedRaced(item))
		wantDone(t, c.Applied(next), protocol.Raced)
	})
	t.Run("and claimed by another run", func(t *testing.T) {
		t.Parallel()
		c, item := computedCheck(t, 16, dirtyItem(), twelve())
		item = with(item, moved)
		c = c.Refused(item)
		wantDone(t, c.Refused(with(item, signal.Item{"claimedBy": signal.S("theirs")})), protocol.Superseded)
	})
	t.Run("a raced finish moves nothing", func(t *testing.T) {
		t.Parallel()
		c, item := computedCheck(t, 16, dirtyItem(), twelve())
		item = flipped(t, item)
		c = c.Refused(item)
		wantItem(t, applied(t, c.Write(), item), checkedRaced(item))
	})
}
