package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Credentials are a provider's. The errors of getting them have a type, by which
// they are told from those of the request that the credentials were for.
type Credentials struct{ aws.CredentialsProvider }

// Retrieve is the provider's; the error is a *CredentialsError.
func (c Credentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	got, err := c.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return aws.Credentials{}, &CredentialsError{Err: err}
	}
	return got, nil
}
