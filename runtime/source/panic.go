package source

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// PanicError is a Source or an Asker that panicked, which is a mistake in it.
type PanicError struct {
	// Value is what it panicked with.
	Value any
	// Stack is where.
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("the source panicked: %v", e.Value) }

// Estimate asks a Source for a signal. A panic of the Source is a *PanicError, so
// that one signal's is not everybody's end.
func Estimate(ctx context.Context, s Source, d signal.ProductDate) (signal.Estimate, error) {
	return recovered(func() (signal.Estimate, error) { return s.Estimate(ctx, d) })
}

func recovered[T any](f func() (T, error)) (result T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}
