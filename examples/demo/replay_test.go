package main

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
)

func ownSeason(t *testing.T) *season.Season {
	t.Helper()
	folder, err := dataFolder("")
	if err != nil {
		t.Fatal(err)
	}
	s, err := season.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Bookings of one pool in another order could ask for what is not there yet.
func TestShared_keepsTheOrderOfEveryPool(t *testing.T) {
	s := ownSeason(t)
	order := func(bookings []season.Booking) map[season.Slot][]int {
		lines := map[season.Slot][]int{}
		for _, b := range bookings {
			lines[b.Slot] = append(lines[b.Slot], b.Line)
		}
		return lines
	}
	got, busy := map[season.Slot][]int{}, 0
	for _, hand := range shared(s.Morning, clerks) {
		if len(hand) > 0 {
			busy++
		}
		for slot, lines := range order(hand) {
			if got[slot] != nil {
				t.Errorf("two clerks have bookings of %v", slot)
			}
			got[slot] = lines
		}
	}
	if diff := cmp.Diff(order(s.Morning), got); diff != "" {
		t.Error(diff)
	}
	if busy != clerks {
		t.Errorf("%d of %d clerks have something to do", busy, clerks)
	}
}

func TestTransaction_takesOnlyWhatIsThere(t *testing.T) {
	s := ownSeason(t)
	capacity := s.Products[0].Pools[0].Capacity
	if capacity != 42 {
		t.Fatalf("the first pool has the capacity %d", capacity)
	}
	for change, want := range map[int64]map[string]string{
		-4: {":least": "4", ":most": "42", ":change": "-4"},
		3:  {":least": "0", ":most": "39", ":change": "3"},
		0:  {":least": "0", ":most": "42", ":change": "0"},
	} {
		got := map[string]string{}
		for name, v := range transaction(s, season.Booking{Line: 7, Change: change}).TransactItems[0].Update.ExpressionAttributeValues {
			got[name] = v.(*types.AttributeValueMemberN).Value
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("change %d: %s", change, diff)
		}
	}
}

func TestTransaction_repeatsUnderTheSameToken(t *testing.T) {
	s := ownSeason(t)
	tokens := map[string]bool{}
	for _, b := range s.Morning {
		token := *transaction(s, b).ClientRequestToken
		if again := *transaction(s, b).ClientRequestToken; again != token || len(token) > 36 {
			t.Fatalf("line %d: token %q, then %q", b.Line, token, again)
		}
		tokens[token] = true
	}
	if len(tokens) != len(s.Morning) {
		t.Errorf("%d tokens for %d bookings", len(tokens), len(s.Morning))
	}
}
