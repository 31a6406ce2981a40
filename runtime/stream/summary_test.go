package stream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

// Each answer of AWS's has a request id of its own; what fails alike is one line
// nevertheless, and an answer never more than a function can give.
func TestSummary_failures(t *testing.T) {
	t.Parallel()
	product := signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}
	var plan stream.Plan
	first := signal.Date{Year: 2027, Month: time.May, Day: 1}
	for n := range 1000 {
		pp := stream.ProductPlan{Product: product}
		for day := range 365 {
			if day%2 == 1 && n > 7 {
				// Closed on each second day.
				continue
			}
			why := fmt.Errorf("%w: RequestID: %d-%d", dynamo.ErrAccessDenied, n, day)
			switch {
			case day == 100:
				why = fmt.Errorf("not begun: %w", context.DeadlineExceeded)
			case day > 300:
				why = fmt.Errorf("%w: RequestID: %d-%d", dynamo.ErrRejected, n, day)
			}
			pp.Steps = append(pp.Steps, stream.Step{
				ProductDate: signal.ProductDate{Product: product, Date: first.AddDays(day)}, Action: stream.Seed, Err: why,
			})
		}
		plan.Products = append(plan.Products, pp)
	}
	s := plan.Summary(1000)
	var text strings.Builder
	for _, l := range s.Products[7].Lines {
		fmt.Fprintf(&text, "%s %s/%s %d %v %s\n", l.Action, l.First, l.Last, l.Days, l.Failed, l.Why)
	}
	const want = `seed 2027-05-01/2027-08-08 100 true access denied: RequestID: 7-0
seed 2027-08-09/2027-08-09 1 true not begun: context deadline exceeded
seed 2027-08-10/2028-02-25 200 true access denied: RequestID: 7-0
seed 2028-02-26/2028-04-29 64 true request rejected: RequestID: 7-301
`
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", text.String(), want)
	}
	if b, err := json.Marshal(s); err != nil || len(b) > 4_000_000 || s.Omitted == 0 || s.Omitted+len(s.Products) != 1000 || s.Failed != 8*365+992*183 {
		t.Errorf("%d bytes of JSON, %d failed, %v", len(b), s.Failed, err)
	}
}
