package source_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

const functionARN = "arn:aws:lambda:eu-west-3:123456789012:function:estimate"

func function(t *testing.T, name, qualifier string) source.FunctionRef {
	t.Helper()
	f, err := source.ParseFunction(name, qualifier)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestLambda_invocation(t *testing.T) {
	for name, test := range map[string]struct {
		function, qualifier string
		uri, region         string
	}{
		"name":              {"estimate", "", "/2015-03-31/functions/estimate/invocations", "ca-central-1"},
		"alias":             {"estimate", "live", "/2015-03-31/functions/estimate/invocations?Qualifier=live", "ca-central-1"},
		"alias in the name": {"estimate:live", "", "/2015-03-31/functions/estimate/invocations?Qualifier=live", "ca-central-1"},
		"latest":            {"estimate", "$LATEST", "/2015-03-31/functions/estimate/invocations?Qualifier=%24LATEST", "ca-central-1"},
		"of an account":     {"123456789012:function:estimate", "7", "/2015-03-31/functions/123456789012%3Afunction%3Aestimate/invocations?Qualifier=7", "ca-central-1"},
		"ARN": {
			functionARN, "",
			"/2015-03-31/functions/arn%3Aaws%3Alambda%3Aeu-west-3%3A123456789012%3Afunction%3Aestimate/invocations", "eu-west-3",
		},
		"ARN of a version": {
			functionARN + ":7", "7",
			"/2015-03-31/functions/arn%3Aaws%3Alambda%3Aeu-west-3%3A123456789012%3Afunction%3Aestimate/invocations?Qualifier=7", "eu-west-3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t, says(http.StatusOK, body(entry(1, `"none": true`), entry(0, `"available": 3, "capacity": 4`))))
			l := source.NewLambda(function(t, test.function, test.qualifier), "ca-central-1", p.url(t, ""), canary, network(t))
			got, err := l.Ask(t.Context(), batch)
			want := []source.Answer{{Estimate: signal.Estimate{Available: 3, Capacity: 4}}, {Estimate: signal.Estimate{NoInventory: true}}}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
			r := <-p.requests
			if r.Method != http.MethodPost || r.RequestURI != test.uri || r.Header.Get("X-Amz-Invocation-Type") != "RequestResponse" {
				t.Errorf("%s %s, %s", r.Method, r.RequestURI, r.Header.Get("X-Amz-Invocation-Type"))
			}
			wantSigned(t, r.Request, r.body, "lambda", test.region)
			if !strings.HasPrefix(r.body, `{"version":1,"signals":[{"key":"`+key(0)+`","collectionId":"mockPark1",`) {
				t.Errorf("body %s", r.body)
			}
		})
	}
}

// hosts notes where requests go, and lets none through.
type hosts []string

func (h *hosts) RoundTrip(r *http.Request) (*http.Response, error) {
	*h = append(*h, r.URL.Scheme+"://"+r.URL.Host+r.URL.Path)
	return &http.Response{StatusCode: http.StatusForbidden, Body: io.NopCloser(strings.NewReader(""))}, nil
}

func TestLambda_endpoint(t *testing.T) {
	var asked hosts
	ask := func(name, region string, endpoint *url.URL) {
		_, _ = source.NewLambda(function(t, name, ""), region, endpoint, canary, remote(&asked)).Ask(t.Context(), batch)
	}
	ask("f", "ca-central-1", nil)
	ask("f", "us-gov-west-1", nil)
	ask("f", "cn-north-1", nil)
	ask("arn:aws-cn:lambda:cn-northwest-1:123456789012:function:f", "ca-central-1", nil)
	ask("f", "eusc-de-east-1", nil)
	ask("f", "us-iso-east-1", nil)
	ask("f", "us-isob-east-1", nil)
	ask("f", "ca-central-1", &url.URL{Scheme: "http", Host: "localhost:4566", Path: "/local/"})
	const path = "/2015-03-31/functions/f/invocations"
	want := hosts{
		"https://lambda.ca-central-1.amazonaws.com" + path,
		"https://lambda.us-gov-west-1.amazonaws.com" + path,
		"https://lambda.cn-north-1.amazonaws.com.cn" + path,
		"https://lambda.cn-northwest-1.amazonaws.com.cn/2015-03-31/functions/arn:aws-cn:lambda:cn-northwest-1:123456789012:function:f/invocations",
		"https://lambda.eusc-de-east-1.amazonaws.eu" + path,
		"https://lambda.us-iso-east-1.c2s.ic.gov" + path,
		"https://lambda.us-isob-east-1.sc2s.sgov.gov" + path,
		"http://localhost:4566/local" + path,
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}

func TestLambda_theFunctionFails(t *testing.T) {
	for answer, want := range map[string]string{
		`{"errorType": "KeyError", "errorMessage": "'capacity'", "stackTrace": ["secret"]}`: `error "KeyError", message "'capacity'"`,
		`{"errorType": "Sandbox.Timedout", "errorMessage": "a\nb"}`:                         `error "Sandbox.Timedout", message "a\nb"`,
		`secret`: `error "", message ""`,
		// Whatever it answers besides.
		body(entry(0, `"none": true`)): `error "", message ""`,
	} {
		p := newPlatform(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Amz-Function-Error", "Unhandled")
			says(http.StatusOK, answer)(w, r)
		})
		got, err := source.NewLambda(function(t, "estimate", "live"), "ca-central-1", p.url(t, ""), canary, network(t)).Ask(t.Context(), batch)
		want = `invoke function "estimate:live" for 2 signals: the function failed ("Unhandled"): ` + want
		if got != nil || err == nil || err.Error() != want {
			t.Errorf(" got %v, %v\nwant %s", got, err, want)
		}
		if n := len(p.requests); n != 1 {
			t.Errorf("%d requests: what a function made of a batch once, it makes of it again", n)
		}
	}
}

