package awsclient

import (
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
)

// newRetryer is the SDK's standard one, except that a quota that is used up is
// no reason to wait, that the other changes EventBridge is busy with are, and
// that one resource's retries never use up another's.
func newRetryer(attempts int) aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = attempts
		o.RateLimiter = ratelimit.None
		o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(notOverQuota)}, o.Retryables...)
		o.Retryables = append(o.Retryables, retry.RetryableErrorCode{Codes: map[string]struct{}{"ConcurrentModificationException": {}}})
	})
}

func notOverQuota(err error) aws.Ternary {
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() == "LimitExceededException" {
		return aws.FalseTernary
	}
	return aws.UnknownTernary
}
