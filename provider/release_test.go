package provider_test

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// What a release has is all that a user needs: the provider is installed from it, as
// from the registry, and works.
func TestRelease(t *testing.T) {
	acctest.PreCheck(t)
	if os.Getenv("AWS_ENDPOINT_URL") == "" {
		t.Skip("makes functions, roles and queues, which is for a local AWS")
	}
	dist := snapshot(t)
	version, archive := provided(t, dist)
	sums := checksums(t, filepath.Join(dist, fmt.Sprintf("terraform-provider-availability_%s_SHA256SUMS", version)))
	mirror := t.TempDir()
	folder := filepath.Join(mirror, "registry.terraform.io/availability-signal/availability")
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, archive), read(t, filepath.Join(dist, archive)), 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Run("files", func(t *testing.T) { holdFiles(t, dist, version, archive, sums) })
	t.Run("checked as SECURITY.md says", func(t *testing.T) { holdSigned(t, dist, version) })
	t.Run("the same twice", func(t *testing.T) {
		if diff := cmp.Diff(sums, checksums(t, filepath.Join(snapshot(t), fmt.Sprintf("terraform-provider-availability_%s_SHA256SUMS", version)))); diff != "" {
			t.Errorf("releases of the same commit, made in two folders, differ:\n%s", diff)
		}
	})
	ws := acctest.NewWorkspaceFrom(t, mirror)
	t.Run("package", func(t *testing.T) { holdPackage(t, ws.Beside(t), version, sums) })
	t.Run("complete example", func(t *testing.T) { runComplete(t, ws, version, operator(t, dist, version)) })
}

// holdFiles holds that all of a release's files are there, by their checksums.
func holdFiles(t *testing.T, dist, version, archive string, sums map[string]string) {
	t.Helper()
	if got := hexSum(read(t, filepath.Join(dist, archive))); sums[archive] != got {
		t.Errorf("the checksum of %s is %q, want %q", archive, sums[archive], got)
	}
	for _, name := range []string{
		fmt.Sprintf("availability-runtime_%s_arm64.zip", version),
		fmt.Sprintf("availability-runtime_%s_x86_64.zip", version),
		strings.TrimSuffix(archive, ".zip") + ".cdx.json",
		operatorArchive(version),
		strings.TrimSuffix(operatorArchive(version), ".zip") + ".cdx.json",
	} {
		if sums[name] == "" {
			t.Errorf("there is no checksum of %s: %v", name, sums)
		}
	}
	holdManifest(t, sums[fmt.Sprintf("terraform-provider-availability_%s_manifest.json", version)])
	holdBill(t, filepath.Join(dist, strings.TrimSuffix(archive, ".zip")+".cdx.json"), "github.com/hashicorp/terraform-plugin-framework")
	holdBill(t, filepath.Join(dist, strings.TrimSuffix(operatorArchive(version), ".zip")+".cdx.json"), "github.com/aws/aws-sdk-go-v2/config")
}

// holdSigned signs the checksums as a release does, with a key of the test's own, and
// checks them by the commands of SECURITY.md. The last of those asks GitHub.
func holdSigned(t *testing.T, dist, version string) {
	t.Helper()
	if _, err := exec.LookPath("gpg"); err != nil {
		t.Skip("there is no gpg")
	}
	arguments := regexp.MustCompile(`(?m)^    args: \[(--batch, .*)\]$`).FindSubmatch(read(t, "../.ci/goreleaser.yaml"))
	_, shown, _ := strings.Cut(string(read(t, "../.github/SECURITY.md")), "```sh\n")
	shown, _, _ = strings.Cut(shown, "gh attestation")
	if arguments == nil || shown == "" {
		t.Fatal("there is nothing to sign or to check by")
	}
	sums := fmt.Sprintf("terraform-provider-availability_%s_SHA256SUMS", version)
	signing := strings.NewReplacer(", ", " ", "{{ .Env.GPG_FINGERPRINT }}", "release@example.com", "${signature}", sums+".sig", "${artifact}", sums).Replace(string(arguments[1]))
	cmd := exec.CommandContext(t.Context(), "sh", "-exc", strings.Join([]string{
		"gpg --batch --quiet --passphrase '' --quick-generate-key release@example.com", "gpg " + signing, shown,
		// What has been changed since is found out.
		"echo >>" + sums, "! gpg --verify " + sums + ".sig " + sums,
	}, "\n"))
	cmd.Dir = t.TempDir()
	home := filepath.Join(cmd.Dir, "gpg")
	if err := errors.Join(os.CopyFS(cmd.Dir, os.DirFS(dist)), os.Mkdir(home, 0o700)); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "GNUPGHOME="+home, "VERSION="+version)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "_"+runtime.GOOS+"_"+runtime.GOARCH+".zip: OK") {
		t.Errorf("%v\n%s", err, out)
	}
	_ = exec.Command("gpgconf", "--homedir", home, "--kill", "all").Run() // It ends by itself too, once its folder is gone.
}

