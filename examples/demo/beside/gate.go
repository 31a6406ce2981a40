package beside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// gate stands between a tick and DynamoDB, and holds the first write that would clean
// a signal until it is released: what happens in the meantime happens between the read
// and the write, each time.
type gate struct {
	server *http.Server
	url    string
	target string

	once sync.Once
	// held is closed when a write is held, released when it may go on, and done when
	// DynamoDB has answered it.
	held, released, done chan struct{}
	openOnce             sync.Once
}

func newGate(target string) (*gate, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a port: %w", err)
	}
	g := &gate{
		url: "http://" + listener.Addr().String(), target: strings.TrimSuffix(target, "/"),
		held: make(chan struct{}), released: make(chan struct{}), done: make(chan struct{}),
	}
	g.server = &http.Server{Handler: g, ReadHeaderTimeout: time.Minute}
	go func() { _ = g.server.Serve(listener) }()
	return g, nil
}

// open lets the write go on that is held, and every other.
func (g *gate) open() { g.openOnce.Do(func() { close(g.released) }) }

func (g *gate) close() {
	g.open()
	_ = g.server.Close()
}

// await waits until a write is held.
func (g *gate) await(ctx context.Context, ended <-chan error) error {
	select {
	case <-g.held:
		return nil
	case err := <-ended:
		return errors.Join(errors.New("the tick ended without a write"), err)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// arrived waits until the write that was held has arrived at DynamoDB.
func (g *gate) arrived(ctx context.Context) error {
	select {
	case <-g.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	first := false
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".UpdateItem") && bytes.Contains(body, []byte(`{"S":"clean"}`)) {
		g.once.Do(func() { first = true })
	}
	if first {
		defer close(g.done)
		close(g.held)
		<-g.released
	}
	// Whoever has sent it may be dead by now; it is under way all the same.
	out, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, g.target+r.URL.RequestURI(), bytes.NewReader(body))
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
