package schedule

// set is whole numbers from 0 to 255: what a field of a cron expression matches,
// years counted from firstYear.
type set [4]uint64

func (s *set) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }
