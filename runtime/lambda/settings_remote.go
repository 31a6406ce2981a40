package lambda

import (
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

func (r *settingsReader) lambda(s *sourceSettings) {
	name := r.required(envFunction, "the name or ARN of the function that estimates availability")
	if endpoint := r.endpoint(envEndpointOfLambda); endpoint != "" {
		// What is wrong with it is reported already.
		s.lambdaEndpoint, _ = url.Parse(endpoint)
	}
	if name == "" {
		return
	}
	var err error
	if s.function, err = source.ParseFunction(name, r.getenv(envQualifier)); err != nil {
		r.fault(envFunction, "or %s is wrong: %w", envQualifier, err)
	}
}

var (
	tokenPattern   = alphabet{1, math.MaxInt, isTokenByte}
	servicePattern = alphabet{1, math.MaxInt, isServiceByte}
)

func (r *settingsReader) http(s *sourceSettings, region string) {
	if v := r.required(envURL, "the URL that answers with estimates"); v != "" {
		var err error
		if s.url, err = source.ParseURL(v); err != nil {
			r.fault(envURL, "is wrong: %w", err)
		}
	}
	s.token, s.signingService, s.signingRegion = r.getenv(envBearerToken), r.getenv(envSigningService), r.getenv(envSigningRegion)
	if s.signingRegion == "" {
		s.signingRegion = region
	}
	switch {
	case s.token == "" && s.signingService == "":
		r.fault(envBearerToken, "and %s are not set: expected one of them, a token or the service to sign for with SigV4, such as execute-api or lambda", envSigningService)
	case s.token != "" && s.signingService != "":
		r.fault(envBearerToken, "and %s are both set: expected one of them, because there is one header for both", envSigningService)
	case s.token != "" && !tokenPattern.MatchString(s.token):
		// Not the text itself.
		r.fault(envBearerToken, "has a space, a line's end or something else that no token has")
	case s.token != "" && r.getenv(envSigningRegion) != "":
		r.fault(envSigningRegion, "is set, but nothing is signed without %s", envSigningService)
	}
	for _, v := range []named{{envSigningService, s.signingService}, {envSigningRegion, s.signingRegion}} {
		if v.value != "" && !servicePattern.MatchString(v.value) {
			r.fault(v.name, "is %q: expected lower-case letters, digits and hyphens", v.value)
		}
	}
}

func (r *settingsReader) batches(s *sourceSettings) {
	// Six requests one after the other, which is what it takes to tell one bad
	// signal from 24 good ones, are to end within a lease of two minutes.
	s.timeout = time.Duration(r.number(envTimeout, 15, 1, 880)) * time.Second
	s.attempts = r.number(envAttempts, 3, 1, 10)
	s.batching = source.Batching{
		Size:        r.number(envBatchSize, 25, 1, 1000),
		Linger:      time.Duration(r.number(envLinger, 10, 0, 1000)) * time.Millisecond,
		Concurrency: r.number(envConcurrency, 4, 1, 100),
	}
}

func (r *settingsReader) number(name string, byDefault, least, most int) int {
	v := r.getenv(name)
	if v == "" {
		return byDefault
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		r.fault(name, "is %q: expected a whole number from %d to %d", v, least, most)
		return byDefault
	}
	return n
}
