package simulator

import (
	"math/rand/v2"
	"time"
)

// Delay draws a duration; it must not draw negative ones.
type Delay func(*rand.Rand) time.Duration

// Fixed is always d.
func Fixed(d time.Duration) Delay { return func(*rand.Rand) time.Duration { return d } }

// Between is spread evenly over [least, most].
func Between(least, most time.Duration) Delay {
	return func(r *rand.Rand) time.Duration { return least + time.Duration(r.Int64N(int64(most-least)+1)) }
}

// Mostly draws from usual, and with the given probability from seldom.
func Mostly(usual Delay, probability float64, seldom Delay) Delay {
	return func(r *rand.Rand) time.Duration {
		if r.Float64() < probability {
			return seldom(r)
		}
		return usual(r)
	}
}

// stream is a source of randomness of its own for each name under one seed.
func stream(seed uint64, name string) *rand.Rand {
	return rand.New(rand.NewPCG(seed, hash(seed, name)))
}

// hash is FNV-1a, stirred so that close inputs do not stay close.
func hash(seed uint64, parts ...string) uint64 {
	h := uint64(14695981039346656037) ^ seed
	for _, part := range parts {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return stir(h)
}

func stir(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
