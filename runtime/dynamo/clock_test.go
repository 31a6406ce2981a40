package dynamo_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

// dated is an HTTP client that gets that status from everybody, at that date.
type dated struct {
	status int
	date   string
}

func (d dated) Do(*http.Request) (*http.Response, error) {
	header := http.Header{"Content-Type": {"application/x-amz-json-1.0"}}
	if d.date != "" {
		header.Set("Date", d.date)
	}
	body := `{"__type": "AccessDeniedException", "message": "no"}`
	if d.status == http.StatusOK {
		body = "{}"
	}
	return &http.Response{StatusCode: d.status, Header: header, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// sending is an HTTP client.
type sending func(*http.Request) (*http.Response, error)

func (s sending) Do(r *http.Request) (*http.Response, error) { return s(r) }

// Any answer says what the service's clock says, a refusal too.
func TestStore_skew(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	const atNine = "Wed, 01 Jul 2026 09:00:00 GMT"
	for name, tt := range map[string]struct {
		answer dated
		want   time.Duration
		ok     bool
	}{
		"it is behind":  {dated{http.StatusOK, atNine}, -3 * time.Hour, true},
		"it is ahead":   {dated{http.StatusOK, "Thu, 02 Jul 2026 12:00:01 GMT"}, 24*time.Hour + time.Second, true},
		"denied":        {dated{http.StatusBadRequest, atNine}, -3 * time.Hour, true},
		"no date":       {dated{status: http.StatusOK}, 0, false},
		"not a date":    {dated{http.StatusBadRequest, "nine"}, 0, false},
		"denied, never": {dated{status: http.StatusBadRequest}, 0, false},
	} {
		client := dynamodb.New(dynamodb.Options{
			Region: "us-west-2", HTTPClient: tt.answer, Retryer: aws.NopRetryer{},
			Credentials: aws.AnonymousCredentials{},
		})
		skew, ok := dynamo.NewStore(client, "signals").Skew(t.Context(), func() time.Time { return now })
		if ok != tt.ok || ok && skew != tt.want {
			t.Errorf("%s: %v, %t, want %v, %t", name, skew, ok, tt.want, tt.ok)
		}
	}
	// The time that an answer takes is none.
	at := now
	slow := dynamodb.New(dynamodb.Options{
		Region: "us-west-2", Retryer: aws.NopRetryer{}, Credentials: aws.AnonymousCredentials{},
		HTTPClient: sending(func(r *http.Request) (*http.Response, error) {
			at = at.Add(time.Minute)
			return dated{http.StatusOK, at.Format(http.TimeFormat)}.Do(r)
		}),
	})
	if skew, ok := dynamo.NewStore(slow, "signals").Skew(t.Context(), func() time.Time { return at }); !ok || skew != 0 {
		t.Errorf("a slow answer: %v, %t", skew, ok)
	}
	for _, unanswered := range []error{
		io.ErrUnexpectedEOF,
		&smithyhttp.ResponseError{Err: io.ErrUnexpectedEOF},
		&smithyhttp.ResponseError{Response: &smithyhttp.Response{}, Err: io.ErrUnexpectedEOF},
	} {
		if _, ok := dynamo.NewStore(deaf{err: unanswered}, "signals").Skew(t.Context(), time.Now); ok {
			t.Errorf("no answer tells the time: %v", unanswered)
		}
	}
}
