package source_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

type careless struct{}

func (careless) Estimate(context.Context, signal.ProductDate) (signal.Estimate, error) {
	panic("careless")
}

func (careless) Ask(context.Context, []signal.ProductDate) ([]source.Answer, error) {
	panic("careless")
}

// A panic on a goroutine that nobody guards ends the process.
func TestPanicError(t *testing.T) {
	t.Parallel()
	d := signal.ProductDate{
		Product: signal.Product{CollectionID: "c", ActivityType: "t", ActivityID: "a", ProductID: "p"},
		Date:    signal.Date{Year: 2026, Month: 7, Day: 1},
	}
	for name, s := range map[string]source.Source{
		"a source": careless{},
		"an asker": source.NewBatches(careless{}, source.Batching{Size: 10, Concurrency: 1}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := source.Estimate(t.Context(), s, d)
			panicked, ok := errors.AsType[*source.PanicError](err)
			if !ok || !strings.Contains(string(panicked.Stack), "careless") {
				t.Errorf("want a panic with its stack: %v", err)
			}
			if errors.Is(err, source.ErrShared) {
				t.Errorf("it was asked for alone: %v", err)
			}
		})
	}
}