// holdPackage holds that the Lambda package in the provider is the one beside it.
func holdPackage(t *testing.T, ws *acctest.Workspace, version string, sums map[string]string) {
	t.Helper()
	ws.Write("main.tf", fmt.Sprintf(`
terraform {
  required_providers {
    availability = {
      source  = "availability-signal/availability"
      version = %q
    }
  }
}

provider "availability" {}

data "availability_runtime_package" "arm64" {}

output "package" { value = data.availability_runtime_package.arm64 }
`, version))
	ws.Init()
	ws.Run(0, "apply", "-auto-approve", "-no-color")
	out, err := ws.Terraform("output", "-json", "package").Output()
	if err != nil {
		t.Fatal(err)
	}
	var runtimePackage struct {
		OutputPath string `json:"output_path"`
		SHA256     string
	}
	if err := json.Unmarshal(out, &runtimePackage); err != nil {
		t.Fatal(err)
	}
	got, want := hexSum(read(t, filepath.Join(ws.Dir(), runtimePackage.OutputPath))), sums[fmt.Sprintf("availability-runtime_%s_arm64.zip", version)]
	if got != want || runtimePackage.SHA256 != want {
		t.Errorf("the Lambda package is %s and said to be %s; the one beside the provider is %s", got, runtimePackage.SHA256, want)
	}
}

func operatorArchive(version string) string {
	return fmt.Sprintf("availability-operator_%s_%s_%s.zip", version, runtime.GOOS, runtime.GOARCH)
}

// operator takes the operators' command out of a release, and returns its path.
func operator(t *testing.T, dist, version string) string {
	t.Helper()
	archive, err := zip.OpenReader(filepath.Join(dist, operatorArchive(version)))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	path := t.TempDir()
	if err := os.CopyFS(path, archive); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(path, "operator")
	out, err := exec.CommandContext(t.Context(), path, "-version").Output()
	if want := "availability operator " + version + "\n"; err != nil || string(out) != want {
		t.Errorf("it says %q, want %q: %v", out, want, err)
	}
	return path
}

// snapshot makes a release of the source as it is, for this machine, in a copy of it.
func snapshot(t *testing.T) (dist string) {
	t.Helper()
	dir := checkout(t)
	for _, command := range [][]string{
		{"git", "init", "--quiet"},
		// Without it, a snapshot's files are of today.
		{"git", "remote", "add", "origin", "https://github.com/availability-signal/terraform-provider-availability"},
		{"git", "add", "--all"},
		{"git", "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message", "A snapshot"},
		{"make", "--silent", "snapshot"},
	} {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-07-01T12:00:00Z", "GIT_COMMITTER_DATE=2026-07-01T12:00:00Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
		}
	}
	return filepath.Join(dir, "dist")
}

// checkout is a copy of the source as it is, in a folder of its own.
func checkout(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
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
	return dir
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

// holdManifest holds that the registry is told the protocol that the provider speaks.
func holdManifest(t *testing.T, sum string) {
	t.Helper()
	content := read(t, "../.ci/terraform-registry-manifest.json")
	var manifest struct {
		Version  int
		Metadata struct {
			Protocols []string `json:"protocol_versions"`
		}
	}
	if err := json.Unmarshal(content, &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Version != 1 || !slices.Equal(manifest.Metadata.Protocols, []string{"6.0"}) || hexSum(content) != sum {
		t.Errorf("the manifest is %+v, of checksum %q", manifest, sum)
	}
}

// holdBill holds that a bill of materials names a part.
func holdBill(t *testing.T, file, part string) {
	t.Helper()
	var bill struct {
		BOMFormat  string
		Components []struct{ Name string }
	}
	if err := json.Unmarshal(read(t, file), &bill); err != nil {
		t.Fatal(err)
	}
	for _, c := range bill.Components {
		if c.Name == part && bill.BOMFormat == "CycloneDX" {
			return
		}
	}
	t.Errorf("the bill of materials has %d components, and not %s", len(bill.Components), part)
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
