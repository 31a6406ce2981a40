package protocol_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// anyValue is what somebody may have written into an attribute: "" nothing, n a
// number, b a boolean, o whatever else there is, and any other text that text.
func anyValue(text string) signal.Value {
	switch {
	case text == "":
		return signal.Value{}
	case text == "b":
		return signal.Bool(true)
	case text == "o":
		return signal.Other()
	case text[0] == 'n':
		if number(text[1:]) != nil {
			return signal.Decimal(text[1:])
		}
	}
	return signal.S(text)
}

// number is a number as DynamoDB writes one, or nil.
func number(text string) *big.Rat {
	whole, fraction, isFraction := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	isDigits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if !isDigits(whole) || len(whole) > 1 && whole[0] == '0' || isFraction && (!isDigits(fraction) || strings.HasSuffix(fraction, "0")) ||
		text == "-0" || len(text) > 38 {
		return nil
	}
	n, _ := new(big.Rat).SetString(text)
	return n
}

func anyItem(item signal.Item, attrs map[string]string) signal.Item {
	item = item.Clone()
	for name, text := range attrs {
		if v := anyValue(text); v.Exists() {
			item[name] = v
		} else {
			delete(item, name)
		}
	}
	return item
}

// due is whether a value, an epoch in that many to the second, is absent or over.
func due(v signal.Value, now int64) bool {
	text, isNumber := v.Number()
	return !v.Exists() || isNumber && number(text).Cmp(big.NewRat(now, 1)) <= 0
}

