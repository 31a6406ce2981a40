package simulator

import "slices"

// blockSize bounds how much an insertion moves.
const blockSize = 512

type comparer[T any] interface{ compare(other T) int }

// sorted is an ordered set, as blocks of elements: a million of them are
// inserted, removed and walked from anywhere without noticeable cost.
type sorted[T comparer[T]] struct {
	blocks [][]T
	size   int
}

// place is where an element is; it is valid until the set changes.
type place struct{ block, index int }

// seek finds the first element that is not below probe, and whether it equals it.
func (s *sorted[T]) seek(probe T) (at place, found bool) {
	b, exact := slices.BinarySearchFunc(s.blocks, probe, func(block []T, probe T) int {
		return block[len(block)-1].compare(probe)
	})
	if exact {
		return place{b, len(s.blocks[b]) - 1}, true
	}
	if b == len(s.blocks) {
		return place{b, 0}, false
	}
	i, found := slices.BinarySearchFunc(s.blocks[b], probe, func(e, probe T) int { return e.compare(probe) })
	return place{b, i}, found
}

// get returns the element at a place; ok is false beyond either end.
func (s *sorted[T]) get(at place) (e T, ok bool) {
	if at.block < 0 || at.block >= len(s.blocks) {
		return e, false
	}
	return s.blocks[at.block][at.index], true
}

func (s *sorted[T]) first() place { return place{} }

func (s *sorted[T]) last() place {
	b := len(s.blocks) - 1
	if b < 0 {
		return place{-1, 0}
	}
	return place{b, len(s.blocks[b]) - 1}
}

func (s *sorted[T]) next(at place) place {
	if at.index++; at.index >= len(s.blocks[at.block]) {
		return place{at.block + 1, 0}
	}
	return at
}

func (s *sorted[T]) previous(at place) place {
	if at.block >= len(s.blocks) {
		return s.last()
	}
	if at.index > 0 {
		return place{at.block, at.index - 1}
	}
	if at.block == 0 {
		return place{-1, 0}
	}
	return place{at.block - 1, len(s.blocks[at.block-1]) - 1}
}

// insert adds an element where seek has not found it.
func (s *sorted[T]) insert(at place, e T) {
	s.size++
	if at.block == len(s.blocks) {
		if at.block == 0 {
			s.blocks = append(s.blocks, []T{e})
			return
		}
		at = place{at.block - 1, len(s.blocks[at.block-1])}
	}
	block := slices.Insert(s.blocks[at.block], at.index, e)
	if len(block) < blockSize {
		s.blocks[at.block] = block
		return
	}
	half := len(block) / 2
	s.blocks[at.block] = block[:half:half]
	s.blocks = slices.Insert(s.blocks, at.block+1, slices.Clone(block[half:]))
}

// remove takes out the element at a place.
func (s *sorted[T]) remove(at place) {
	s.size--
	s.blocks[at.block] = slices.Delete(s.blocks[at.block], at.index, at.index+1)
	if len(s.blocks[at.block]) == 0 {
		s.blocks = slices.Delete(s.blocks, at.block, at.block+1)
	}
}
