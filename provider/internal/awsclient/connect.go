package awsclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
)

// ErrNoRegion is what Connect answers to where neither the settings, the
// environment nor a profile names a region.
var ErrNoRegion = errors.New("no region is configured")

// Settings are how to reach AWS. What is empty comes from the environment and
// the shared files, as in every AWS tool.
type Settings struct {
	Region                 string
	Profile                string
	SharedConfigFiles      []string
	SharedCredentialsFiles []string
	AccessKey              string
	SecretKey              string
	Token                  string
	// MaxRetries is how often a request is sent again after its first sending.
	MaxRetries int
	// Endpoints are URLs in place of the services' own.
	Endpoints Endpoints
}

// Endpoints are URLs in place of the services' own; empty for those.
type Endpoints struct{ DynamoDB, EventBridge string }

// Clients are the AWS clients of a provider.
type Clients struct {
	DynamoDB    *dynamodb.Client
	EventBridge *eventbridge.Client
}

// Connect makes the clients; it sends nothing to AWS. The error is ErrNoRegion,
// or that of reading the shared files.
func Connect(ctx context.Context, s Settings) (Clients, error) {
	cfg, err := config.LoadDefaultConfig(ctx, s.options()...)
	if err != nil {
		return Clients{}, fmt.Errorf("read AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		return Clients{}, ErrNoRegion
	}
	return Clients{
		DynamoDB: dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
			if s.Endpoints.DynamoDB != "" {
				o.BaseEndpoint = &s.Endpoints.DynamoDB
			}
		}),
		EventBridge: eventbridge.NewFromConfig(cfg, func(o *eventbridge.Options) {
			if s.Endpoints.EventBridge != "" {
				o.BaseEndpoint = &s.Endpoints.EventBridge
			}
		}),
	}, nil
}

func (s Settings) options() []func(*config.LoadOptions) error {
	opts := []func(*config.LoadOptions) error{
		// Terraform would show what it prints on standard error.
		config.WithLogger(logging.Nop{}),
		config.WithRetryer(func() aws.Retryer { return newRetryer(s.MaxRetries) }),
	}
	if s.Region != "" {
		opts = append(opts, config.WithRegion(s.Region))
	}
	if s.Profile != "" {
		opts = append(opts, config.WithSharedConfigProfile(s.Profile))
	}
	if len(s.SharedConfigFiles) > 0 {
		opts = append(opts, config.WithSharedConfigFiles(s.SharedConfigFiles))
	}
	if len(s.SharedCredentialsFiles) > 0 {
		opts = append(opts, config.WithSharedCredentialsFiles(s.SharedCredentialsFiles))
	}
	if s.AccessKey != "" {
		opts = append(opts, config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider(s.AccessKey, s.SecretKey, s.Token)))
	}
	return opts
}

// newRetryer is the SDK's standard one, except that a quota that is used up is
// no reason to wait, that the other changes EventBridge is busy with are, and
// that one resource's retries never use up another's.
func newRetryer(maxRetries int) aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = maxRetries + 1
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