// Whatever stands in a signal's attributes: it is claimed just if it may be; what
// nobody can ever claim is said to be malformed; and what is claimed is cleaned by
// one good check, the application's attributes as they were.
func FuzzClaim(f *testing.F) {
	f.Add("dirty", "n5", "n4", "n1782975600", "2026-07-02T07:00:00.000Z", "n1782820800000", "", "n1")
	f.Add("clean", "", "", "", "", "", "", "")
	f.Add("dirty", "n5", "n5", "b", "o", "x", "n1782820800124.5", "n-3")
	f.Add("n1", "n0.5", "x", "n-1", "n7", "n", "n99999999999999999999", "b")
	f.Add("dirty", "", "", "n1782820800", "\x00", "n1782820800125", "n1782820800126", "")
	f.Fuzz(func(t *testing.T, bit, rev, claimedRev, ttl, expiry, notBefore, leaseUntil, attempts string) {
		item := anyItem(dirtyItem(), map[string]string{
			"gsisk": bit, "rev": rev, "claimedRev": claimedRev, "ttl": ttl, "expiry": expiry,
			"notBefore": notBefore, "leaseUntil": leaseUntil, "attempts": attempts,
		})
		c := protocol.NewCheck(key(), checkedBucket(1), "ours", claimedAt)
		claimed, ok := c.Write().Apply(item)

		malformed, _, isMalformed := protocol.Malformed(item, claimedAt)
		text, isText := item["expiry"].Text()
		alive := (!item["ttl"].Exists() || !due(item["ttl"], claimedAt.Unix())) &&
			(!item["expiry"].Exists() || isText && text > claimedAtText)
		may := item.Text("gsisk") == "dirty" && !isMalformed && alive &&
			due(item["notBefore"], claimedAtMS) && due(item["leaseUntil"], claimedAtMS)
		if ok != may {
			t.Fatalf("claimed: %t, want %t (malformed: %q) of %v", ok, may, malformed, item)
		}
		if isMalformed {
			for _, later := range []time.Duration{0, time.Hour, 1e6 * time.Hour} {
				if _, ok := protocol.Claim(key(), "later", claimedAt.Add(later), time.Minute).Apply(item); ok {
					t.Errorf("malformed for its %s, and claimed after %s: %v", malformed, later, item)
				}
			}
		}
		if flipped := applied(t, protocol.Flip(key(), flippedAt), item); protocol.NeedsFlip(applied(t, protocol.Flip(key(), flippedAt), flipped)) && rev != "" && claimedRev == "" {
			t.Errorf("what has just been flipped needs a flip: %v", flipped)
		}
		if !ok {
			wantItem(t, claimed, item)
			return
		}
		if _, whole := item["rev"].Int(); item["rev"].Exists() && !whole {
			return // Nobody can count on from there; a run says so.
		}
		c = c.Applied(claimed).Computed(protocol.Outcome{Value: "12", AsOf: readAt})
		cleaned := applied(t, c.Write(), claimed)
		if got := c.Applied(cleaned).Result(); got != protocol.Cleaned {
			t.Errorf("the check ends as %q", got)
		}
		for name, want := range map[string]signal.Value{
			"gsisk": signal.S("clean"), "value": signal.S("12"), "lastUpdatedAt": signal.S(readAtText), "displayOrder": item["displayOrder"],
			"claimedBy": {}, "leaseUntil": {}, "notBefore": {}, "attempts": {}, "dirtySince": {}, "expiry": item["expiry"], "ttl": item["ttl"],
		} {
			if diff := cmp.Diff(want, cleaned[name]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

// Whatever stands in a bucket's run item, it keeps no later run out, but the run
// that holds it; and who has it gives it back.
func FuzzRunItem(f *testing.F) {
	f.Add("2026-06-30T11:55:00.000Z", "2026-06-30T11:50:00.000Z", "", "")
	f.Add("2026-06-30T12:00:00.125Z", "x", "n1782820860125", "another")
	f.Add("9999-12-31T23:59:59.999Z", "", "n99999999999999", "b")
	f.Add("n5", "", "x", "o")
	f.Add("yesterday", "", "n1782820800125.5", "")
	f.Fuzz(func(t *testing.T, started, previous, until, by string) {
		item := anyItem(signal.Item{"pk": signal.S("cadenceBucket::5min"), "sk": signal.S("run")}, map[string]string{
			"startedAt": started, "previousStartedAt": previous, "runUntil": until, "runBy": by,
		})
		takes := []protocol.Write{protocol.TakeRun("5min", "ours", claimedAt), protocol.TakeRunUnnoted("5min", "ours", claimedAt)}
		if _, astray := protocol.Astray(item, claimedAt); astray {
			takes = append(takes, protocol.RetakeRun("5min", "ours", claimedAt, item))
		}
		var taken signal.Item
		for _, w := range takes {
			if next, ok := w.Apply(item); ok {
				taken = next
				break
			}
		}
		heldUntil, held := protocol.RunHeld(item, claimedAt)
		if taken == nil {
			// Somebody else's hold ends by itself.
			if !held && item.Int("runUntil") <= claimedAtMS {
				t.Fatalf("nobody has it, and nobody gets it: %v", item)
			}
			if held {
				if _, ok := protocol.TakeRunUnnoted("5min", "ours", heldUntil).Apply(item); !ok {
					t.Errorf("it is held until %s, and then still is: %v", heldUntil, item)
				}
			}
			return
		}
		if held && len(takes) == 2 {
			t.Errorf("another run has it until %s, and it is taken: %v", heldUntil, item)
		}
		if until, held := protocol.RunHeld(taken, claimedAt); !held || !until.Equal(claimedAt.Add(protocol.RunLease)) {
			t.Errorf("taken until %s, %t", until, held)
		}
		taken = applied(t, protocol.RenewRun("5min", "ours", readAt), taken)
		refused(t, protocol.RenewRun("5min", "another's", readAt), taken)
		end := protocol.EndRun("5min", "ours", claimedAt, readAt, signal.M(nil))
		ended, noted := end.Apply(taken)
		if !noted {
			ended = applied(t, protocol.ReleaseRun("5min", "ours"), taken)
		}
		if _, held := protocol.RunHeld(ended, readAt); held || ended["runBy"].Exists() {
			t.Errorf("it is not given back: %v", ended)
		}
	})
}

// Whatever stands in an audit's item, a walk goes on from it, and reads what it has
// written; a walk that is behind is refused.
func FuzzCursor(f *testing.F) {
	f.Add("2026-06-30T11:55:00.000Z", "2026-06-30T11:56:00.000Z", "n100", "n7", "availabilitySignal::a::b::c::d", "2026-07-01", "n3")
	f.Add("", "", "", "", "", "", "")
	f.Add("x", "n5", "b", "n-1", "n1", "", "n0.5")
	f.Add("2026-06-30T11:55:00Z", "2026-06-30T11:56:00+02:00", "n99999999999999999999", "o", "", "x", "x")
	f.Fuzz(func(t *testing.T, started, counted, entries, passed, afterPK, afterSK, advances string) {
		item := anyItem(signal.Item{"pk": signal.S("cadenceBucket::5min"), "sk": signal.S("audit::0")}, map[string]string{
			"passStartedAt": started, "countedAt": counted, "entries": entries, "passed": passed,
			"afterPk": afterPK, "afterSk": afterSK, "advances": advances,
		})
		c := protocol.ParseCursor(item)
		w, next := protocol.Advance("5min", 0, c)
		advanced := applied(t, w, item)
		if got := protocol.ParseCursor(advanced); got != next {
			t.Errorf("it reads back as %+v, want %+v", got, next)
		}
		if _, whole := item["advances"].Int(); whole || !item["advances"].Exists() {
			refused(t, w, advanced)
		}
		again, _ := protocol.Advance("5min", 0, next)
		applied(t, again, advanced)
	})
}
