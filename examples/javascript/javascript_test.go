// Package javascript_test runs the tests of signal.mjs, which are JavaScript.
package javascript_test

import (
	"os"
	"os/exec"
	"testing"
)

func TestJavaScript(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a DynamoDB; not with -short")
	}
	if os.Getenv("AWS_ENDPOINT_URL") == "" {
		t.Fatal("needs a DynamoDB at AWS_ENDPOINT_URL: `make test` brings a local one, `go test -short` leaves this test out")
	}
	if _, err := os.Stat("node_modules"); err != nil {
		t.Fatalf("the AWS SDK for JavaScript is not installed: `make test PKG=./examples/javascript` does it: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "--test")
	// The local AWS is no account of anybody's.
	cmd.Env = append(os.Environ(), "NODE_NO_WARNINGS=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("node --test: %v\n%s", err, out)
	}
}
