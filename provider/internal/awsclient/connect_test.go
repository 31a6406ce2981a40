package awsclient_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
)

// The ten ranges that Terraform changes at a time have hundreds of requests under way at
// once: none of the later ones is to begin with a connection, and on AWS a TLS handshake,
// of its own.
func TestConnect_keepsItsConnections(t *testing.T) {
	t.Parallel()
	const atOnce, waves = 10 * 32, 4
	var opened, answered atomic.Int64
	var all sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		// None is answered before all of its wave have come.
		all.Done()
		all.Wait()
		answered.Add(1)
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = w.Write([]byte(`{}`))
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	clients, err := awsclient.Connect(t.Context(), awsclient.Settings{
		Region: "ca-central-1", AccessKey: "test", SecretKey: "test", Endpoints: awsclient.Endpoints{DynamoDB: server.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range waves {
		all.Add(atOnce)
		var callers sync.WaitGroup
		for range atOnce {
			callers.Go(func() {
				if _, err := clients.DynamoDB.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
	}
	if answered.Load() != atOnce*waves || opened.Load() > atOnce+atOnce/4 {
		t.Errorf("%d requests, %d at once, opened %d connections", answered.Load(), atOnce, opened.Load())
	}
}
