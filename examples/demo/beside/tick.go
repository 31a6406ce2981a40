package beside

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// tick is a run of a bucket in a process of its own.
type tick struct {
	cmd *exec.Cmd
	// ended has how it ended.
	ended chan error
	after func()
}

// kill ends the process as kill -9 does.
func (t *tick) kill() error {
	if err := t.cmd.Process.Kill(); err != nil {
		return fmt.Errorf("kill the process: %w", err)
	}
	err := <-t.ended
	t.after()
	if err == nil {
		return errors.New("the process ended before it was killed")
	}
	return nil
}

// wait waits for the run's end.
func (t *tick) wait() error {
	err := <-t.ended
	t.after()
	return err
}

// environment is that of a process whose DynamoDB is at an address.
func environment(endpoint string, more ...string) []string {
	env := os.Environ()
	for i, v := range env {
		if strings.HasPrefix(v, "AWS_ENDPOINT_URL=") {
			env[i] = "AWS_ENDPOINT_URL=" + endpoint
		}
	}
	return append(env, more...)
}

// beginLiteral starts a tick of the literal loop.
func (c *comparison) beginLiteral(ctx context.Context, endpoint, bucket string) (*tick, error) {
	cmd := exec.CommandContext(ctx, c.Self, LiteralArgument, tableName, bucket)
	cmd.Env = environment(endpoint)
	var says strings.Builder
	cmd.Stderr = &says
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the literal loop: %w", err)
	}
	t := &tick{cmd: cmd, ended: make(chan error, 1), after: func() {}}
	go func() {
		err := cmd.Wait()
		if err != nil {
			err = fmt.Errorf("the literal loop: %w: %s", err, says.String())
		}
		t.ended <- err
	}()
	return t, nil
}

// beginRuntime starts the runtime's own binary, and gives it one event, as Lambda does.
func (c *comparison) beginRuntime(ctx context.Context, endpoint, bucket string) (*tick, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a port: %w", err)
	}
	api := &lambdaAPI{event: fmt.Sprintf(`{"cadenceBucket": %q}`, signal.BucketID(bucket)), answered: make(chan error, 1)}
	server := &http.Server{Handler: api.routes(), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	cmd := exec.CommandContext(ctx, c.Bootstrap)
	cmd.Env = environment(endpoint, "AVAILABILITY_TABLE_NAME="+tableName, "AWS_LAMBDA_RUNTIME_API="+listener.Addr().String())
	if err := cmd.Start(); err != nil {
		_ = server.Close()
		return nil, fmt.Errorf("start the runtime: %w", err)
	}
	t := &tick{cmd: cmd, ended: make(chan error, 1), after: func() { _ = server.Close() }}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	go func() {
		select {
		case err := <-api.answered:
			// Lambda would freeze it.
			_ = cmd.Process.Kill()
			<-exited
			t.ended <- err
		case <-exited:
			t.ended <- errors.New("the runtime ended without an answer")
		}
	}()
	return t, nil
}

// lambdaAPI is the Lambda service around a process: one event, one answer.
type lambdaAPI struct {
	event    string
	answered chan error
	once     sync.Once
}

func (a *lambdaAPI) routes() http.Handler {
	const root, minutes = "/2018-06-01/runtime/invocation/", 5
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+root+"next", func(w http.ResponseWriter, r *http.Request) {
		given := false
		a.once.Do(func() {
			given = true
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", "tick")
			w.Header().Set("Lambda-Runtime-Deadline-Ms", fmt.Sprint(time.Now().Add(minutes*time.Minute).UnixMilli()))
			_, _ = io.WriteString(w, a.event)
		})
		if !given {
			<-r.Context().Done()
		}
	})
	answer := func(failed bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			text, err := io.ReadAll(r.Body)
			if err == nil && failed {
				err = fmt.Errorf("the runtime: %s", text)
			}
			w.WriteHeader(http.StatusAccepted)
			a.answered <- err
		}
	}
	mux.HandleFunc("POST "+root+"tick/response", answer(false))
	mux.HandleFunc("POST "+root+"tick/error", answer(true))
	return mux
}
