package lambda

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// NewClientOver is the function's client over connections of the test's own.
func NewClientOver(dial func() net.Conn) *dynamodb.Client {
	var throttles atomic.Int64
	o := newClient(settings{
		region: "us-west-2", endpoint: "http://dynamodb.test",
		credentials: aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"},
	}, &throttles).Options()
	o.HTTPClient = o.HTTPClient.(*awshttp.BuildableClient).WithTransportOptions(func(t *http.Transport) {
		t.Proxy = nil
		t.DialContext = func(context.Context, string, string) (net.Conn, error) { return dial(), nil }
	})
	return dynamodb.New(o)
}

// ParseEvent returns the name of the bucket that an event asks to run, "" for a task
// or records.
func ParseEvent(event []byte) (bucket string, err error) {
	asked, err := parseEvent(event)
	return asked.bucket, err
}

// ReadSettings is what is wrong with an environment.
func ReadSettings(getenv func(string) string) error {
	_, err := readSettings(getenv, false)
	return err
}
