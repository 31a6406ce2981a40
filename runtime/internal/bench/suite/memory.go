package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/served"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// memory is P6: the Lambda's memory.
func (s *Suite) memory(ctx context.Context) (record.Row, error) {
	checking := s.milliseconds(15_000, 1)
	r := record.Row{
		Title: "The Lambda's memory",
		How: fmt.Sprintf("The released bootstrap as a process of its own, with the pool source, over the simulator behind HTTP: the most resident memory that the system counted (VmHWM) when it had listed all that is dirty, and checked for %s.",
			checking),
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
		mib, checked, err := s.resident(ctx, season, checking)
		if err != nil {
			return r, err
		}
		if err := season.release(ctx); err != nil {
			return r, err
		}
		r.Lines = append(r.Lines, record.Line{
			What:  fmt.Sprintf("%s signals, %s dirty", record.Number(float64(season.size)), record.Number(float64(season.size/of.every))),
			Value: mib, Unit: "MiB", Goal: record.AtMost(of.goal),
			Detail: fmt.Sprintf("all listed, %s checked", record.Number(float64(checked))),
		})
	}
	return r, nil
}

// resident invokes the bootstrap, and measures it when it has checked for a while,
// or is done.
func (s *Suite) resident(ctx context.Context, season *season, checking time.Duration) (mib float64, checked int64, err error) {
	updates := &counting{Handler: served.Handler(season.db.Client(runnerName))}
	endpoint, end, err := serve(updates)
	if err != nil {
		return 0, 0, err
	}
	defer end()
	l, err := startLambda(ctx, s.bootstrap(runtime.GOARCH), "AWS_ENDPOINT_URL="+endpoint, "AVAILABILITY_LOG_LEVEL=error")
	if err != nil {
		return 0, 0, err
	}
	defer l.stop()
	answered := make(chan error, 1)
	go func() { answered <- l.run(signal.BucketID(bucketName)) }()
	over := time.Now().Add(longestInvocation)
	every := time.NewTicker(50 * time.Millisecond)
	defer every.Stop()
	for time.Now().Before(over) {
		select {
		case err := <-answered:
			if err != nil {
				return 0, 0, err
			}
			over = time.Now()
		case <-every.C:
			// Its first writes are of its run item. Claims come when all is listed.
			if time.Until(over) > checking && updates.n.Load() > 10 {
				over = time.Now().Add(checking)
			}
		}
	}
	mib, err = l.resident()
	// Two of them, or a few more, were the run item's.
	return mib, max(0, updates.n.Load()-2) / 2, err
}

// serve serves a table to other processes until it is ended.
func serve(handler http.Handler) (endpoint string, end func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // It ends when it is closed.
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}

// longestInvocation is what Lambda gives at most.
const longestInvocation = 15 * time.Minute

// counting counts the UpdateItems.
type counting struct {
	http.Handler
	n atomic.Int64
}

func (c *counting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".UpdateItem") {
		c.n.Add(1)
	}
	c.Handler.ServeHTTP(w, r)
}

// run invokes the function for a bucket. An answer without a report is an error.
func (l *lambda) run(bucket string) error {
	answer, err := l.invoke(fmt.Sprintf(`{"cadenceBucket": %q}`, bucket), longestInvocation)
	if err != nil {
		return err
	}
	var report check.Report
	if err := json.Unmarshal([]byte(answer), &report); err != nil {
		return fmt.Errorf("the function answers %.500s: %w", answer, err)
	}
	if report.Seen == 0 {
		return fmt.Errorf("the function has seen nothing dirty: %.500s", answer)
	}
	return nil
}

// release gives back the bucket, which a run that was killed still holds: the next
// one would end at once until that is over.
func (s *season) release(ctx context.Context) error {
	_, err := s.store.Write(ctx, protocol.Write{Kind: protocol.Delete, Key: signal.RunKey(s.bucket.Name)})
	return err
}
