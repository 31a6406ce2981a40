package check

import (
	"sync"
	"time"
)

// recent is for how long a slow check is remembered, at least.
const recent = 30 * time.Second

// pace keeps how slow recent checks were: the slowest of this window and of the
// one before.
type pace struct {
	mu        sync.Mutex
	since     time.Time
	now, past time.Duration
}

func (p *pace) took(d time.Duration, ended time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.roll(ended)
	p.now = max(p.now, d)
}

// slowest is the time that the slowest recent check took, or 0 if there was none.
func (p *pace) slowest(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.roll(now)
	return max(p.now, p.past)
}

func (p *pace) roll(now time.Time) {
	switch age := now.Sub(p.since); {
	case age >= 2*recent:
		p.since, p.now, p.past = now, 0, 0
	case age >= recent:
		p.since, p.now, p.past = p.since.Add(recent), 0, p.now
	}
}
