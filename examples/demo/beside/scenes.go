package beside

import "context"

// scene is what happens to a signal.
type scene struct {
	name, bucket, story string
	// literal and runtime say what becomes of it.
	literal, runtime string
	// stock is what its pool has at first.
	stock int64
	stage func(context.Context, *side) error
}

func (c *comparison) scenes() []scene {
	return []scene{
		{
			name: "The last place", bucket: "last-place", stock: 1,
			story:   "The last place sells between a check's read of the pool and its write.",
			literal: "the write cleans the bit that the sale has just flipped",
			runtime: "the write finds that a flip came, and leaves the bit for the next tick",
			stage:   lastPlace,
		},
		{
			name: "Killed", bucket: "killed", stock: 5,
			story:   "kill -9 in mid-run, with the last write still under way. A sale, another tick; then that write arrives.",
			literal: "the dead process's write puts the old value back, and cleans",
			runtime: "the claim that it belongs to is over: the write is refused",
			stage:   killed,
		},
		{
			name: "Forgotten", bucket: "forgotten", stock: 5,
			story:   "A sale whose writer forgets the flip.",
			literal: "nothing is dirty, so nothing is looked at",
			runtime: "the audit compares what is clean with its pools (here within a minute; a day by default)",
			stage:   forgotten,
		},
	}
}

// lastPlace sells while the write is held.
func lastPlace(ctx context.Context, s *side) error {
	return s.heldUp(ctx, func(t *Tick, g *Gate) error {
		if err := s.sellAndFlip(ctx); err != nil {
			return err
		}
		g.open()
		return t.wait()
	})
}

// killed kills the process while its write is held, and lets that arrive when others
// have done their work.
func killed(ctx context.Context, s *side) error {
	return s.heldUp(ctx, func(t *Tick, g *Gate) error {
		if err := t.killed(); err != nil {
			return err
		}
		if err := s.sellAndFlip(ctx); err != nil {
			return err
		}
		if err := s.tickUntilRight(ctx); err != nil {
			return err
		}
		g.open()
		return g.awaitArrived(ctx)
	})
}

// forgotten sells once the value is there, and flips nothing.
func forgotten(ctx context.Context, s *side) error {
	if err := s.tick(ctx); err != nil {
		return err
	}
	return s.sell(ctx)
}

// heldUp begins a tick whose write is held, and does something meanwhile.
func (s *side) heldUp(ctx context.Context, meanwhile func(*Tick, *Gate) error) error {
	g := newGate()
	defer g.open()
	t, err := s.begin(ctx, s.bucket, g)
	if err != nil {
		return err
	}
	if err := g.awaitHeld(ctx, t); err != nil {
		return err
	}
	return meanwhile(t, g)
}

func (s *side) sellAndFlip(ctx context.Context) error {
	if err := s.sell(ctx); err != nil {
		return err
	}
	return s.flip(ctx, s.date.Key())
}
