package goals_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// onSignals adds up what was spent on signals and their entries: not on the
// registry, nor on run items, nor on queries.
func (p *platform) onSignals() (sum simulator.Units) {
	for _, u := range p.db.Usage() {
		_, _, shard := signal.ParseShardKey(u.Partition)
		isSignal := u.Index == "" && strings.HasPrefix(u.Partition, signal.SchemaSignal+"::")
		if isSignal || u.Index == simulator.CadenceIndex && shard {
			sum.Write += u.Write
		}
		if isSignal {
			sum.Read += u.Read
		}
	}
	return sum
}

// Twenty flips of one signal and one check of it: seven write and twenty read units.
func TestP1_twentyFlipsAndOneCheck(t *testing.T) {
	p := newPlatform(t, simulator.Config{})
	p.register()
	p.seed(0, 1, false)
	writer, function := p.db.Client("writer"), p.db.Client("function")
	p.run(function)
	p.db.ResetUsage()
	for range 20 {
		p.flip(writer, 0, 1)
	}
	before := p.onSignals()
	p.run(function)
	if got := p.onSignals(); got.Write > 7 || got.Read > 20 {
		t.Errorf("%+v", got)
	}
	// All but the first found it dirty and not claimed.
	if before.Write != 3 {
		t.Errorf("20 flips wrote %v units", before.Write)
	}
	if got := p.item(0).Text(signal.AttrGSISK); got != signal.Clean {
		t.Errorf("it is %s", got)
	}
}

// Sixty-four callers in one process share their flips: seven and two.
func TestP1_sixtyFourCallersOfOneProcess(t *testing.T) {
	inWorld(t, simulator.Config{}, func(w *simulator.World, p *platform) {
		p.register()
		p.seed(0, 1, false)
		writer, function := w.Client("writer"), w.Client("function")
		p.db.ResetUsage()
		flips := p.flips(writer)
		var callers sync.WaitGroup
		for range 64 {
			callers.Go(func() {
				if err := flips.Flip(w.Context(), day(0).Key()); err != nil {
					w.Error(err)
				}
			})
		}
		callers.Wait()
		p.run(function)
		if got := p.onSignals(); got.Write > 7 || got.Read > 2 {
			w.Errorf("%+v", got)
		}
	})
}
