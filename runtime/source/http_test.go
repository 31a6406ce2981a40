package source_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

const token = "canary-token"

// platform is a server that answers for a source, and what it was sent.
type platform struct {
	*httptest.Server
	requests chan received
}

type received struct {
	*http.Request
	body string
}

func newPlatform(t *testing.T, answer http.HandlerFunc) *platform {
	t.Helper()
	p := &platform{requests: make(chan received, 100)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		// The server keeps the length apart.
		r.Header.Set("Content-Length", r.Header.Get("Content-Length"))
		if r.ContentLength >= 0 {
			length, _ := json.Marshal(r.ContentLength)
			r.Header.Set("Content-Length", string(length))
		}
		p.requests <- received{r, string(body)}
		answer(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func says(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

func (p *platform) url(t *testing.T, path string) *url.URL {
	t.Helper()
	u, err := source.ParseURL(p.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// network is the real one, for the length of a test.
func network(t *testing.T) source.Remote {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	return remote(transport)
}

var batch = []signal.ProductDate{day(0), day(1)}

func TestHTTP_request(t *testing.T) {
	p := newPlatform(t, says(http.StatusOK, body(entry(0, `"none": true`), entry(1, `"available": 3, "capacity": 4`))))
	got, err := source.NewHTTP(p.url(t, "/estimates?v=2"), source.Bearer(token), network(t)).Ask(t.Context(), batch)
	want := []source.Answer{{Estimate: signal.Estimate{NoInventory: true}}, {Estimate: signal.Estimate{Available: 3, Capacity: 4}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	r := <-p.requests
	if r.Method != http.MethodPost || r.RequestURI != "/estimates?v=2" || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s %s of %s", r.Method, r.RequestURI, r.Header.Get("Content-Type"))
	}
	if got := r.Header.Get("Authorization"); got != "Bearer "+token {
		t.Errorf("Authorization: %s", got)
	}
	var sent, documented any
	const doc = `{"version": 1, "signals": [
		{"key": "availabilitySignal::mockPark1::backcountryCamp::1::2::2026-07-01", "collectionId": "mockPark1",
		 "activityType": "backcountryCamp", "activityId": "1", "productId": "2", "date": "2026-07-01"},
		{"key": "availabilitySignal::mockPark1::backcountryCamp::1::2::2026-07-02", "collectionId": "mockPark1",
		 "activityType": "backcountryCamp", "activityId": "1", "productId": "2", "date": "2026-07-02"}]}`
	if err := errors.Join(json.Unmarshal([]byte(r.body), &sent), json.Unmarshal([]byte(doc), &documented)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(documented, sent); diff != "" {
		t.Error(diff)
	}
}

func TestHTTP_signed(t *testing.T) {
	for service, hash := range map[string]string{"execute-api": "", "lambda": "", "vpc-lattice-svcs": "UNSIGNED-PAYLOAD"} {
		t.Run(service, func(t *testing.T) {
			p := newPlatform(t, says(http.StatusOK, body()))
			net := network(t)
			auth := source.SigV4(canary, service, "ca-west-1", net)
			if _, err := source.NewHTTP(p.url(t, "/a%20b/c:d?x=1&a=y%20z"), auth, net).Ask(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			r := <-p.requests
			wantSigned(t, r.Request, r.body, service, "ca-west-1")
			if got := r.Header.Get("X-Amz-Content-Sha256"); hash != "" && got != hash {
				t.Errorf("hash %q, want %q", got, hash)
			}
		})
	}
}

func TestHTTP_otherStatuses(t *testing.T) {
	for status, test := range map[int]struct {
		requests int
		busy     bool
	}{
		http.StatusNoContent:             {1, false},
		http.StatusFound:                 {1, false},
		http.StatusTemporaryRedirect:     {1, false},
		http.StatusBadRequest:            {1, false},
		http.StatusUnauthorized:          {1, false},
		http.StatusForbidden:             {1, false},
		http.StatusNotFound:              {1, false},
		http.StatusRequestTimeout:        {3, false},
		http.StatusConflict:              {3, true},
		http.StatusRequestEntityTooLarge: {1, false},
		http.StatusTooManyRequests:       {3, true},
		http.StatusInternalServerError:   {3, false},
		http.StatusBadGateway:            {3, false},
		599:                              {3, false},
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			p := newPlatform(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				says(status, "what a platform says, personal data maybe")(w, r)
			})
			throttled := 0
			net := network(t)
			net.Throttled = func() { throttled++ }
			_, err := source.NewHTTP(p.url(t, "/?key=secret"), source.Bearer(token), net).Ask(t.Context(), batch)
			if err == nil || errors.Is(err, source.ErrBusy) != test.busy {
				t.Errorf("busy? %v", err)
			}
			if n := len(p.requests); n != test.requests {
				t.Errorf("%d requests, want %d", n, test.requests)
			}
			if want := map[bool]int{true: 3}[status == http.StatusTooManyRequests]; throttled != want {
				t.Errorf("%d counted as throttled, want %d", throttled, want)
			}
			for _, secret := range []string{token, "secret", "personal", "elsewhere"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%q has %q", err, secret)
				}
			}
			if !strings.HasPrefix(err.Error(), "post 2 signals to 127.0.0.1:") {
				t.Error(err)
			}
		})
	}
}

func TestHTTP_answerOfAnySize(t *testing.T) {
	none := body(entry(0, `"none": true`), entry(1, `"none": true`))
	const limit = 6 << 20
	for name, test := range map[string]struct {
		size int
		ok   bool
	}{"the largest": {limit, true}, "a byte more": {limit + 1, false}, "much more": {4 * limit, false}} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t, says(http.StatusOK, none+strings.Repeat(" ", test.size-len(none))))
			_, err := source.NewHTTP(p.url(t, ""), source.Bearer(token), network(t)).Ask(t.Context(), batch)
			if test.ok && err != nil || !test.ok && !errors.Is(err, source.ErrAnswer) {
				t.Error(err)
			}
			if n := len(p.requests); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestHTTP_requestThatIsTooLarge(t *testing.T) {
	p := newPlatform(t, says(http.StatusOK, body()))
	dates := make([]signal.ProductDate, 4000)
	for i := range dates {
		dates[i] = day(i)
		dates[i].CollectionID = strings.Repeat("x", 1000)
	}
	_, err := source.NewHTTP(p.url(t, ""), source.Bearer(token), network(t)).Ask(t.Context(), dates)
	if err == nil || !strings.Contains(err.Error(), "are more than the 6291456 that one may have") || len(p.requests) != 0 {
		t.Errorf("%d requests, %v", len(p.requests), err)
	}
}

func TestHTTP_noAnswer(t *testing.T) {
	held := make(chan struct{})
	t.Cleanup(func() { close(held) })
	p := newPlatform(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-held:
		}
	})
	net := network(t)
	net.Timeout = 100 * time.Millisecond
	_, err := source.NewHTTP(p.url(t, "/?key=secret"), source.Bearer(token), net).Ask(t.Context(), batch)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 100ms") {
		t.Error(err)
	}
	if n := len(p.requests); n != 1 {
		t.Errorf("%d requests: what takes too long takes as long again", n)
	}

	p.CloseClientConnections()
	p.Close()
	_, err = source.NewHTTP(p.url(t, "/?key=secret"), source.Bearer(token), net).Ask(t.Context(), batch)
	if err == nil || !strings.Contains(err.Error(), "no answer: ") || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

func TestParseURL(t *testing.T) {
	for _, text := range []string{
		"https://availability.example.com", "https://availability.example.com:8443/a/b?c=d", "http://localhost:8080/",
		"http://127.0.0.1:1", "http://127.8.8.8", "http://[::1]:8080/x",
	} {
		if u, err := source.ParseURL(text); err != nil || u.String() != text {
			t.Errorf("%s: %v, %v", text, u, err)
		}
	}
	for text, want := range map[string]string{
		"":                                 "expected https and a host",
		"availability.example.com":         "expected https and a host",
		"ftp://availability.example.com":   "expected https and a host",
		"https:///secret":                  "expected https and a host",
		"https://:443/secret":              "expected https and a host",
		"https://a b/secret":               "expected https and a host",
		"http://availability.example.com/": "http is for this machine itself",
		"http://localhost.example.com/":    "http is for this machine itself",
		"http://169.254.169.254/secret":    "http is for this machine itself",
		"http://0.0.0.0/secret":            "http is for this machine itself",
		"https://me:secret@example.com":    "it has a user or a password",
		"https://example.com/#secret":      "it has a fragment",
	} {
		_, err := source.ParseURL(text)
		if !errors.Is(err, source.ErrURL) || !strings.HasPrefix(err.Error(), "unusable URL: "+want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}
