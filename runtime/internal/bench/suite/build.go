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
	path := filepath.Join(s.work, "minimal_"+arch)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", lambdaTags, "-ldflags", "-s -w -buildid=", "-o", path, "./runtime/internal/bench/minimal")
	cmd.Dir = s.Root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the minimal Lambda: %w\n%s", err, out)
	}
	return path, nil
}
