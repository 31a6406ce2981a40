package acctest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// FaultProxy stands between the provider and the local AWS, so that a test can
// make any call of either service fail in any way. Its URL goes into the
// provider's endpoints.
type FaultProxy struct {
	server *httptest.Server
	target string

	mu     sync.Mutex
	faults []*Fault
	calls  []string
}

// Fault is what happens to some of the calls of an operation.
type Fault struct {
	// Operation is the API's name, such as PutRule or UpdateItem; "" is all.
	Operation string
	// Call is which of the calls since Set, counted from 1 (a retry is a call);
	// 0 is all of them.
	Call int
	// Onwards makes it all calls from Call on.
	Onwards bool
	// Effect is what happens instead of, or beside, passing the call on.
	Effect Effect

	seen int
}

// Effect is what happens to a call that a fault meets.
type Effect func(call *call)

// call is one request under way.
type call struct {
	w       http.ResponseWriter
	r       *http.Request
	body    []byte
	forward func(body []byte) (status int, header http.Header, answer []byte, err error)
	// after runs once the answer is there, before it is sent.
	after func()
	// answered says that nothing more is to be done.
	answered bool
}

// Fail answers with an error of AWS and passes nothing on.
func Fail(status int, code, message string) Effect {
	return func(c *call) { c.answer(status, fmt.Sprintf(`{"__type":%q,"message":%q}`, code, message)) }
}

// Throttled answers as AWS does when the rate is too high.
func Throttled() Effect { return Fail(http.StatusBadRequest, "ThrottlingException", "Rate exceeded") }

// Reply answers 200 with that JSON and passes nothing on.
func Reply(json string) Effect {
	return func(c *call) { c.answer(http.StatusOK, json) }
}

// LoseRequest breaks the connection and passes nothing on.
func LoseRequest() Effect { return func(c *call) { c.hangUp() } }

// LoseAnswer passes the call on, then breaks the connection: it is applied, and
// nobody is told.
func LoseAnswer() Effect {
	return func(c *call) {
		_, _, _, _ = c.forward(c.body)
		c.hangUp()
	}
}

// Cancel ends the operation that makes the call by its context, and passes nothing
// on.
func Cancel(operation context.CancelFunc) Effect {
	return func(c *call) {
		operation()
		c.hangUp()
	}
}

// CancelApplied ends the operation that makes the call by its context, once the
// call is applied.
func CancelApplied(operation context.CancelFunc) Effect {
	return func(c *call) {
		_, _, _, _ = c.forward(c.body)
		operation()
		c.hangUp()
	}
}

// FailEntry passes all but the last statement of a BatchExecuteStatement on, and
// answers 200 with an error for that one. Other calls it passes on as they are.
func FailEntry(code, message string) Effect {
	return func(c *call) {
		var request map[string]json.RawMessage
		var statements []json.RawMessage
		if json.Unmarshal(c.body, &request) != nil || json.Unmarshal(request["Statements"], &statements) != nil || len(statements) == 0 {
			return
		}
		last := len(statements) - 1
		answer := map[string][]json.RawMessage{}
		if last > 0 {
			request["Statements"], _ = json.Marshal(statements[:last])
			body, _ := json.Marshal(request)
			status, _, text, err := c.forward(body)
			if err != nil || status != http.StatusOK || json.Unmarshal(text, &answer) != nil {
				c.hangUp()
				return
			}
		}
		entry, _ := json.Marshal(map[string]any{"Error": map[string]string{"Code": code, "Message": message}})
		answer["Responses"] = append(answer["Responses"], entry)
		whole, _ := json.Marshal(answer)
		c.answer(http.StatusOK, string(whole))
	}
}

// FailEntries passes nothing of a BatchExecuteStatement on, and answers 200 with an
// error for each of its statements. Other calls it passes on as they are.
func FailEntries(code, message string) Effect {
	return func(c *call) {
		var request struct{ Statements []json.RawMessage }
		if json.Unmarshal(c.body, &request) != nil || len(request.Statements) == 0 {
			return
		}
		failed := map[string]any{"Error": map[string]string{"Code": code, "Message": message}}
		answer, _ := json.Marshal(map[string]any{"Responses": slices.Repeat([]any{failed}, len(request.Statements))})
		c.answer(http.StatusOK, string(answer))
	}
}

