package suite

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// bootstrap is the Lambda as it is released, which make has built.
func (s *Suite) bootstrap(arch string) string {
	return filepath.Join(s.Root, "bin", "linux_"+arch, "bootstrap")
}

// provider is the provider as it is released, for this machine.
func (s *Suite) provider() string {
	return filepath.Join(s.Root, "bin", "terraform-provider-availability")
}

// lambdaTags are those that the bootstrap is built with, so that neither has what the
// other leaves out.
const lambdaTags = "lambda.norpc,nethttpomithttp2"

// minimal builds the Lambda that ours is compared with, for an architecture, and
// returns its path.
func (s *Suite) minimal(ctx context.Context, arch string) (string, error) {
	return s.build(ctx, "./runtime/internal/bench/minimal", "minimal_"+arch, lambdaTags, "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
}

// idle builds the provider that ours is compared with, and returns its path.
func (s *Suite) idle(ctx context.Context) (string, error) {
	return s.build(ctx, "./provider/internal/idle", "idle", "")
}

func (s *Suite) build(ctx context.Context, what, name, tags string, env ...string) (string, error) {
	path := filepath.Join(s.work, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", tags, "-ldflags", "-s -w -buildid=", "-o", path, what)
	cmd.Dir = s.Root
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", what, err, out)
	}
	return path, nil
}
