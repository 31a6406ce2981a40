package season

import "github.com/availability-signal/terraform-provider-availability/runtime/signal"

// Shift moves all products by the same number of whole days, so that the earliest
// season begins tomorrow, if any of them has begun. today is the date in UTC.
// Otherwise it moves nothing.
func (s *Season) Shift(today signal.Date) {
	earliest := s.Products[0].Start
	for _, p := range s.Products {
		if p.Start.Compare(earliest) < 0 {
			earliest = p.Start
		}
	}
	if earliest.Compare(today) > 0 {
		return
	}
	days := earliest.DaysUntil(today.AddDays(1))
	for i := range s.Products {
		p := &s.Products[i]
		p.Start, p.End = p.Start.AddDays(days), p.End.AddDays(days)
	}
	s.Shifted += days
}
