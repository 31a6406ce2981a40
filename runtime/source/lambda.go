package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// ErrFunction is what an unusable name of a function answers to.
var ErrFunction = errors.New("unusable function")

// FunctionRef is a Lambda function to invoke.
type FunctionRef struct {
	// name is a name or an ARN, without the qualifier.
	name, qualifier string
	// region is that of the ARN, or "".
	region string
}

const (
	functionPattern  = `^((?:arn:aws[a-z-]*:lambda:([a-z]{2,}(?:-[a-z]+)+-[0-9]+):[0-9]{12}:function:|[0-9]{12}:function:)?[a-zA-Z0-9_-]{1,64})(?::(\$?[a-zA-Z0-9_.-]+))?$`
	qualifierPattern = `^(\$LATEST|[a-zA-Z0-9_-]{1,128})$`
)

// ParseFunction reads a function's name, ARN, or account:function:name, any of
// them with a version or alias at its end or apart as the qualifier. The error is
// ErrFunction.
func ParseFunction(function, qualifier string) (FunctionRef, error) {
	// Compiled here, and not at every start of a function that has another source.
	m := regexp.MustCompile(functionPattern).FindStringSubmatch(function)
	if m == nil {
		return FunctionRef{}, fmt.Errorf("%w %q: expected its name of 1 to 64 letters, digits, _ and -, or its ARN", ErrFunction, function)
	}
	f := FunctionRef{name: m[1], region: m[2], qualifier: m[3]}
	switch {
	case f.qualifier != "" && qualifier != "" && f.qualifier != qualifier:
		return FunctionRef{}, fmt.Errorf("%w %q: it ends with a version or alias, and the qualifier %q is another", ErrFunction, function, qualifier)
	case qualifier != "":
		f.qualifier = qualifier
	}
	if f.qualifier != "" && !regexp.MustCompile(qualifierPattern).MatchString(f.qualifier) {
		return FunctionRef{}, fmt.Errorf("%w %q: expected its qualifier %q to be a version, an alias or $LATEST", ErrFunction, function, f.qualifier)
	}
	return f, nil
}

// String is the function as messages have it.
func (f FunctionRef) String() string {
	if f.qualifier == "" {
		return f.name
	}
	return f.name + ":" + f.qualifier
}

// Lambda is the source "lambda": it invokes a function of the platform's. It is an
// Asker; Batches makes a Source of it.
type Lambda struct {
	function FunctionRef
	url      *url.URL
	auth     *sigV4
	post     *poster
}

// NewLambda returns the source, for a function of the region, unless its ARN names
// another. endpoint is the URL of the Lambda API, or nil for AWS's own.
func NewLambda(f FunctionRef, region string, endpoint *url.URL, credentials aws.CredentialsProvider, remote Remote) *Lambda {
	if f.region != "" {
		region = f.region
	}
	if endpoint == nil {
		endpoint = &url.URL{Scheme: "https", Host: "lambda." + region + "." + dnsSuffix(region)}
	}
	l := &Lambda{
		function: f,
		// An ARN's colons are escaped, as the SDK does: the signature covers the path.
		url:  endpoint.JoinPath("2015-03-31/functions", strings.ReplaceAll(f.name, ":", "%3A"), "invocations"),
		auth: newSigV4(credentials, "lambda", region, remote.Now),
	}
	if f.qualifier != "" {
		l.url.RawQuery = url.Values{"Qualifier": {f.qualifier}}.Encode()
	}
	l.post = &poster{Remote: remote, maxAnswer: maxPayload, describe: describeLambda}
	return l
}

// dnsSuffix is the domain of the partition that a region is in.
func dnsSuffix(region string) string {
	for _, p := range [...]struct{ prefix, suffix string }{
		{"cn-", "amazonaws.com.cn"},
		{"eusc-", "amazonaws.eu"},
		{"us-iso-", "c2s.ic.gov"},
		{"us-isob-", "sc2s.sgov.gov"},
		{"us-isof-", "csp.hci.ic.gov"},
		{"eu-isoe-", "cloud.adc-e.uk"},
	} {
		if strings.HasPrefix(region, p.prefix) {
			return p.suffix
		}
	}
	return "amazonaws.com"
}

// Ask invokes the function with a batch. The error is ErrBusy where Lambda
// throttles or the function is being changed, ErrAnswer for a result that cannot
// be used, or else a failure of the source.
func (l *Lambda) Ask(ctx context.Context, dates []signal.ProductDate) ([]Answer, error) {
	answers, err := l.ask(ctx, dates)
	if err != nil {
		return nil, fmt.Errorf("invoke function %q for %d signals: %w", l.function, len(dates), err)
	}
	return answers, nil
}

func (l *Lambda) ask(ctx context.Context, dates []signal.ProductDate) ([]Answer, error) {
	body, err := encodeRequest(dates)
	if err != nil {
		return nil, err
	}
	reply, err := l.post.post(ctx, l.url, body, func(r *http.Request) error {
		r.Header.Set("X-Amz-Invocation-Type", "RequestResponse")
		return l.auth.sign(r, body)
	})
	if err != nil {
		return nil, err
	}
	if kind := reply.header.Get("X-Amz-Function-Error"); kind != "" {
		return nil, functionError(kind, reply.body)
	}
	return decodeAnswers(reply.body, dates)
}

// functionError is an invocation that the function, or Lambda for it, ended with
// an error.
func functionError(kind string, body []byte) error {
	var e struct {
		Type    string `json:"errorType"`
		Message string `json:"errorMessage"`
	}
	// Whatever cannot be read of it stays empty.
	_ = json.Unmarshal(body, &e)
	return fmt.Errorf("the function failed (%s): error %s, message %s", quote(kind), quote(e.Type), quote(e.Message))
}

// describeLambda is what Lambda itself says when it turns a request down.
func describeLambda(header http.Header, body []byte) string {
	var e struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(body, &e)
	kind, _, _ := strings.Cut(header.Get("X-Amzn-Errortype"), ":")
	return fmt.Sprintf(": %s, message %s, request id %s", quote(kind), quote(e.Message), quote(header.Get("X-Amzn-Requestid")))
}