// Delay passes the call on after that time, or breaks off when the caller does.
func Delay(d time.Duration) Effect {
	return func(c *call) {
		select {
		case <-time.After(d):
		case <-c.r.Context().Done():
			c.hangUp()
		}
	}
}

// Before runs do, then passes the call on: what others do in the meantime.
func Before(do func()) Effect { return func(*call) { do() } }

// After passes the call on and runs do before the answer is sent.
func After(do func()) Effect { return func(c *call) { c.after = do } }

// NewFaultProxy starts a proxy without faults in front of the local AWS, until
// the end of the test. Requests to AWS itself are signed for its own address, so
// that there the test is skipped.
func NewFaultProxy(t *testing.T) *FaultProxy {
	t.Helper()
	PreCheck(t)
	target := os.Getenv("AWS_ENDPOINT_URL")
	if target == "" {
		t.Skip("injects faults, which needs a local AWS: AWS_ENDPOINT_URL is not set")
	}
	p := &FaultProxy{target: strings.TrimSuffix(target, "/")}
	p.server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.server.Close)
	return p
}

// URL is the proxy's address.
func (p *FaultProxy) URL() string { return p.server.URL }

// Provider is a provider block that goes through the proxy; more is further
// lines of it.
func (p *FaultProxy) Provider(more ...string) string {
	return fmt.Sprintf("provider \"availability\" {\n  endpoints = {\n    dynamodb    = %[1]q\n    eventbridge = %[1]q\n  }\n  %[2]s\n}\n", p.URL(), strings.Join(more, "\n  "))
}

// Settings are the provider settings that go through the proxy, for a Driver;
// more adds to them.
func (p *FaultProxy) Settings(more Config) Config {
	settings := Config{"endpoints": Config{"dynamodb": p.URL(), "eventbridge": p.URL()}}
	maps.Copy(settings, more)
	return settings
}

// Set replaces the faults, and forgets the calls so far.
func (p *FaultProxy) Set(faults ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = nil
	p.faults = nil
	for _, f := range faults {
		p.faults = append(p.faults, &f)
	}
}

// Calls are the operations called since Set, in order, retries included.
func (p *FaultProxy) Calls() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.calls...)
}

func (p *FaultProxy) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	c := &call{w: w, r: r, body: body}
	c.forward = func(body []byte) (int, http.Header, []byte, error) { return p.forward(r, body) }
	for _, effect := range p.note(operation) {
		effect(c)
		if c.answered {
			return
		}
	}
	status, header, answer, err := c.forward(body)
	if err != nil {
		c.hangUp()
		return
	}
	if c.after != nil {
		c.after()
	}
	for name, values := range header {
		w.Header()[name] = values
	}
	w.WriteHeader(status)
	_, _ = w.Write(answer)
}

// note records a call and returns what is to happen to it.
func (p *FaultProxy) note(operation string) []Effect {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, operation)
	var effects []Effect
	for _, f := range p.faults {
		if f.Operation != "" && f.Operation != operation {
			continue
		}
		f.seen++
		if f.Call == 0 || f.Call == f.seen || f.Onwards && f.Call < f.seen {
			effects = append(effects, f.Effect)
		}
	}
	return effects
}

func (p *FaultProxy) forward(r *http.Request, body []byte) (int, http.Header, []byte, error) {
	// The engine carries out what it has received, whether or not the caller
	// still waits for the answer.
	out, err := http.NewRequest(r.Method, p.target+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	out.Header = r.Header.Clone()
	out.Header.Set("Accept-Encoding", "identity")
	resp, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	header := resp.Header.Clone()
	header.Del("Content-Length")
	return resp.StatusCode, header, answer, err
}

func (c *call) answer(status int, body string) {
	c.answered = true
	c.w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	c.w.Header().Set("X-Amzn-Requestid", "injected")
	c.w.WriteHeader(status)
	_, _ = io.WriteString(c.w, body)
}

// hangUp breaks the connection off without an answer.
func (c *call) hangUp() {
	c.answered = true
	if hijacker, ok := c.w.(http.Hijacker); ok {
		if conn, _, err := hijacker.Hijack(); err == nil {
			_ = conn.Close()
		}
	}
}
