package main_test

import (
	"fmt"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// drain triggers every bucket until all is as it must be, and returns what is not in
// the end.
func (s *soak) drain(p *slot) []string {
	s.t.Helper()
	deadline := time.Now().Add(soakPatience)
	for {
		for n := range soakBuckets {
			p.trigger(n, 0, time.Minute)
		}
		wrong := s.wrong()
		if len(wrong) == 0 || time.Now().After(deadline) {
			return wrong
		}
		// A tick a second is plenty.
		time.Sleep(time.Second)
	}
}

// wrong says of each signal that has neither been deleted nor expired what is not as
// it must be.
func (s *soak) wrong() []string {
	s.t.Helper()
	var wrong []string
	for _, d := range s.dates {
		item, err := s.store.Get(s.t.Context(), d.Key())
		if err != nil {
			s.t.Fatal(err)
		}
		if item == nil {
			continue // the watch knows whether it may be
		}
		if protocol.Expired(item, time.Now()) {
			if item[signal.AttrClaimedBy].Exists() && item.Int(signal.AttrLeaseUntil) > time.Now().UnixMilli() {
				wrong = append(wrong, fmt.Sprintf("%s has expired and is claimed", d))
			}
			continue
		}
		if bit := item.Text(signal.AttrGSISK); bit != signal.Clean {
			wrong = append(wrong, fmt.Sprintf("%s is %s", d, bit))
		}
		for _, attr := range []string{signal.AttrClaimedBy, signal.AttrLeaseUntil} {
			if item[attr].Exists() {
				wrong = append(wrong, fmt.Sprintf("%s has %s", d, attr))
			}
		}
		if got, want := item.Text(signal.AttrValue), s.truth(d, item); got != want {
			wrong = append(wrong, fmt.Sprintf("%s shows %q, its pools say %q", d, got, want))
		}
	}
	return wrong
}
