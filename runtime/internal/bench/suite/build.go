package suite

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// The packages that are built here.
const (
	minimalPackage  = "./runtime/internal/bench/minimal"
	providerPackage = "."
)

// bootstrap is the Lambda as it is released, which has been built before.
func (s *Suite) bootstrap(arch string) string {
	return filepath.Join(s.Root, "bin", "linux_"+arch, "bootstrap")
}

// build builds a package for this system and an architecture, without what is for
// debugging, once a run, and returns its path.
func (s *Suite) build(ctx context.Context, pkg, arch string) (string, error) {
	name := filepath.Base(pkg) + "_" + arch
	if path, ok := s.built[name]; ok {
		return path, nil
	}
	path := filepath.Join(s.work, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "lambda.norpc", "-ldflags", "-s -w -buildid=", "-o", path, pkg)
	cmd.Dir = s.Root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+runtime.GOOS, "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	s.built[name] = path
	return path, nil
}