func TestLambda_turnedDown(t *testing.T) {
	for kind, test := range map[string]struct {
		status, requests int
		busy             bool
	}{
		"TooManyRequestsException":     {http.StatusTooManyRequests, 3, true},
		"ResourceConflictException":    {http.StatusConflict, 3, true},
		"ResourceNotFoundException":    {http.StatusNotFound, 1, false},
		"AccessDeniedException":        {http.StatusForbidden, 1, false},
		"RequestTooLargeException":     {http.StatusRequestEntityTooLarge, 1, false},
		"EC2ThrottledException":        {http.StatusBadGateway, 3, false},
		"ServiceException":             {http.StatusInternalServerError, 3, false},
		"InvalidRequestContentExcepti": {http.StatusBadRequest, 1, false},
	} {
		t.Run(kind, func(t *testing.T) {
			p := newPlatform(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Amzn-Errortype", kind+":http://internal.amazon.com/coral/")
				w.Header().Set("X-Amzn-Requestid", "request-7")
				says(test.status, `{"Type": "User", "Message": "as AWS says"}`)(w, r)
			})
			_, err := source.NewLambda(function(t, "estimate", ""), "ca-central-1", p.url(t, ""), canary, network(t)).Ask(t.Context(), batch)
			if err == nil || errors.Is(err, source.ErrBusy) != test.busy {
				t.Fatalf("busy? %v", err)
			}
			if n := len(p.requests); n != test.requests {
				t.Errorf("%d requests, want %d", n, test.requests)
			}
			if want := `"` + kind + `", message "as AWS says", request id "request-7"`; !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "canary") {
				t.Errorf(" got %v\nwant %s", err, want)
			}
		})
	}
}

func TestParseFunction(t *testing.T) {
	const expected = "expected its name of 1 to 64 letters, digits, _ and -, or its ARN"
	for _, test := range []struct{ function, qualifier, want, fault string }{
		{"estimate", "", "estimate", ""},
		{"estimate", "live", "estimate:live", ""},
		{"estimate:live", "live", "estimate:live", ""},
		{functionARN + ":$LATEST", "", functionARN + ":$LATEST", ""},
		{"123456789012:function:estimate:7", "", "123456789012:function:estimate:7", ""},
		{"", "", "", `"": ` + expected},
		{"my estimate", "", "", `"my estimate": ` + expected},
		{"../estimate", "", "", `"../estimate": ` + expected},
		{"arn:aws:sns:eu-west-3:123456789012:estimate", "", "", `"arn:aws:sns:eu-west-3:123456789012:estimate": ` + expected},
		{strings.Repeat("x", 65), "", "", `"` + strings.Repeat("x", 65) + `": ` + expected},
		{"estimate:live", "test", "", `"estimate:live": it ends with a version or alias, and the qualifier "test" is another`},
		{"estimate", "a b", "", `"estimate": expected its qualifier "a b" to be a version, an alias or $LATEST`},
	} {
		f, err := source.ParseFunction(test.function, test.qualifier)
		switch {
		case test.fault == "" && (err != nil || f.String() != test.want):
			t.Errorf("%s, %s: %s, %v", test.function, test.qualifier, f, err)
		case test.fault != "" && (!errors.Is(err, source.ErrFunction) || err.Error() != "unusable function "+test.fault):
			t.Errorf(" got %v\nwant %s", err, test.fault)
		}
	}
}
