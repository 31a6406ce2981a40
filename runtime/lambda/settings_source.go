package lambda

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// The environment variables of the source.
const (
	// EnvSource names the source: where availability comes from.
	EnvSource = "AVAILABILITY_SOURCE"

	envKeyTemplate   = "AVAILABILITY_SOURCE_KEY_TEMPLATE"
	envHashAttr      = "AVAILABILITY_SOURCE_PARTITION_KEY_ATTRIBUTE"
	envRangeAttr     = "AVAILABILITY_SOURCE_SORT_KEY_ATTRIBUTE"
	envAvailableAttr = "AVAILABILITY_SOURCE_AVAILABLE_ATTRIBUTE"
	envCapacityAttr  = "AVAILABILITY_SOURCE_CAPACITY_ATTRIBUTE"
	envStatusAttr    = "AVAILABILITY_SOURCE_STATUS_ATTRIBUTE"
	envAvailable     = "AVAILABILITY_SOURCE_AVAILABLE_STATUSES"
	envRetired       = "AVAILABILITY_SOURCE_RETIRED_STATUSES"

	envFunction  = "AVAILABILITY_SOURCE_FUNCTION"
	envQualifier = "AVAILABILITY_SOURCE_QUALIFIER"

	// envSettle is of every source, a binary's own too.
	envSettle = "AVAILABILITY_SOURCE_SETTLE_SECONDS"

	envURL            = "AVAILABILITY_SOURCE_URL"
	envBearerToken    = "AVAILABILITY_SOURCE_BEARER_TOKEN"
	envSigningService = "AVAILABILITY_SOURCE_SIGNING_SERVICE"
	envSigningRegion  = "AVAILABILITY_SOURCE_SIGNING_REGION"

	envTimeout     = "AVAILABILITY_SOURCE_TIMEOUT_SECONDS"
	envAttempts    = "AVAILABILITY_SOURCE_ATTEMPTS"
	envBatchSize   = "AVAILABILITY_SOURCE_BATCH_SIZE"
	envLinger      = "AVAILABILITY_SOURCE_BATCH_LINGER_MILLISECONDS"
	envConcurrency = "AVAILABILITY_SOURCE_CONCURRENCY"
)

// The sources.
const (
	sourcePool   = "inventory-pool"
	sourceUnits  = "inventory-units"
	sourceLambda = "lambda"
	sourceHTTP   = "http"
)

// sourceVariables are those that belong to some of the sources only.
func sourceVariables() map[string][]string {
	of := map[string][]string{}
	for _, group := range []struct {
		kinds, names []string
	}{
		{[]string{sourcePool, sourceUnits}, []string{envKeyTemplate, envHashAttr, envRangeAttr}},
		{[]string{sourcePool}, []string{envAvailableAttr, envCapacityAttr}},
		{[]string{sourceUnits}, []string{envStatusAttr, envAvailable, envRetired}},
		{[]string{sourceLambda}, []string{envFunction, envQualifier}},
		{[]string{sourceHTTP}, []string{envURL, envBearerToken, envSigningService, envSigningRegion}},
		{[]string{sourceLambda, sourceHTTP}, []string{envTimeout, envAttempts, envBatchSize, envLinger, envConcurrency}},
	} {
		for _, name := range group.names {
			of[name] = group.kinds
		}
	}
	return of
}

// sourceSettings are those of the source named by kind.
type sourceSettings struct {
	kind  string
	pool  source.PoolLayout
	units source.UnitLayout

	function       source.FunctionRef
	lambdaEndpoint *url.URL

	url *url.URL
	// token, or else signingService and signingRegion, prove who asks.
	token, signingService, signingRegion string

	timeout  time.Duration
	attempts int
	batching source.Batching
}

func (r *settingsReader) source(region string, own bool) sourceSettings {
	if own {
		if r.getenv(EnvSource) != "" {
			r.fault(EnvSource, "is set, but this binary has a source of its own: remove it")
		}
		return sourceSettings{}
	}
	s := sourceSettings{kind: sourcePool}
	if v := r.getenv(EnvSource); v != "" {
		s.kind = v
	}
	switch s.kind {
	case sourcePool:
		s.pool = r.pool()
	case sourceUnits:
		s.units = r.units()
	case sourceLambda:
		r.lambda(&s)
		r.batches(&s)
	case sourceHTTP:
		r.http(&s, region)
		r.batches(&s)
	default:
		r.fault(EnvSource, "is %q: expected %s, which is the default, %s, %s or %s", s.kind, sourcePool, sourceUnits, sourceLambda, sourceHTTP)
		return s
	}
	r.othersUnset(s.kind)
	return s
}

// othersUnset reports the variables of other sources: whoever has set one means
// something by it.
func (r *settingsReader) othersUnset(kind string) {
	variables := sourceVariables()
	names := make([]string, 0, len(variables))
	for name, kinds := range variables {
		if r.getenv(name) != "" && !slices.Contains(kinds, kind) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		r.fault(name, "is set, but it is for the source %s, and %s is %s", strings.Join(variables[name], " or "), EnvSource, kind)
	}
}
