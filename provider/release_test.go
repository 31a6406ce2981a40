package provider_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// What a release has is all that a user needs: the provider is installed from it, as
// from the registry, and works.
func TestRelease_installs(t *testing.T) {
	acctest.PreCheck(t)
	if os.Getenv("AWS_ENDPOINT_URL") == "" {
		t.Skip("makes a rule for a function that is not there, which is for a local AWS")
	}
	dist := snapshot(t)
	version, archive := provided(t, dist)
	sums := checksums(t, filepath.Join(dist, fmt.Sprintf("terraform-provider-availability_%s_SHA256SUMS", version)))
	content := read(t, filepath.Join(dist, archive))
	if sums[archive] != hexSum(content) {
		t.Errorf("the checksum of %s is %q, want %q", archive, sums[archive], hexSum(content))
	}
	for _, name := range []string{
		fmt.Sprintf("terraform-provider-availability_%s_manifest.json", version),
		fmt.Sprintf("availability-runtime_%s_x86_64.zip", version),
		strings.TrimSuffix(archive, ".zip") + ".cdx.json",
	} {
		if sums[name] == "" {
			t.Errorf("there is no checksum of %s: %v", name, sums)
		}
	}
	holdBill(t, filepath.Join(dist, strings.TrimSuffix(archive, ".zip")+".cdx.json"))

	folder := t.TempDir()
	write := func(file, content string) string {
		file = filepath.Join(folder, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write(filepath.Join("mirror/registry.terraform.io/availability-signal/availability", archive), string(content))
	rc := write("terraform.rc", fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", filepath.Join(folder, "mirror")))
	write("main.tf", fmt.Sprintf(`
terraform {
  required_providers {
    availability = {
      source  = "availability-signal/availability"
      version = %q
    }
  }
}

provider "availability" { table_name = %q }

data "availability_runtime_package" "arm64" {}

resource "availability_cadence_bucket" "test" {
  name    = "5min"
  cadence = { minutes = 5 }
  target  = { arn = "arn:aws:lambda:ca-central-1:000000000000:function:availability" }
}

output "package" { value = data.availability_runtime_package.arm64 }
`, version, acctest.Table(t)))
	run := func(args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "terraform", args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+rc, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1")
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("terraform %s: %v\n%s%s", strings.Join(args, " "), err, out, said.String())
		}
		return out
	}
	run("init", "-input=false")
	run("apply", "-input=false", "-auto-approve")
	// It fails unless there is nothing to do.
	run("plan", "-input=false", "-detailed-exitcode")
	var runtimePackage struct {
		OutputPath string `json:"output_path"`
		SHA256     string
	}
	if err := json.Unmarshal(run("output", "-json", "package"), &runtimePackage); err != nil {
		t.Fatal(err)
	}
	if got, want := hexSum(read(t, filepath.Join(folder, runtimePackage.OutputPath))), sums[fmt.Sprintf("availability-runtime_%s_arm64.zip", version)]; got != want || runtimePackage.SHA256 != want {
		t.Errorf("the Lambda package is %s and said to be %s; the one beside the provider is %s", got, runtimePackage.SHA256, want)
	}
	run("destroy", "-input=false", "-auto-approve")
}

// snapshot makes a release of the source as it is, for this machine, in a copy of it.
func snapshot(t *testing.T) (dist string) {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "git", "-C", "..", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatalf("list the source: %v", err)
	}
	for name := range strings.SplitSeq(strings.Trim(string(out), "\x00"), "\x00") {
		info, err := os.Stat(filepath.Join("..", name))
		if err != nil || info.IsDir() {
			continue // deleted, or a link to a folder
		}
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, read(t, filepath.Join("..", name)), info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range [][]string{
		{"git", "init", "--quiet"},
		{"git", "add", "--all"},
		{"git", "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message", "A snapshot"},
		{"make", "--silent", "snapshot"},
	} {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
		}
	}
	return filepath.Join(dir, "dist")
}

// provided is the archive of the provider for this machine, and its version.
func provided(t *testing.T, dist string) (version, archive string) {
	t.Helper()
	pattern := regexp.MustCompile(`^terraform-provider-availability_(.+)_` + runtime.GOOS + `_` + runtime.GOARCH + `\.zip$`)
	entries, err := os.ReadDir(dist)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if m := pattern.FindStringSubmatch(e.Name()); m != nil {
			return m[1], e.Name()
		}
	}
	t.Fatalf("no provider for this machine among %v", entries)
	return "", ""
}

// checksums are those of a file as sha256sum writes it, by name.
func checksums(t *testing.T, file string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	for line := range strings.Lines(string(read(t, file))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	return sums
}

// holdBill holds that a bill of materials names what the provider is made of.
func holdBill(t *testing.T, file string) {
	t.Helper()
	var bill struct {
		BOMFormat  string
		Components []struct{ Name string }
	}
	if err := json.Unmarshal(read(t, file), &bill); err != nil {
		t.Fatal(err)
	}
	for _, c := range bill.Components {
		if c.Name == "github.com/hashicorp/terraform-plugin-framework" && bill.BOMFormat == "CycloneDX" {
			return
		}
	}
	t.Errorf("the bill of materials has %d components, and not the framework", len(bill.Components))
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func hexSum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
