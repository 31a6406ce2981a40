package check

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
	"sync"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// chunkSize is how many candidates are sorted at a time. Chunks never grow beyond
// it, so that a million candidates are never copied.
const chunkSize = 1 << 14

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

// queue is the signals to be checked, the one that has been dirty for longest
// first. It is filled by one, then sorted, then emptied by many.
type queue struct {
	pks, sks names

	mu     sync.Mutex
	size   int
	chunks chunks
}

func (q *queue) add(key signal.Key, since int64) {
	last := len(q.chunks) - 1
	if last < 0 || len(q.chunks[last]) == chunkSize {
		q.chunks = append(q.chunks, nil)
		last++
	}
	q.chunks[last] = append(q.chunks[last], candidate{since, q.pks.number(key.PK), q.sks.number(key.SK)})
	q.size++
}

// sort ends the filling.
func (q *queue) sort() {
	q.pks.numbers, q.sks.numbers = nil, nil
	for _, c := range q.chunks {
		slices.SortFunc(c, compareCandidates)
	}
	heap.Init(&q.chunks)
}

func (q *queue) next() (key signal.Key, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.size == 0 {
		return signal.Key{}, false
	}
	first := q.chunks[0][0]
	q.size--
	if q.chunks[0] = q.chunks[0][1:]; len(q.chunks[0]) == 0 {
		heap.Pop(&q.chunks)
	} else {
		heap.Fix(&q.chunks, 0)
	}
	return signal.Key{PK: q.pks.names[first.pk], SK: q.sks.names[first.sk]}, true
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.size
}

// chunks is a heap of sorted chunks, by their first candidates.
type chunks [][]candidate

func (c chunks) Len() int           { return len(c) }
func (c chunks) Less(i, j int) bool { return compareCandidates(c[i][0], c[j][0]) < 0 }
func (c chunks) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *chunks) Push(x any)        { *c = append(*c, x.([]candidate)) }

func (c *chunks) Pop() any {
	last := len(*c) - 1
	x := (*c)[last]
	(*c)[last] = nil
	*c = (*c)[:last]
	return x
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
