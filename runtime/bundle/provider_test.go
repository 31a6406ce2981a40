package bundle_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/bundle"
)

// The provider that make build makes gives its packages out.
func TestProvider_extractsPackages(t *testing.T) {
	dir := made(t, "build")
	provider := filepath.Join(dir, "bin/terraform-provider-availability")
	out, err := exec.CommandContext(t.Context(), provider, "-version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := regexp.MustCompile(`^terraform-provider-availability \S+ \(Lambda package ` + regexp.QuoteMeta(bundle.Version()) + `, time zones 20\d\d[a-z]\)\n$`); !want.Match(out) {
		t.Errorf("it says %q", out)
	}
	for _, architecture := range bundle.Architectures() {
		p, err := bundle.New(os.DirFS(filepath.Join(dir, "runtime/bundle"))).Package(architecture)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "runtime.zip")
		if out, err := exec.CommandContext(t.Context(), provider, "-extract-runtime", architecture, file).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("extract %s: %v\n%s", architecture, err, out)
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, p.Zip) {
			t.Errorf("%s: %d bytes, want %d; %v", architecture, len(got), len(p.Zip), err)
		}
	}
	for _, test := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"arm64"}, "unable to extract the Lambda package: expected one file, as in -extract-runtime arm64 runtime.zip\n"},
		{[]string{"arm", "runtime.zip"}, `unable to extract the Lambda package: unknown architecture "arm": expected arm64 or x86_64` + "\n"},
	} {
		holdFails(t, provider, test.arguments, test.want)
	}
}

// A plain go build needs no packages, and its program says that it has none.
func TestProvider_withoutPackages(t *testing.T) {
	provider := filepath.Join(t.TempDir(), "terraform-provider-availability")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", provider, "../..").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	holdFails(t, provider, []string{"arm64", filepath.Join(t.TempDir(), "runtime.zip")},
		"unable to extract the Lambda package: this program was built without the Lambda packages: take a release, or build it with make build\n")
}

func holdFails(t *testing.T, provider string, arguments []string, want string) {
	t.Helper()
	var said strings.Builder
	cmd := exec.CommandContext(t.Context(), provider, append([]string{"-extract-runtime"}, arguments...)...)
	cmd.Stderr = &said
	if err := cmd.Run(); err == nil || said.String() != want {
		t.Errorf("%v: %v, it says %q, want %q", arguments, err, said.String(), want)
	}
}
