package beside

import (
	"bytes"
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

// LiteralArgument makes the program a tick of the literal loop.
const LiteralArgument = "literal-loop"

// Processes begin ticks on this machine.
type Processes struct {
	// Endpoint is the local AWS.
	Endpoint string
	// Bootstrap is the runtime's binary for this machine, Self the program that is the
	// literal loop when its first argument is LiteralArgument.
	Bootstrap, Self string
}

// BeginLiteral starts a tick of the literal loop.
func (p Processes) BeginLiteral(ctx context.Context, bucket string, g *Gate) (*Tick, error) {
	endpoint, closeGate, err := p.through(g)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, p.Self, LiteralArgument, TableName, bucket)
	cmd.Env = environment(endpoint)
	var says strings.Builder
	cmd.Stderr = &says
	if err := cmd.Start(); err != nil {
		closeGate()
		return nil, fmt.Errorf("start the literal loop: %w", err)
	}
	return NewTick(func() error {
		defer closeGate()
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("the literal loop: %w: %s", err, says.String())
		}
		return nil
	}, cmd.Process.Kill), nil
}

// BeginRuntime starts the runtime's own binary, and gives it one event, as Lambda does.
func (p Processes) BeginRuntime(ctx context.Context, bucket string, g *Gate) (*Tick, error) {
	endpoint, closeGate, err := p.through(g)
	if err != nil {
		return nil, err
	}
	api := &lambdaAPI{event: fmt.Sprintf(`{"cadenceBucket": %q}`, signal.BucketID(bucket)), answered: make(chan error, 1)}
	address, closeAPI, err := serve(api.routes())
	if err != nil {
		closeGate()
		return nil, err
	}
	cmd := exec.CommandContext(ctx, p.Bootstrap)
	cmd.Env = environment(endpoint, "AVAILABILITY_TABLE_NAME="+TableName, "AWS_LAMBDA_RUNTIME_API="+address)
	if err := cmd.Start(); err != nil {
		closeGate()
		closeAPI()
		return nil, fmt.Errorf("start the runtime: %w", err)
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	return NewTick(func() error {
		defer closeGate()
		defer closeAPI()
		select {
		case err := <-api.answered:
			// Lambda would freeze it.
			_ = cmd.Process.Kill()
			<-exited
			return err
		case <-exited:
			return errors.New("the runtime ended without an answer")
		}
	}, cmd.Process.Kill), nil
}

// through is the address that leads to DynamoDB through a gate.
func (p Processes) through(g *Gate) (endpoint string, end func(), err error) {
	if g == nil {
		return p.Endpoint, func() {}, nil
	}
	address, end, err := serve(proxy{g, strings.TrimSuffix(p.Endpoint, "/")})
	return "http://" + address, end, err
}

func serve(h http.Handler) (address string, end func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("open a port: %w", err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), func() { _ = server.Close() }, nil
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

// proxy passes on what a process sends.
type proxy struct {
	gate   *Gate
	target string
}

func (p proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".UpdateItem") && bytes.Contains(body, []byte(`{"S":"clean"}`)) {
		p.gate.Pass(func() { p.send(w, r, body) })
		return
	}
	p.send(w, r, body)
}

func (p proxy) send(w http.ResponseWriter, r *http.Request, body []byte) {
	// Whoever has sent it may be dead by now; it is under way all the same.
	out, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, p.target+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return
	}
	out.Header = r.Header.Clone()
	answer, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
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
