package awsclient_test

import (
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// Behind a proxy that opens TLS, the certificates are of its own authority, which
// AWS_CA_BUNDLE names.
func TestConnect_trustsTheBundle(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = w.Write([]byte(`{}`))
	}))
	// It would print that it is not trusted.
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	bundle := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(bundle, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	list := func() error {
		clients, err := awsclient.Connect(t.Context(), awsclient.Settings{
			Region: "ca-central-1", AccessKey: "test", SecretKey: "test", MaxRetries: new(int), Endpoints: awsclient.Endpoints{DynamoDB: server.URL},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = clients.DynamoDB.ListTables(t.Context(), &dynamodb.ListTablesInput{})
		return err
	}
	t.Setenv("AWS_CA_BUNDLE", "")
	if list() == nil {
		t.Error("an authority is trusted that nobody has named")
	}
	t.Setenv("AWS_CA_BUNDLE", bundle)
	if err := list(); err != nil {
		t.Error(err)
	}
}
