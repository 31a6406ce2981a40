package suite

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
)

// Versions are those of what is measured with, as far as they can be told: Terraform,
// the SDK that this program was built with, the engine as it is pinned, and
// hashicorp/aws.
func Versions(root, engine string) []string {
	versions := []string{record.CommandVersion("terraform", "version")}
	const sdk = "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	if built, ok := debug.ReadBuildInfo(); ok {
		for _, m := range built.Deps {
			if m.Path == sdk {
				versions = append(versions, "aws-sdk-go-v2/service/dynamodb "+m.Version)
			}
		}
	}
	versions = append(versions, pinned(root, engine))
	if mirror := awsMirror(); mirror != "" {
		// As Terraform takes it: the newest.
		found, err := filepath.Glob(filepath.Join(mirror, registry, awsProvider, "*", runtime.GOOS+"_"+runtime.GOARCH))
		if err == nil && len(found) == 1 {
			versions = append(versions, awsProvider+" "+filepath.Base(filepath.Dir(found[0])))
		}
	}
	var known []string
	for _, v := range versions {
		if v != "" {
			known = append(known, v)
		}
	}
	return known
}

// pinned is the engine with the version that it is installed in.
func pinned(root, engine string) string {
	b, err := os.ReadFile(filepath.Join(root, ".ci", engine+".txt"))
	if err != nil {
		return engine
	}
	for line := range strings.Lines(string(b)) {
		name, rest, ok := strings.Cut(line, "==")
		if name, _, _ = strings.Cut(name, "["); ok && name == engine {
			version, _, _ := strings.Cut(rest, " ")
			return engine + " " + strings.TrimSpace(version)
		}
	}
	return engine
}
