//go:build !race

package goals_test

import "testing"

// atScale is the large one, unless tests are to be short.
func atScale[T any](large, small T) T {
	if testing.Short() {
		return small
	}
	return large
}
