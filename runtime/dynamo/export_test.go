package dynamo

import (
	"context"
	"time"
)

// Hasty makes a seeder go on at once where it would wait.
func (s *Seeder) Hasty() *Seeder {
	s.sleep = func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
	return s
}
