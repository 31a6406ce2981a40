package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"

	"github.com/availability-signal/terraform-provider-availability/runtime/bundle"
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
	program, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer program.Close()
	var zip bytes.Buffer
	err = bundle.Pack(&zip, program)
	return zip.Bytes(), err
}
