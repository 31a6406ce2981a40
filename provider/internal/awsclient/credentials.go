package awsclient

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

// typed gives the errors of getting credentials a type, by which they are told from
// those of the request that the credentials were for.
type typed struct{ aws.CredentialsProvider }

// Retrieve is the provider's; the error is a *dynamo.CredentialsError.
func (t typed) Retrieve(ctx context.Context) (aws.Credentials, error) {
	c, err := t.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return aws.Credentials{}, &dynamo.CredentialsError{Err: err}
	}
	return c, nil
}
