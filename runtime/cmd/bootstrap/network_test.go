package main_test

import (
	"bytes"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// network is the way from the bootstrap to DynamoDB, on which things go wrong.
type network struct {
	mu       sync.Mutex
	requests map[string]int
	// on is asked about each request; n counts the requests of that kind.
	on func(kind string, n int) fate
	// answered, if set, is told each answer of DynamoDB's, whether it is lost or not.
	answered func(kind string, status int)
	// killed kills the bootstrap.
	killed func()
	// meanwhile, if set, happens after DynamoDB has answered a read of the source, and
	// before the bootstrap learns of it.
	meanwhile func(request string)
}

type fate uint8

const (
	delivered fate = iota
	// answerLost is a request that DynamoDB has carried out.
	answerLost
	// killing is one that it has carried out when the bootstrap is killed.
	killing
	// neverSent is one that it never gets.
	neverSent
	throttled
	conflicting
	// slow is a request that is held up until the client gives up.
	slow
)

func newNetwork(t *testing.T, on func(kind string, n int) fate) (*network, string) {
	t.Helper()
	engine, err := url.Parse(os.Getenv("AWS_ENDPOINT_URL"))
	if err != nil {
		t.Fatal(err)
	}
	n := &network{requests: map[string]int{}, on: on}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(engine)
			r.Out.Host = r.In.Host
		},
		// It tells of every bootstrap that goes away, which is what these tests are about.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n.serve(proxy, w, r) }))
	t.Cleanup(server.Close)
	return n, server.URL
}

// kindOf is what a request is for: claim, finish, source, or DynamoDB's own name.
func kindOf(r *http.Request, body string) string {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	switch {
	case operation == "UpdateItem" && strings.Contains(body, "SET #claimedBy"):
		return "claim"
	case operation == "UpdateItem" && strings.Contains(body, "#claimedBy = "):
		return "finish"
	case operation == "Query" && strings.Contains(body, "inventoryPool::"):
		return "source"
	}
	return operation
}

func (n *network) serve(engine http.Handler, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	kind := kindOf(r, string(body))
	n.mu.Lock()
	n.requests[kind]++
	number := n.requests[kind]
	n.mu.Unlock()
	refuse := func(code string) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type":"com.amazonaws.dynamodb.v20120810#`+code+`","message":"by the test"}`)
	}
	switch n.on(kind, number) {
	case delivered:
		if kind != "source" || n.meanwhile == nil {
			n.forward(engine, kind, w, r)
			return
		}
		answer := httptest.NewRecorder()
		n.forward(engine, kind, answer, r)
		n.meanwhile(string(body))
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	case answerLost:
		n.forward(engine, kind, httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case killing:
		n.forward(engine, kind, httptest.NewRecorder(), r)
		n.killed()
		panic(http.ErrAbortHandler)
	case neverSent:
		panic(http.ErrAbortHandler)
	case throttled:
		refuse("ProvisionedThroughputExceededException")
	case conflicting:
		refuse("TransactionConflictException")
	case slow:
		<-r.Context().Done()
	}
}

func (n *network) forward(engine http.Handler, kind string, w http.ResponseWriter, r *http.Request) {
	noted := &noted{ResponseWriter: w, status: http.StatusOK}
	engine.ServeHTTP(noted, r)
	if n.answered != nil {
		n.answered(kind, noted.status)
	}
}

// noted keeps the status of an answer.
type noted struct {
	http.ResponseWriter
	status int
}

func (w *noted) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (n *network) count(kind string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.requests[kind]
}

// broken runs the bucket once, over a network that treats the n-th request of a
// kind like that, and all others well.
func broken(t *testing.T, timeout time.Duration, fates map[string][]fate) (n *network, l *lambda, store *dynamo.Store, key signal.Key, a answer) {
	t.Helper()
	db := awstest.DynamoDB(t)
	store = newStore(t, db, awstest.Included)
	key = seed(t, db, store, store.Table(), "2027-07-01")
	n, endpoint := newNetwork(t, func(kind string, n int) fate {
		if n > len(fates[kind]) {
			return delivered
		}
		return fates[kind][n-1]
	})
	l = start(t, build(t), lambdaEnv(map[string]string{
		"AVAILABILITY_TABLE_NAME": store.Table(), "AVAILABILITY_LOG_LEVEL": "debug",
		// The service's own goes before the one for all.
		"AWS_ENDPOINT_URL_DYNAMODB": endpoint, "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
	}))
	return n, l, store, key, l.invokeFor(fiveMinutes, timeout)
}

// A claim is sent once: a repeat that arrives late would revive its id.
func TestBootstrap_claimWhoseAnswerIsLost(t *testing.T) {
	n, _, store, key, a := broken(t, time.Minute, map[string][]fate{"claim": {answerLost}})
	if r := report(t, a); r.Cleaned != 1 || n.count("claim") != 1 {
		t.Errorf("%d claims sent, report %s", n.count("claim"), a.body)
	}
	wantClean(t, store, key)
}

func TestBootstrap_throttledClaim(t *testing.T) {
	n, _, _, _, a := broken(t, time.Minute, map[string][]fate{"claim": {throttled}})
	if r := report(t, a); r.Remaining != 1 || r.Throttles != 1 || n.count("claim") != 1 {
		t.Errorf("%d claims sent, report %s", n.count("claim"), a.body)
	}
}

func TestBootstrap_finishWhoseAnswerIsLost(t *testing.T) {
	n, _, store, key, a := broken(t, time.Minute, map[string][]fate{"finish": {answerLost}})
	if r := report(t, a); r.Cleaned != 1 || n.count("finish") != 2 {
		t.Errorf("%d finishes sent, report %s", n.count("finish"), a.body)
	}
	wantClean(t, store, key)
}

func TestBootstrap_busyTable(t *testing.T) {
	_, _, store, key, a := broken(t, time.Minute, map[string][]fate{
		"GetItem": {throttled}, "claim": {conflicting}, "source": {throttled}, "finish": {conflicting, throttled},
	})
	if r := report(t, a); r.Cleaned != 1 || r.Throttles != 3 {
		t.Errorf("want it cleaned, after 3 throttles: %s", a.body)
	}
	wantClean(t, store, key)
}

func TestBootstrap_deadlineOfTheInvocation(t *testing.T) {
	_, _, store, key, a := broken(t, 4*time.Second, map[string][]fate{"source": {slow}})
	if r := report(t, a); r.BackedOff+r.Superseded != 1 || r.DurationMS > 4000 {
		t.Errorf("want it put off in time: %s", a.body)
	}
	if item, err := store.Get(t.Context(), key); err != nil || item[signal.AttrClaimedBy].Exists() || item.Text(signal.AttrGSISK) != signal.Dirty {
		t.Errorf("item: %v, %v", item, err)
	}
}
