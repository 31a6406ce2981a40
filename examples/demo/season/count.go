package season

import "github.com/availability-signal/terraform-provider-availability/runtime/signal"

// Opening is what each pool has left before the morning: all of it.
func (s *Season) Opening() map[Slot]int64 {
	left := map[Slot]int64{}
	for _, d := range s.Days() {
		for i, pool := range s.Products[d.Product].Pools {
			left[Slot{d, i}] = pool.Capacity
		}
	}
	return left
}

// Closing is what each pool has left after the morning.
func (s *Season) Closing() map[Slot]int64 {
	left := s.Opening()
	for _, b := range s.Morning {
		left[b.Slot] += b.Change
	}
	return left
}

// Touched is how many days the morning changes something on.
func (s *Season) Touched() int {
	days := map[Day]bool{}
	for _, b := range s.Morning {
		days[b.Day] = true
	}
	return len(days)
}

// Values is what each day shows when its pools have that much left. A pool that
// left does not have counts as gone, with its capacity.
func (s *Season) Values(left map[Slot]int64) map[Day]string {
	values := map[Day]string{}
	for _, d := range s.Days() {
		p := s.Products[d.Product]
		e := signal.Estimate{NoInventory: true}
		for i, pool := range p.Pools {
			if n, ok := left[Slot{d, i}]; ok {
				e.NoInventory = false
				e.Available += n
				e.Capacity += pool.Capacity
			}
		}
		values[d], _ = p.Pattern.Cache(e)
	}
	return values
}
