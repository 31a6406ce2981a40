package acctest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/bundle"
)

// Architecture is what Lambda calls this machine's.
func Architecture() string {
	if runtime.GOARCH == "arm64" {
		return bundle.ARM64
	}
	return bundle.X8664
}

// Package builds the runtime's Lambda package for an architecture.
func Package(t *testing.T, architecture string) []byte {
	t.Helper()
	program := filepath.Join(t.TempDir(), bundle.Handler)
	goarch := map[string]string{bundle.ARM64: "arm64", bundle.X8664: "amd64"}[architecture]
	// As make zips builds it, so that Go has much of it built already.
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-tags", "lambda.norpc,nethttpomithttp2", "-o", program, module+"/runtime/cmd/bootstrap")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+goarch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the function: %v\n%s", err, out)
	}
	file, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var packed bytes.Buffer
	if err := bundle.Pack(&packed, file); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// overlay is a file for go build that puts the Lambda packages where the provider
// embeds them, without writing them into the source tree.
func overlay(t *testing.T) string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", module+"/runtime/bundle").Output()
	if err != nil {
		t.Fatal(err)
	}
	replace, folder := map[string]string{}, t.TempDir()
	for _, architecture := range bundle.Architectures() {
		file := filepath.Join(folder, architecture+".zip")
		if err := os.WriteFile(file, Package(t, architecture), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(strings.TrimSpace(string(dir)), "zips", architecture+".zip")] = file
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
