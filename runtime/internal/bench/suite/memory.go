package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/served"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// memory is P6: the Lambda's memory.
func (s *Suite) memory(ctx context.Context) (record.Row, error) {
	limit := time.Duration(s.sized(60, 6)) * time.Second
	r := record.Row{
		Title: "The Lambda's memory",
		How: fmt.Sprintf("The released bootstrap as a process of its own, with the pool source, invoked once over the simulator behind HTTP with %s to go; the most resident memory that the system counted (VmHWM). It lists all that is dirty, and checks as many as it gets to in that time.",
			limit),
	}
	season, err := s.million(ctx)
	if err != nil {
		return r, err
	}
	for _, of := range []struct {
		every int
		goal  float64
	}{{10, 64}, {1, 100}} {
		if err := season.soil(ctx, of.every); err != nil {
			return r, err
		}
		mib, counts, err := s.resident(ctx, season, limit)
		if err != nil {
			return r, err
		}
		if want := int64(season.size / of.every); counts.Seen < want {
			return r, fmt.Errorf("the run saw %d of %d dirty signals", counts.Seen, want)
		}
		r.Lines = append(r.Lines, record.Line{
			What:  fmt.Sprintf("%s signals, %s dirty", record.Number(float64(season.size)), record.Number(float64(season.size/of.every))),
			Value: mib, Unit: "MiB", Goal: record.AtMost(of.goal),
			Detail: fmt.Sprintf("%s listed, %s checked", record.Number(float64(counts.Seen)), record.Number(float64(counts.Cleaned))),
		})
	}
	return r, season.clean(ctx)
}

// resident invokes the bootstrap once.
func (s *Suite) resident(ctx context.Context, season *season, limit time.Duration) (float64, check.Counts, error) {
	var report check.Report
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, report.Counts, err
	}
	server := &http.Server{Handler: served.Handler(season.db.Client(runnerName)), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // It ends when it is closed.
	defer server.Close()
	l, err := startLambda(ctx, s.bootstrap(runtime.GOARCH), "AWS_ENDPOINT_URL=http://"+listener.Addr().String(), "AVAILABILITY_LOG_LEVEL=error")
	if err != nil {
		return 0, report.Counts, err
	}
	defer l.stop()
	answer, err := l.invoke(fmt.Sprintf(`{"cadenceBucket": %q}`, signal.BucketID(bucketName)), limit)
	if err != nil {
		return 0, report.Counts, err
	}
	if err := json.Unmarshal([]byte(answer), &report); err != nil {
		return 0, report.Counts, fmt.Errorf("the function answers %.500s: %w", answer, err)
	}
	if report.Seen == 0 {
		return 0, report.Counts, fmt.Errorf("the function has seen nothing dirty: %.500s", answer)
	}
	mib, err := l.resident()
	return mib, report.Counts, err
}

// clean makes every signal clean that is not, by a run in this process: the next
// row begins with none dirty. Those claimed are made free first.
func (s *season) clean(ctx context.Context) error {
	for i := range s.size {
		key := s.day(i).Key()
		item, err := s.store.Get(ctx, key)
		if err != nil {
			return err
		}
		if item.Text(signal.AttrGSISK) == signal.Clean && !item[signal.AttrClaimedBy].Exists() {
			continue
		}
		w := s.seeding(i)
		w.If = nil
		if _, err := s.store.Write(ctx, w); err != nil {
			return err
		}
	}
	return nil
}
