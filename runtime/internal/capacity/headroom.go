package capacity

import "fmt"

// mostTimes is how many times a load is looked at.
const mostTimes = 1000.0

// Headroom is how many times the load can be before a limit is reached that is not
// reached yet, at most 1,000 times, and which limit that is. It has none if all are.
func (p Platform) Headroom() (times float64, first Limit) {
	left := map[string]bool{}
	for _, l := range p.Limits() {
		left[l.What] = l.Share() <= 1
	}
	next := func(k float64) Limit {
		for _, l := range p.times(k).Limits() {
			if left[l.What] {
				return l
			}
		}
		return Limit{Most: 1}
	}
	if l := next(mostTimes); l.Share() <= 1 {
		return mostTimes, l
	}
	low, high := 1.0, mostTimes
	for high-low > low/1000 {
		if middle := (low + high) / 2; next(middle).Share() > 1 {
			high = middle
		} else {
			low = middle
		}
	}
	return low, next(high)
}

// times is so many times the load, in as many buckets.
func (p Platform) times(k float64) Platform {
	p.Bookings *= k
	p.Signals *= k
	p.Active *= k
	p.Views *= k
	return p
}

// Verdict says in sentences what limits are reached, and which is the next.
func (p Platform) Verdict() (sentences []string) {
	for _, l := range p.Limits() {
		if l.Share() > 1 {
			sentences = append(sentences, fmt.Sprintf("Reached already, %s of it needed: %s. Then: %s.", percent(l.Share()), l.What, l.Then))
		}
	}
	which, none := "First", "Nothing"
	if len(sentences) > 0 {
		which, none = "Next", "Nothing else"
	}
	times, first := p.Headroom()
	if times >= mostTimes {
		return append(sentences, fmt.Sprintf("%s is reached at %s times this load.", none, count(mostTimes)))
	}
	return append(sentences, fmt.Sprintf("%s to be reached, at %.1f times this load: %s. Then: %s.", which, times, first.What, first.Then))
}
