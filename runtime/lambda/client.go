package lambda

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

const (
	// Finishes and the source's reads are worth repeating; claims are sent once,
	// whatever this says.
	mostAttempts = 10
	longestWait  = 2 * time.Second

	// noAnswer is when a request counts as lost, on a connection that died while
	// the function was frozen, say.
	noAnswer = 10 * time.Second
)

// newClient returns the client for everything that the function does. It is made
// by hand because the SDK's config package brings sources of settings and
// credentials that a Lambda never has, at a quarter of the time to start.
func newClient(s settings, throttles *atomic.Int64) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       s.region,
		BaseEndpoint: endpointOrNil(s.endpoint),
		Credentials:  s.provider(),
		HTTPClient: dynamo.NewHTTPClient().WithTransportOptions(func(t *http.Transport) {
			t.ResponseHeaderTimeout = noAnswer
		}),
		Retryer: newRetryer(throttles),
	})
}

// provider gives the credentials that the process was started with. They are those
// of all its life: Lambda ends it before they do.
func (s settings) provider() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return s.credentials, nil })
}

func endpointOrNil(url string) *string {
	if url == "" {
		return nil
	}
	return &url
}

// countingRetryer counts the throttling that it hides.
type countingRetryer struct {
	aws.RetryerV2
	throttles *atomic.Int64
}

func newRetryer(throttles *atomic.Int64) aws.Retryer {
	return countingRetryer{
		RetryerV2: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = mostAttempts
			o.MaxBackoff = longestWait
			// The number of checks at once bounds what is repeated.
			o.RateLimiter = ratelimit.None
		}),
		throttles: throttles,
	}
}

// RetryDelay is called once for each attempt that is repeated.
func (r countingRetryer) RetryDelay(attempt int, err error) (time.Duration, error) {
	if retry.IsErrorThrottles(retry.DefaultThrottles).IsErrorThrottle(err).Bool() {
		r.throttles.Add(1)
	}
	return r.RetryerV2.RetryDelay(attempt, err)
}
