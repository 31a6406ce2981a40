package simulator

// Scheduler is the scheduler of a World, by itself.
type Scheduler = scheduler

// NewScheduler returns one that lets most calls through before it is exhausted.
func NewScheduler(seed uint64, most int, exhausted func()) *Scheduler {
	return newScheduler(seed, most, exhausted)
}

// Run runs the scheduler until Stop.
func (s *scheduler) Run() { s.run() }

// Stop ends Run.
func (s *scheduler) Stop() { close(s.quit) }

// Pass waits for the call's turn.
func (s *scheduler) Pass(c *Call) { s.pass(c) }
