package source

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// ErrURL is what a URL that no batch is posted to answers to. Its message never
// has the URL, which may hold a secret.
var ErrURL = errors.New("unusable URL")

// ParseURL reads where batches are posted to: https, or http to this machine
// itself. The error is ErrURL.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, fmt.Errorf("%w: expected https and a host, such as https://availability.example.com/estimates", ErrURL)
	case u.User != nil:
		return nil, fmt.Errorf("%w: it has a user or a password, which would be in logs along its way", ErrURL)
	case u.Fragment != "":
		return nil, fmt.Errorf("%w: it has a fragment (#), which is never sent", ErrURL)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, fmt.Errorf("%w: http is for this machine itself (localhost, 127.0.0.1, ::1); expected https", ErrURL)
	}
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Authorization is what proves to a URL who asks.
type Authorization struct {
	apply func(*http.Request, []byte) error
}

// Bearer is a token in the Authorization header.
func Bearer(token string) Authorization {
	return Authorization{apply: func(r *http.Request, _ []byte) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}}
}

// SigV4 is AWS's signature for a service, such as execute-api or lambda, of a
// region.
func SigV4(credentials aws.CredentialsProvider, service, region string, remote Remote) Authorization {
	return Authorization{apply: newSigV4(credentials, service, region, remote.Now).sign}
}

// HTTP is the source "http": it posts batches to a URL. It is an Asker; Batches
// makes a Source of it.
type HTTP struct {
	url  *url.URL
	auth Authorization
	post *poster
}

// NewHTTP returns the source. The URL is ParseURL's.
func NewHTTP(u *url.URL, auth Authorization, remote Remote) *HTTP {
	return &HTTP{url: u, auth: auth, post: &poster{Remote: remote, maxAnswer: maxPayload}}
}

// Ask posts a batch. The error is ErrBusy for the statuses 429 and 409, ErrAnswer
// for an answer that cannot be used, or else a failure of the source.
func (h *HTTP) Ask(ctx context.Context, dates []signal.ProductDate) ([]Answer, error) {
	body, err := encodeRequest(dates)
	if err != nil {
		return nil, err
	}
	reply, err := h.post.post(ctx, h.url, body, func(r *http.Request) error { return h.auth.apply(r, body) })
	var answers []Answer
	if err == nil {
		answers, err = decodeAnswers(reply.body, dates)
	}
	if err != nil {
		return nil, fmt.Errorf("post %d signals to %s: %w", len(dates), h.url.Host, err)
	}
	return answers, nil
}
