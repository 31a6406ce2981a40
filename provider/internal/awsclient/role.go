package awsclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// DefaultSessionName is what a session is called that is given no name.
const DefaultSessionName = "terraform-provider-availability"

// AssumeRole is a role to assume with other credentials. What is empty has a
// default or is left out.
type AssumeRole struct {
	RoleARN, SessionName, ExternalID string
	Duration                         time.Duration
}

// WebIdentity is a role to assume by the token in a file.
type WebIdentity struct{ RoleARN, SessionName, TokenFile string }

// assume replaces the credentials of cfg by those of the roles.
func (s Settings) assume(cfg *aws.Config) {
	if w := s.WebIdentity; w != nil {
		provider := stscreds.NewWebIdentityRoleProvider(s.sts(*cfg), w.RoleARN, stscreds.IdentityTokenFile(w.TokenFile), func(o *stscreds.WebIdentityRoleOptions) {
			o.RoleSessionName = named(w.SessionName)
		})
		cfg.Credentials = aws.NewCredentialsCache(provider)
	}
	if r := s.AssumeRole; r != nil {
		provider := stscreds.NewAssumeRoleProvider(s.sts(*cfg), r.RoleARN, func(o *stscreds.AssumeRoleOptions) {
			o.RoleSessionName = named(r.SessionName)
			if r.ExternalID != "" {
				o.ExternalID = &r.ExternalID
			}
			if r.Duration > 0 {
				o.Duration = r.Duration
			}
		})
		cfg.Credentials = aws.NewCredentialsCache(provider)
	}
}

func named(session string) string {
	if session == "" {
		return DefaultSessionName
	}
	return session
}

// ErrAccount: it could not be found out which account the credentials are of.
var ErrAccount = errors.New("account unknown")

// AccountError is credentials of an account that may not be worked on.
type AccountError struct {
	ID      string
	Allowed []string
}

func (e *AccountError) Error() string {
	return fmt.Sprintf("account %s is not one of %v", e.ID, e.Allowed)
}

func checkAccount(ctx context.Context, client *sts.Client, allowed []string) error {
	out, err := client.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAccount, err)
	}
	if id := aws.ToString(out.Account); !slices.Contains(allowed, id) {
		return &AccountError{ID: id, Allowed: slices.Sorted(slices.Values(allowed))}
	}
	return nil
}
