package check

import "container/heap"

// chunkSize is how many candidates are sorted at a time. Chunks never grow beyond
// it, so that a million candidates are never copied.
const chunkSize = 1 << 14

// chunks is a heap of sorted chunks, by their first candidates.
type chunks [][]candidate

// add appends a candidate to what is not sorted yet.
func (c *chunks) add(next candidate) {
	last := len(*c) - 1
	if last < 0 || len((*c)[last]) == chunkSize {
		*c = append(*c, nil)
		last++
	}
	(*c)[last] = append((*c)[last], next)
}

// remove takes the n-th candidate out of a chunk.
func (c *chunks) remove(chunk, n int) {
	of := (*c)[chunk]
	// The few before it make way: in most cases there are none.
	copy(of[1:n+1], of[:n])
	if (*c)[chunk] = of[1:]; len(of) == 1 {
		heap.Remove(c, chunk)
		return
	}
	heap.Fix(c, chunk)
}

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
