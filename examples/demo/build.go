package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// What is built, by import path: found from any directory of the module.
const (
	module           = "github.com/availability-signal/terraform-provider-availability"
	bootstrapPackage = module + "/runtime/cmd/bootstrap"
)

// buildProvider builds the provider into a directory.
func buildProvider(ctx context.Context, log, dir string) error {
	c := command{log: log, env: os.Environ(), whole: true}
	return c.run(ctx, "go", "build", "-o", filepath.Join(dir, "terraform-provider-availability"), module)
}

// buildBootstrap builds the Lambda for this machine, on which the local AWS runs
// it as a process, and returns it as a zip.
func buildBootstrap(ctx context.Context, log, dir string) ([]byte, error) {
	c := command{log: log, env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH), whole: true}
	file := filepath.Join(dir, "bootstrap")
	if err := c.run(ctx, "go", "build", "-trimpath", "-tags", "lambda.norpc,nethttpomithttp2", "-ldflags", "-s -w -buildid=", "-o", file, bootstrapPackage); err != nil {
		return nil, err
	}
	binary, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return zipped("bootstrap", binary)
}

// zipped is an archive of one program.
func zipped(name string, program []byte) ([]byte, error) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	header := &zip.FileHeader{Name: name, Method: zip.Deflate}
	header.SetMode(0o755)
	w, err := z.CreateHeader(header)
	if err != nil {
		return nil, fmt.Errorf("zip %s: %w", name, err)
	}
	if _, err := w.Write(program); err != nil {
		return nil, fmt.Errorf("zip %s: %w", name, err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("zip %s: %w", name, err)
	}
	return archive.Bytes(), nil
}
