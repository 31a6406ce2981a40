package source_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

var errNetwork = errors.New("connection reset")

// fate is what becomes of a request.
type fate struct {
	status int
	// retryAfter is the header.
	retryAfter string
	// lost is a request that gets no answer.
	lost bool
}

// fates is a network that treats each request as it is told, and the last fate is
// that of all others.
type fates struct {
	mu    sync.Mutex
	fates []fate
	began time.Time
	// sent is how long after the first call each request was sent.
	sent []time.Duration
}

func (f *fates) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = append(f.sent, time.Since(f.began))
	if _, err := io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	now := f.fates[0]
	if len(f.fates) > 1 {
		f.fates = f.fates[1:]
	}
	if now.lost {
		return nil, errNetwork
	}
	header := http.Header{}
	if now.retryAfter != "" {
		header.Set("Retry-After", now.retryAfter)
	}
	answer := ""
	if now.status == http.StatusOK {
		answer = body()
	}
	return &http.Response{StatusCode: now.status, Header: header, Body: io.NopCloser(strings.NewReader(answer))}, nil
}

// asked asks over such a network, with half of each random wait.
func (f *fates) asked(ctx context.Context, attempts int) (*source.HTTP, error) {
	f.began = time.Now()
	net := remote(f)
	net.Attempts = attempts
	net.Random = func() float64 { return 0.5 }
	h := source.NewHTTP(&url.URL{Scheme: "https", Host: "example.com"}, source.Bearer("token"), net)
	_, err := h.Ask(ctx, batch)
	return h, err
}

func TestHTTP_repeats(t *testing.T) {
	const ms = time.Millisecond
	ok, lost, unavailable := fate{status: 200}, fate{lost: true}, fate{status: 503}
	in := func(d time.Duration) fate {
		return fate{status: 429, retryAfter: time.Now().Add(d).UTC().Format(http.TimeFormat)}
	}
	for name, test := range map[string]struct {
		fates  func() []fate
		sent   []time.Duration
		fails  bool
		isBusy bool
	}{
		"at once":               {func() []fate { return []fate{ok} }, []time.Duration{0}, false, false},
		"longer each time":      {func() []fate { return []fate{unavailable, lost, unavailable, ok} }, []time.Duration{0, 100 * ms, 300 * ms, 700 * ms}, false, false},
		"until it is too often": {func() []fate { return []fate{unavailable} }, []time.Duration{0, 100 * ms, 300 * ms, 700 * ms}, true, false},
		"no answers":            {func() []fate { return []fate{lost} }, []time.Duration{0, 100 * ms, 300 * ms, 700 * ms}, true, false},
		"not before it may":     {func() []fate { return []fate{{429, "3", false}, ok} }, []time.Duration{0, 3100 * ms}, false, false},
		"of 503 too":            {func() []fate { return []fate{{503, "3", false}, ok} }, []time.Duration{0, 3100 * ms}, false, false},
		"an instant":            {func() []fate { return []fate{in(4 * time.Second), ok} }, []time.Duration{0, 4100 * ms}, false, false},
		"a past instant":        {func() []fate { return []fate{in(-4 * time.Hour), ok} }, []time.Duration{0, 100 * ms}, false, false},
		"a negative time":       {func() []fate { return []fate{{429, "-5", false}, ok} }, []time.Duration{0, 100 * ms}, false, false},
		"nonsense":              {func() []fate { return []fate{{429, "soon", false}, ok} }, []time.Duration{0, 100 * ms}, false, false},
		"too late":              {func() []fate { return []fate{{429, "30", false}, ok} }, []time.Duration{0}, true, true},
		"much too late":         {func() []fate { return []fate{{503, "9223372036854775807", false}, ok} }, []time.Duration{0}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fates{fates: test.fates()}
				_, err := f.asked(t.Context(), 4)
				if (err != nil) != test.fails || errors.Is(err, source.ErrBusy) != test.isBusy {
					t.Error(err)
				}
				if diff := cmp.Diff(test.sent, f.sent); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestHTTP_noRepeatForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		f := &fates{fates: []fate{{status: 503}}}
		if _, err := f.asked(ctx, 4); err == nil || len(f.sent) != 1 || time.Since(f.began) != 50*time.Millisecond {
			t.Errorf("%d requests in %s, %v", len(f.sent), time.Since(f.began), err)
		}
	})
}

// An outage must not be met with a multiple of the requests.
func TestHTTP_noRepeatsInAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fates{fates: []fate{{lost: true}}}
		h, _ := f.asked(t.Context(), 3)
		requests := func() int {
			before := len(f.sent)
			_, _ = h.Ask(t.Context(), batch)
			return len(f.sent) - before
		}
		got := []int{len(f.sent), requests(), requests(), requests(), requests()}
		if diff := cmp.Diff([]int{3, 3, 3, 1, 1}, got); diff != "" {
			t.Error(diff)
		}
		f.fates = []fate{{status: 200}, {lost: true}}
		got = []int{requests(), requests()}
		if diff := cmp.Diff([]int{1, 3}, got); diff != "" {
			t.Errorf("after it: %s", diff)
		}
	})
}

// Brown-outs are ridden out, at the pace that the source asks for.
func TestHTTP_repeatsWhileItIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fates{fates: []fate{{status: 429}}}
		h, _ := f.asked(t.Context(), 2)
		for range 9 {
			_, _ = h.Ask(t.Context(), batch)
		}
		if len(f.sent) != 20 {
			t.Errorf("%d requests for 10 batches, want 20", len(f.sent))
		}
	})
}
