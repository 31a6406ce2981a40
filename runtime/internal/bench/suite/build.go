package suite

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// The packages that are built.
const (
	bootstrapPackage = "./runtime/cmd/bootstrap"
	minimalPackage   = "./runtime/internal/bench/minimal"
	providerPackage  = "."
)

// build builds a package for Linux on an architecture as it is released, once a
// run, and returns its path.
func (s *Suite) build(ctx context.Context, pkg, arch string) (string, error) {
	name := filepath.Base(pkg) + "_" + arch
	if path, ok := s.built[name]; ok {
		return path, nil
	}
	path := filepath.Join(s.work, name)
	args := []string{"build", "-trimpath", "-ldflags", "-s -w -buildid=", "-o", path, pkg}
	if pkg != providerPackage {
		args = append([]string{"build", "-tags", "lambda.norpc"}, args[1:]...)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = s.Root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if pkg == providerPackage {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+runtime.GOOS, "GOARCH="+arch)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	s.built[name] = path
	return path, nil
}
