package awsclient_test

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
)

// A host that takes no connection is not called as often as a throttled one: who has
// misspelt an endpoint, or not started what listens there, is told so within minutes.
func TestConnect_givesUpWhereNobodyAnswers(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close() // Nobody listens there now.
	for retries, want := range map[int]int{awsclient.DefaultMaxRetries: 10, 100: 10, 3: 4} {
		synctest.Test(t, func(t *testing.T) {
			clients, err := awsclient.Connect(t.Context(), awsclient.Settings{
				Region: "ca-central-1", AccessKey: "test", SecretKey: "test", MaxRetries: &retries,
				Endpoints: awsclient.Endpoints{DynamoDB: "http://" + listener.Addr().String()},
			})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, err = clients.DynamoDB.ListTables(t.Context(), &dynamodb.ListTablesInput{})
			tried, ok := errors.AsType[*retry.MaxAttemptsError](err)
			if !ok || tried.Attempt != want || time.Since(began) > 2*time.Minute {
				t.Errorf("%d retries: after %s, want %d attempts: %v", retries, time.Since(began), want, err)
			}
		})
	}
}
