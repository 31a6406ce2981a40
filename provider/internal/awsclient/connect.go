package awsclient

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/logging"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

// ErrNoRegion is what Connect answers to where neither the settings, the
// environment nor a profile names a region.
var ErrNoRegion = errors.New("no region is configured")

// A RegionError is a region with which no request can be made.
type RegionError struct{ Region string }

func (e *RegionError) Error() string { return fmt.Sprintf("%q is no region", e.Region) }

// An EndpointError is an endpoint to which no request can be sent. The SDK would try
// as often as if nobody had answered.
type EndpointError struct {
	// Name is the endpoint's in the provider's configuration, Variable that of the
	// environment.
	Name, Variable, URL string
}

func (e *EndpointError) Error() string { return fmt.Sprintf("%s endpoint %q is no URL", e.Name, e.URL) }

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
// accounts. The error is ErrNoRegion, a *RegionError, an *EndpointError, an
// *AccountError, ErrAccount, or that of reading the shared files.
func Connect(ctx context.Context, s Settings) (Clients, error) {
	cfg, err := config.LoadDefaultConfig(ctx, s.options()...)
	if err != nil {
		return Clients{}, fmt.Errorf("read AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		return Clients{}, ErrNoRegion
	}
	if !smithyhttp.ValidHostLabel(cfg.Region) {
		return Clients{}, &RegionError{cfg.Region}
	}
	attempts := s.attempts(cfg)
	// It would limit our own retryer.
	cfg.RetryMaxAttempts = 0
	cfg.Retryer = func() aws.Retryer { return newRetryer(attempts) }
	s.assume(&cfg)
	if cfg.Credentials != nil {
		cfg.Credentials = dynamo.Credentials{CredentialsProvider: cfg.Credentials}
	}
	clients := Clients{
		DynamoDB:    dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { replace(&o.BaseEndpoint, s.Endpoints.DynamoDB) }),
		EventBridge: eventbridge.NewFromConfig(cfg, func(o *eventbridge.Options) { replace(&o.BaseEndpoint, s.Endpoints.EventBridge) }),
	}
	if err := s.checkEndpoints(cfg, clients); err != nil {
		return Clients{}, err
	}
	if len(s.AllowedAccountIDs) > 0 {
		if err := checkAccount(ctx, s.sts(cfg), s.AllowedAccountIDs); err != nil {
			return Clients{}, err
		}
	}
	return clients, nil
}

// checkEndpoints holds that what the environment and the shared files name are URLs.
func (s Settings) checkEndpoints(cfg aws.Config, clients Clients) error {
	endpoints := []struct {
		name, variable string
		url            *string
	}{
		{"dynamodb", "AWS_ENDPOINT_URL_DYNAMODB", clients.DynamoDB.Options().BaseEndpoint},
		{"eventbridge", "AWS_ENDPOINT_URL_EVENTBRIDGE", clients.EventBridge.Options().BaseEndpoint},
		{"sts", "AWS_ENDPOINT_URL_STS", nil},
	}
	if len(s.AllowedAccountIDs) > 0 || s.AssumeRole != nil || s.WebIdentity != nil {
		endpoints[2].url = s.sts(cfg).Options().BaseEndpoint
	}
	for _, e := range endpoints {
		if e.url != nil && !ValidURL(*e.url) {
			return &EndpointError{e.name, e.variable, *e.url}
		}
	}
	return nil
}

// ValidURL is whether requests can be sent to an endpoint.
func ValidURL(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
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
