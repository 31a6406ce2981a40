package dynamo

import (
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// idleConnections are as many as there may be requests under way at once: Terraform
// changes ten ranges at a time, each with updatesAtOnce, and a bucket can have 1,000
// checks at once.
const idleConnections = 1000

// NewHTTPClient returns the HTTP client for whatever works at a table with many
// requests at once, to give to the SDK's configuration. It keeps their connections for
// the next ones; the SDK's own keeps ten to a host, so that each request beyond these
// begins with a connection and a TLS handshake of its own.
func NewHTTPClient() *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.MaxIdleConns, t.MaxIdleConnsPerHost = idleConnections, idleConnections
	})
}
