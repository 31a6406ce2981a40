package awsclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/logging"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

// ErrNoRegion is what Connect answers to where neither the settings, the
// environment nor a profile names a region.
var ErrNoRegion = errors.New("no region is configured")

// DefaultMaxRetries is how often a request is sent again where nothing says
// otherwise.
const DefaultMaxRetries = 25

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
	// WebIdentity is a role to assume by a token; AssumeRole one to assume then, or
	// with whatever credentials there are. Nil for none.
	WebIdentity *WebIdentity
	AssumeRole  *AssumeRole
	// AllowedAccountIDs are the accounts that may be worked on; none for any.
	AllowedAccountIDs []string
	// MaxRetries is how often a request is sent again after its first sending; nil
	// for what the environment says, else DefaultMaxRetries.
	MaxRetries *int
	// Endpoints are URLs in place of the services' own.
	Endpoints Endpoints
}

// Endpoints are URLs in place of the services' own; empty for those.
type Endpoints struct{ DynamoDB, EventBridge, STS string }

// Clients are the AWS clients of a provider.
type Clients struct {
	DynamoDB    *dynamodb.Client
	EventBridge *eventbridge.Client
}

// Connect makes the clients. It sends nothing to AWS unless there are allowed
// accounts. The error is ErrNoRegion, an *AccountError, ErrAccount, or that of
// reading the shared files.
func Connect(ctx context.Context, s Settings) (Clients, error) {
	cfg, err := config.LoadDefaultConfig(ctx, s.options()...)
	if err != nil {
		return Clients{}, fmt.Errorf("read AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		return Clients{}, ErrNoRegion
	}
	attempts := s.attempts(cfg)
	// It would limit our own retryer.
	cfg.RetryMaxAttempts = 0
	cfg.Retryer = func() aws.Retryer { return newRetryer(attempts) }
	s.assume(&cfg)
	if cfg.Credentials != nil {
		cfg.Credentials = dynamo.Credentials{CredentialsProvider: cfg.Credentials}
	}
	if len(s.AllowedAccountIDs) > 0 {
		if err := checkAccount(ctx, s.sts(cfg), s.AllowedAccountIDs); err != nil {
			return Clients{}, err
		}
	}
	return Clients{
		DynamoDB:    dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { replace(&o.BaseEndpoint, s.Endpoints.DynamoDB) }),
		EventBridge: eventbridge.NewFromConfig(cfg, func(o *eventbridge.Options) { replace(&o.BaseEndpoint, s.Endpoints.EventBridge) }),
	}, nil
}

func (s Settings) sts(cfg aws.Config) *sts.Client {
	return sts.NewFromConfig(cfg, func(o *sts.Options) { replace(&o.BaseEndpoint, s.Endpoints.STS) })
}

func replace(endpoint **string, by string) {
	if by != "" {
		*endpoint = &by
	}
}

func (s Settings) attempts(cfg aws.Config) int {
	switch {
	case s.MaxRetries != nil:
		return *s.MaxRetries + 1
	case cfg.RetryMaxAttempts > 0:
		return cfg.RetryMaxAttempts
	}
	return DefaultMaxRetries + 1
}

func (s Settings) options() []func(*config.LoadOptions) error {
	opts := []func(*config.LoadOptions) error{
		// Terraform would show what it prints on standard error.
		config.WithLogger(logging.Nop{}),
		config.WithHTTPClient(dynamo.NewHTTPClient()),
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
	switch {
	case s.AccessKey != "":
		opts = append(opts, config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider(s.AccessKey, s.SecretKey, s.Token)))
	case s.WebIdentity != nil:
		// None are looked for, which could fail, because they are replaced.
		opts = append(opts, config.WithCredentialsProvider(aws.AnonymousCredentials{}))
	}
	return opts
}
