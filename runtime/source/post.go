package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	// firstRepeat is the longest wait before the second request; it doubles each
	// time.
	firstRepeat = 200 * time.Millisecond
	// longestRepeat is the longest wait, that for Retry-After among them: a source
	// that wants more is not asked again by this check.
	longestRepeat = 10 * time.Second
	// hopelessRequests is after how many failures in a row, busy ones aside,
	// nothing is repeated until there is an answer.
	hopelessRequests = 3
)

// Remote says how a source is asked over the network. All of it but Throttled must
// be set.
type Remote struct {
	// Transport sends requests. It must not follow redirects.
	Transport http.RoundTripper
	// Timeout is for a request and its answer.
	Timeout time.Duration
	// Attempts is how often a request is sent in all.
	Attempts int
	// Now is the clock that requests are signed by.
	Now func() time.Time
	// Random returns a number in [0, 1), by which waits are spread.
	Random func() float64
	// Throttled, if set, is called for each answer that the source is busy.
	Throttled func()
}

// poster sends requests that change nothing, and repeats them.
type poster struct {
	Remote
	// maxAnswer is how many bytes an answer may have.
	maxAnswer int64
	// describe, if set, is what an answer without success says of itself, without
	// secrets.
	describe func(http.Header, []byte) string
	failures atomic.Int64
}

// reply is an answer with the status 200.
type reply struct {
	header http.Header
	body   []byte
}

// sendError is a request without a usable answer.
type sendError struct {
	err error
	// repeat is whether the same request may do better, not before wait is over.
	repeat bool
	wait   time.Duration
}

func (e *sendError) Error() string { return e.err.Error() }
func (e *sendError) Unwrap() error { return e.err }

// post sends a request to a URL until there is a reply. sign readies each one anew.
func (p *poster) post(ctx context.Context, to *url.URL, body []byte, sign func(*http.Request) error) (reply, error) {
	for sent := 1; ; sent++ {
		r, err := p.send(ctx, to, body, sign)
		if err == nil {
			p.failures.Store(0)
			return r, nil
		}
		hopeless := p.failures.Load() >= hopelessRequests
		if sent < p.Attempts && err.repeat && !hopeless && p.pause(ctx, sent, err.wait) {
			continue
		}
		if !errors.Is(err, ErrBusy) && ctx.Err() == nil {
			p.failures.Add(1)
		}
		return reply{}, err
	}
}

// pause waits before a repeat. It returns false if there is to be none.
func (p *poster) pause(ctx context.Context, sent int, least time.Duration) bool {
	spread := min(firstRepeat<<min(sent-1, 10), longestRepeat)
	wait := least + time.Duration(p.Random()*float64(spread))
	if wait > longestRepeat {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (p *poster) send(ctx context.Context, to *url.URL, body []byte, sign func(*http.Request) error) (reply, *sendError) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return reply{}, &sendError{err: fmt.Errorf("make the request: %w", bare(err))}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if err := sign(request); err != nil {
		return reply{}, &sendError{err: fmt.Errorf("sign the request: %w", err)}
	}
	response, err := p.Transport.RoundTrip(request)
	if err != nil {
		return reply{}, p.lost(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, p.maxAnswer+1))
	if err != nil {
		return reply{}, p.lost(ctx, err)
	}
	if response.StatusCode != http.StatusOK {
		return reply{}, p.turnedDown(response, answer)
	}
	if int64(len(answer)) > p.maxAnswer {
		return reply{}, &sendError{err: fmt.Errorf("%w: it has more than the %d bytes that one may have", ErrAnswer, p.maxAnswer)}
	}
	return reply{header: response.Header, body: answer}, nil
}

// lost is a request without an answer.
func (p *poster) lost(ctx context.Context, err error) *sendError {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		// Half a batch may be quicker; the same one will not be.
		return &sendError{err: fmt.Errorf("no answer within %s: %w", p.Timeout, ctx.Err())}
	}
	return &sendError{err: fmt.Errorf("no answer: %w", bare(err)), repeat: true}
}

// turnedDown is an answer of another status than 200.
func (p *poster) turnedDown(response *http.Response, body []byte) *sendError {
	status := response.StatusCode
	says := strconv.Itoa(status)
	if text := http.StatusText(status); text != "" {
		says += " " + text
	}
	if p.describe != nil {
		says += p.describe(response.Header, body)
	}
	e := &sendError{err: fmt.Errorf("the source answers %s", says)}
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusConflict:
		e.err = fmt.Errorf("%w: %w", ErrBusy, e.err)
		e.repeat = true
		if p.Throttled != nil && status == http.StatusTooManyRequests {
			p.Throttled()
		}
	case status == http.StatusRequestTimeout, status >= 500:
		e.repeat = true
	case status >= 300 && status < 400:
		e.err = fmt.Errorf("%w: redirects are not followed, because what signs a request is for one host", e.err)
	}
	e.wait = p.retryAfter(response.Header.Get("Retry-After"))
	return e
}

// retryAfter is how long a source wants to be left alone; 0 if it does not say.
func (p *poster) retryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Duration(max(0, min(seconds, int64(time.Hour/time.Second)))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(p.Now()))
	}
	return 0
}

// bare is an error without the URL, which may have a secret in its query.
func bare(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
