package simulator

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// The SDK's client for DynamoDB sends a request at most four times, and waits at
// random up to a time that begins with these and doubles.
const (
	sdkAttempts      = 4
	sdkBackoff       = 25 * time.Millisecond
	sdkThrottled     = time.Second
	sdkLongestPause  = 20 * time.Second
	sdkQuotaPerClean = 1
)

// standard is the SDK's standard retryer for a client, with the client's jitter in
// place of the SDK's, which no seed decides.
func (c *Client) standard() *retry.Standard {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.retryer != nil {
		return c.retryer
	}
	c.quota = ratelimit.NewTokenRateLimit(retry.DefaultRetryRateTokens)
	throttles := retry.IsErrorThrottles(retry.DefaultThrottles)
	c.retryer = retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = sdkAttempts
		o.RateLimiter = c.quota
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, err error) (time.Duration, error) {
			base := sdkBackoff
			if throttles.IsErrorThrottle(err).Bool() {
				base = sdkThrottled
			}
			longest := min(base<<max(attempt-1, 0), sdkLongestPause)
			return time.Duration(c.Jitter() * float64(longest)), nil
		})
	})
	return c.retryer
}

// succeeded gives back some of the quota for retries, where any was spent.
func (c *Client) succeeded() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.quota != nil {
		// A quota that is full stays so.
		_ = c.quota.AddTokens(sdkQuotaPerClean)
	}
}

// retrying decides about the repetitions of one call.
type retrying struct {
	retryer aws.Retryer
	release func(error) error
}

// retrying applies the options of the client and of the call, as the SDK does.
func (c *Client) retrying(options []func(*dynamodb.Options)) *retrying {
	o := dynamodb.Options{Retryer: c.standard()}
	for _, option := range c.options {
		option(&o)
	}
	attempts := o.RetryMaxAttempts
	if attempts != 0 {
		o.Retryer = retry.AddWithMaxAttempts(o.Retryer, attempts)
	}
	for _, option := range options {
		option(&o)
	}
	if o.RetryMaxAttempts != 0 && o.RetryMaxAttempts != attempts {
		o.Retryer = retry.AddWithMaxAttempts(o.Retryer, o.RetryMaxAttempts)
	}
	return &retrying{retryer: o.Retryer, release: func(error) error { return nil }}
}

// next is how long to wait before the next attempt, or the error to give up with.
func (r *retrying) next(ctx context.Context, attempt int, err error) (wait time.Duration, last error) {
	if errors.Is(err, ErrCrashed) || !r.retryer.IsErrorRetryable(err) {
		return 0, err
	}
	if most := r.retryer.MaxAttempts(); most > 0 && attempt >= most {
		return 0, &retry.MaxAttemptsError{Attempt: attempt, Err: err}
	}
	release, quota := r.retryer.GetRetryToken(ctx, err)
	if quota != nil {
		return 0, errors.Join(err, quota)
	}
	r.release = release
	wait, delay := r.retryer.RetryDelay(attempt, err)
	if delay != nil {
		return 0, delay
	}
	return wait, nil
}

// ended tells the quota how a repetition ended.
func (r *retrying) ended(err error) {
	// Only a token that is not released stays spent, which is what a failure to
	// release would mean.
	_ = r.release(err)
}
