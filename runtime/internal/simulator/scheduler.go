package simulator

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"testing/synctest"
)

// waiter is a call that waits to be let through.
type waiter struct {
	call  *Call
	ready chan struct{}
}

// scheduler lets the calls of a World through, one at a time.
type scheduler struct {
	seed   uint64
	random *rand.Rand
	most   int
	// exhausted is called once, when there have been more than most calls.
	exhausted func()

	mu sync.Mutex
	// waiting is in an order that does not depend on which came first.
	waiting []*waiter
	idle    []*waiter
	passed  int
	weights map[process]int
	over    bool

	arrived chan struct{}
	quit    chan struct{}
}

// process is one client.
type process struct {
	name   string
	number int
}

func newScheduler(seed uint64, most int, exhausted func()) *scheduler {
	return &scheduler{
		seed:      seed,
		random:    stream(seed, "scheduler"),
		most:      most,
		exhausted: exhausted,
		weights:   map[process]int{},
		arrived:   make(chan struct{}, 1),
		quit:      make(chan struct{}),
	}
}

// pass returns when the scheduler lets the call through.
func (s *scheduler) pass(c *Call) {
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return
	}
	w := s.waiter(c)
	at, _ := slices.BinarySearchFunc(s.waiting, w, compareWaiters)
	s.waiting = slices.Insert(s.waiting, at, w)
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	<-w.ready
	s.mu.Lock()
	w.call = nil
	s.idle = append(s.idle, w)
	s.mu.Unlock()
}

func (s *scheduler) waiter(c *Call) *waiter {
	if n := len(s.idle); n > 0 {
		w := s.idle[n-1]
		s.idle = s.idle[:n-1]
		w.call = c
		return w
	}
	return &waiter{call: c, ready: make(chan struct{}, 1)}
}

func compareWaiters(a, b *waiter) int {
	c, d := a.call, b.call
	if order := cmp.Or(
		cmp.Compare(c.Client, d.Client), cmp.Compare(c.Process, d.Process),
		cmp.Compare(c.Operation, d.Operation), cmp.Compare(c.Table, d.Table),
		cmp.Compare(c.Partition, d.Partition), cmp.Compare(c.Sort, d.Sort),
	); order != 0 {
		return order
	}
	return cmp.Compare(c.text(), d.text())
}

// text is the call's input, for telling calls apart that are otherwise alike.
func (c *Call) text() string {
	if c.content == "" {
		c.content = content(c.Input)
	}
	return c.content
}

// run lets calls through until it is stopped.
func (s *scheduler) run() {
	for {
		// Whatever can go on without a call does so first.
		synctest.Wait()
		if s.release() {
			continue
		}
		// Nothing can: time goes on, to the next timer.
		select {
		case <-s.arrived:
		case <-s.quit:
			return
		}
	}
}

// release lets one call through, if any waits.
func (s *scheduler) release() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		return false
	}
	if s.passed++; s.passed > s.most && !s.over {
		s.over = true
		s.exhausted()
	}
	i := s.choose()
	w := s.waiting[i]
	s.waiting = slices.Delete(s.waiting, i, i+1)
	w.ready <- struct{}{}
	return true
}

// choose picks a call at random; some clients are slower than others.
func (s *scheduler) choose() int {
	if len(s.waiting) == 1 {
		return 0
	}
	sum := 0
	for _, w := range s.waiting {
		sum += s.weight(w.call)
	}
	at := s.random.IntN(sum)
	for i, w := range s.waiting {
		if at -= s.weight(w.call); at < 0 {
			return i
		}
	}
	return len(s.waiting) - 1
}

// weight is how often a client's calls are chosen; the seed decides.
func (s *scheduler) weight(c *Call) int {
	p := process{c.Client, c.Process}
	weight, ok := s.weights[p]
	if !ok {
		weight = [4]int{1, 4, 4, 16}[hash(s.seed, "weight", p.name, string(rune(p.number)))%4]
		s.weights[p] = weight
	}
	return weight
}
