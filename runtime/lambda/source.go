package lambda

import (
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// NewSource makes a source of a platform's own. It is called once, before the first
// event.
type NewSource func(Platform) (source.Source, error)

// Platform is what a source may use of the function.
type Platform struct {
	// DynamoDB is the client that the function itself uses.
	DynamoDB *dynamodb.Client
	// Inventory is the table of AVAILABILITY_INVENTORY_TABLE_NAME, which is the
	// signals' own unless that is set.
	Inventory *dynamo.Store
	Region    string
	// Credentials are those of the function's role.
	Credentials aws.CredentialsProvider
	// Log takes what is worth a line. It must be given no secrets.
	Log *slog.Logger
}

// open makes the source that the settings name.
func (s sourceSettings) open(p Platform, throttles *atomic.Int64) source.Source {
	switch s.kind {
	case sourceUnits:
		return source.NewUnits(p.Inventory, s.units)
	case sourceLambda:
		return source.NewBatches(source.NewLambda(s.function, p.Region, s.lambdaEndpoint, p.Credentials, s.remote(throttles)), s.batching)
	case sourceHTTP:
		remote := s.remote(throttles)
		auth := source.Bearer(s.token)
		if s.signingService != "" {
			auth = source.SigV4(p.Credentials, s.signingService, s.signingRegion, remote)
		}
		return source.NewBatches(source.NewHTTP(s.url, auth, remote), s.batching)
	}
	return source.NewPoolOf(p.Inventory, s.pool)
}

// inventory is how the table's inventory is found: as the contract has it, unless
// the source reads another.
func (s sourceSettings) inventory() source.Keys {
	switch s.kind {
	case sourcePool:
		return s.pool.Keys
	case sourceUnits:
		return s.units.Keys
	}
	return source.DefaultPoolLayout().Keys
}

// answersWithin is for how long the source waits for an answer, or 0 for a binary's
// own, of which nobody knows.
func (s sourceSettings) answersWithin() time.Duration {
	switch s.kind {
	case sourcePool, sourceUnits:
		return noAnswer
	}
	return s.timeout
}

func (s sourceSettings) remote(throttles *atomic.Int64) source.Remote {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = s.batching.Concurrency
	return source.Remote{
		Transport: transport,
		Timeout:   s.timeout,
		Attempts:  s.attempts,
		Now:       time.Now,
		Random:    mathrand.Float64,
		Throttled: func() { throttles.Add(1) },
	}
}
