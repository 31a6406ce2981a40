package awsclient

import (
	"errors"
	"net"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
)

// newRetryer is the SDK's standard one, except that a quota that is used up is
// no reason to wait, that the other changes EventBridge is busy with are, that
// one resource's retries never use up another's, and that nobody waits for a host
// that takes no connection as long as for a table that is throttled.
func newRetryer(attempts int) aws.Retryer {
	return dialer{retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = attempts
		o.RateLimiter = ratelimit.None
		o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(notOverQuota)}, o.Retryables...)
		o.Retryables = append(o.Retryables, retry.RetryableErrorCode{Codes: map[string]struct{}{"ConcurrentModificationException": {}}})
	})}
}

func notOverQuota(err error) aws.Ternary {
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() == "LimitExceededException" {
		return aws.FalseTernary
	}
	return aws.UnknownTernary
}

// maxDials is how often a host is called that takes no connection. A table that is
// throttled recovers in the time that many retries take; a host that is wrong does not.
const maxDials = 10

// dialer gives up calling where nobody answers before it has used up all attempts.
type dialer struct{ aws.RetryerV2 }

func (d dialer) RetryDelay(attempt int, err error) (time.Duration, error) {
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "dial" && attempt >= maxDials {
		return 0, &retry.MaxAttemptsError{Attempt: attempt, Err: err}
	}
	return d.RetryerV2.RetryDelay(attempt, err)
}
