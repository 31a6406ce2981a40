package plot

import "math"

// scale maps an axis onto [0, 1].
type scale struct {
	log      bool
	from, to float64
}

func (c Chart) scale(of func(Point) float64, a Axis) scale {
	s := scale{log: a.Log, from: math.Inf(1), to: math.Inf(-1)}
	for _, l := range c.Lines {
		for _, p := range l.Points {
			if v := of(p); s.shows(v) {
				s.from, s.to = min(s.from, v), max(s.to, v)
			}
		}
	}
	switch {
	case math.IsInf(s.from, 1):
		s.from, s.to = 1, 10
	case a.Log:
		s.from, s.to = math.Pow(10, math.Floor(math.Log10(s.from))), math.Pow(10, math.Ceil(math.Log10(s.to)))
		if s.from == s.to {
			s.to *= 10
		}
	default:
		s.from = min(0, s.from)
		if s.to <= s.from {
			s.to = s.from + 1
		}
		step := s.step()
		s.to = math.Ceil(s.to/step) * step
	}
	return s
}

func (s scale) shows(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!s.log || v > 0)
}

// at is where a value is, 0 for the axis's beginning and 1 for its end.
func (s scale) at(v float64) float64 {
	if s.log {
		return (math.Log10(v) - math.Log10(s.from)) / (math.Log10(s.to) - math.Log10(s.from))
	}
	return (v - s.from) / (s.to - s.from)
}

// step is a round distance, of which four to ten make the axis.
func (s scale) step() float64 {
	rough := (s.to - s.from) / 5
	magnitude := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, times := range []float64{1, 2, 5} {
		if rough <= times*magnitude {
			return times * magnitude
		}
	}
	return 10 * magnitude
}

func (s scale) ticks() []float64 {
	var ticks []float64
	if s.log {
		for v := s.from; v <= s.to*1.0001; v *= 10 {
			ticks = append(ticks, v)
		}
		return ticks
	}
	step := s.step()
	for i := 0; s.from+float64(i)*step <= s.to+step/1e6; i++ {
		ticks = append(ticks, s.from+float64(i)*step)
	}
	return ticks
}
