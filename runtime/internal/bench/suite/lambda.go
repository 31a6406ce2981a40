package suite

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// lambda is the service around one function's process: its Runtime API.
type lambda struct {
	process *exec.Cmd
	ended   chan struct{}
	log     bytes.Buffer
	server  *http.Server
	// polled is when the process asked for its first event, took how long that was
	// after its start.
	polled  chan time.Time
	began   time.Time
	events  chan event
	answers chan string
}

type event struct {
	body     string
	deadline time.Time
}

// startLambda starts a function with these variables.
func startLambda(ctx context.Context, binary string, env ...string) (*lambda, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &lambda{ended: make(chan struct{}), polled: make(chan time.Time, 1), events: make(chan event), answers: make(chan string, 1)}
	l.server = &http.Server{Handler: l.routes(), ReadHeaderTimeout: time.Minute}
	go func() { _ = l.server.Serve(listener) }() // It ends when it is closed.
	l.process = exec.CommandContext(ctx, binary)
	l.process.Env = append([]string{
		"AWS_LAMBDA_RUNTIME_API=" + listener.Addr().String(), "AWS_REGION=us-east-1",
		"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local", "AVAILABILITY_TABLE_NAME=" + tableName,
	}, env...)
	l.process.Stdout, l.process.Stderr = &l.log, &l.log
	l.began = time.Now()
	if err := l.process.Start(); err != nil {
		_ = l.server.Close()
		return nil, err
	}
	go func() {
		_ = l.process.Wait() // It is killed.
		close(l.ended)
	}()
	return l, nil
}

func (l *lambda) routes() http.Handler {
	const root = "/2018-06-01/runtime/invocation/"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+root+"next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case l.polled <- time.Now():
		default:
		}
		select {
		case e := <-l.events:
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", "request")
			w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(e.deadline.UnixMilli(), 10))
			w.Header().Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:000000000000:function:availability")
			_, _ = io.WriteString(w, e.body)
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("POST "+root+"request/{outcome}", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // What is missing shows in what is made of it.
		w.WriteHeader(http.StatusAccepted)
		l.answers <- string(body)
	})
	return mux
}

// firstPoll is how long the process took to ask for its first event.
func (l *lambda) firstPoll() (time.Duration, error) {
	select {
	case at := <-l.polled:
		return at.Sub(l.began), nil
	case <-l.ended:
		return 0, fmt.Errorf("the function has ended:\n%s", l.log.String())
	case <-time.After(time.Minute):
		return 0, fmt.Errorf("the function does not ask for an event")
	}
}

// invoke sends an event and returns its answer.
func (l *lambda) invoke(body string, limit time.Duration) (string, error) {
	select {
	case l.events <- event{body, time.Now().Add(limit)}:
	case <-l.ended:
		return "", fmt.Errorf("the function has ended:\n%s", l.log.String())
	}
	select {
	case answer := <-l.answers:
		return answer, nil
	case <-l.ended:
		return "", fmt.Errorf("the function has ended:\n%s", l.log.String())
	}
}

// resident is the most memory that the process had so far, in MiB.
func (l *lambda) resident() (float64, error) { return residentPeak(l.process.Process.Pid) }

// residentPeak is the most memory that a process had so far, in MiB.
func residentPeak(pid int) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("process %d has no VmHWM", pid)
}

// stop ends the process and its service.
func (l *lambda) stop() {
	_ = l.process.Process.Kill() // It may have ended by itself.
	<-l.ended
	_ = l.server.Close()
}
