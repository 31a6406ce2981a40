package check

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// due is a signal to be checked: the shard that it is in, and the one that it
// belongs to.
type due struct {
	key      signal.Key
	from, to int
	// atRandom is whether it was picked from among all, and not as the oldest.
	atRandom bool
}

// queue is the signals to be checked, the one that has been dirty for longest
// first. It is filled by one, then sorted, then emptied by many.
type queue struct {
	pks, sks names
	// home is the shard that a signal belongs to.
	home func(signal.Key) int

	mu    sync.Mutex
	size  int
	lines [signal.MaxShards]line
}

// line is what waits in one shard.
type line struct {
	chunks chunks
	// to is where the first of them belongs.
	to int
}

func (q *queue) add(key signal.Key, shard int, since int64) {
	q.lines[shard].chunks.add(candidate{since, q.pks.number(key.PK), q.sks.number(key.SK)})
	q.size++
}

// sort ends the filling.
func (q *queue) sort() {
	q.pks.numbers, q.sks.numbers = nil, nil
	for i := range q.lines {
		l := &q.lines[i]
		for _, c := range l.chunks {
			slices.SortFunc(c, compareCandidates)
		}
		heap.Init(&l.chunks)
		q.look(l)
	}
}

// next takes the first signal whose shards have budget left, and spends it. If
// none has, pause is how long to wait; ok is false if there is none at all.
func (q *queue) next(b *budget, now time.Time) (d due, pause time.Duration, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.size == 0 {
		return due{}, 0, false
	}
	best := -1
	for i := range q.lines {
		l := &q.lines[i]
		if len(l.chunks) == 0 {
			continue
		}
		if wait := b.lacks(now, i, l.to); wait > 0 {
			if pause == 0 || wait < pause {
				pause = wait
			}
			continue
		}
		if best < 0 || compareCandidates(l.chunks[0][0], q.lines[best].chunks[0][0]) < 0 {
			best = i
		}
	}
	if best < 0 {
		return due{}, pause, true
	}
	l := &q.lines[best]
	d = due{key: q.key(l.chunks[0][0]), from: best, to: l.to}
	b.spend(now, d.from, d.to)
	l.chunks.remove(0, 0)
	q.size--
	q.look(l)
	return d, 0, true
}

// any takes one of them at random, a number in [0, 1).
func (q *queue) any(random float64) (d due, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.size == 0 {
		return due{}, false
	}
	nth := int(random * float64(q.size))
	for i := range q.lines {
		l := &q.lines[i]
		for c := range l.chunks {
			if nth >= len(l.chunks[c]) {
				nth -= len(l.chunks[c])
				continue
			}
			key := q.key(l.chunks[c][nth])
			l.chunks.remove(c, nth)
			q.size--
			q.look(l)
			return due{key: key, from: i, to: q.home(key), atRandom: true}, true
		}
	}
	return due{}, false
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.size
}

func (q *queue) look(l *line) {
	if len(l.chunks) > 0 {
		l.to = q.home(q.key(l.chunks[0][0]))
	}
}

func (q *queue) key(c candidate) signal.Key {
	return signal.Key{PK: q.pks.names[c.pk], SK: q.sks.names[c.sk]}
}

// candidate is a signal to be checked, in 16 bytes without a pointer: there may
// be a million.
type candidate struct {
	// since is when it became dirty, in epoch ms; 0 if that is not known.
	since  int64
	pk, sk uint32
}

func compareCandidates(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.pk, b.pk), cmp.Compare(a.sk, b.sk))
}

// names numbers texts, so that each is kept once: a season's signals share their
// products' pks, and their dates.
type names struct {
	names   []string
	numbers map[string]uint32
}

func (n *names) number(name string) uint32 {
	if i, ok := n.numbers[name]; ok {
		return i
	}
	if n.numbers == nil {
		n.numbers = map[string]uint32{}
	}
	// A text must not keep alive the page that it was read with.
	name = strings.Clone(name)
	i := uint32(len(n.names))
	n.names = append(n.names, name)
	n.numbers[name] = i
	return i
}
