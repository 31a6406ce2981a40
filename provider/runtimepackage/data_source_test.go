package runtimepackage_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/availability-signal/terraform-provider-availability/provider"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/bundle"
)

const typeName = "availability_runtime_package"

// bundled are packages of two architectures.
func bundled() provider.Option {
	return provider.WithBundle(bundle.New(fstest.MapFS{
		"zips/arm64.zip":  {Data: []byte("for arm64")},
		"zips/x86_64.zip": {Data: []byte("for x86_64")},
	}))
}

func TestPackage(t *testing.T) {
	tests := map[string]struct {
		config                   acctest.Config
		architecture, path, file string
	}{
		"default":          {nil, "arm64", ".terraform/availability/arm64-" + hexSum("for arm64")[:8] + ".zip", "for arm64"},
		"architecture":     {acctest.Config{"architecture": "x86_64"}, "x86_64", ".terraform/availability/x86_64-" + hexSum("for x86_64")[:8] + ".zip", "for x86_64"},
		"path":             {acctest.Config{"output_path": "./out/runtime.zip"}, "arm64", "./out/runtime.zip", "for arm64"},
		"expected version": {acctest.Config{"expected_version": bundle.Version()}, "arm64", ".terraform/availability/arm64-" + hexSum("for arm64")[:8] + ".zip", "for arm64"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			got, errs := acctest.NewOfflineServer(t, bundled()).Read(typeName, tt.config)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			sum := sha256.Sum256([]byte(tt.file))
			want := map[string]any{
				"architecture": tt.architecture, "output_path": tt.path, "version": bundle.Version(),
				"sha256": hexSum(tt.file), "source_code_hash": base64.StdEncoding.EncodeToString(sum[:]),
				"handler": "bootstrap", "runtime": "provided.al2023",
			}
			if v, ok := tt.config["expected_version"]; ok {
				want["expected_version"] = v
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if content, err := os.ReadFile(tt.path); err != nil || string(content) != tt.file {
				t.Errorf("the file has %q, %v", content, err)
			}
		})
	}
}

func hexSum(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func TestPackage_errors(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		opts   []provider.Option
		config acctest.Config
		want   string
	}{
		"no packages": {
			[]provider.Option{provider.WithBundle(bundle.New(fstest.MapFS{}))},
			nil,
			"Unable to read Lambda package: This provider was built without the Lambda packages, as a plain go build does.\n\n" +
				"Use a release, or build the provider with make build, which makes the packages and embeds them. A package of your own, made by make zips, needs no data source: give the function its file.",
		},
		"architecture": {nil, acctest.Config{"architecture": "arm"}, `architecture: Invalid Lambda package: Architecture "arm": expected arm64 or x86_64.`},
		"empty path":   {nil, acctest.Config{"output_path": ""}, "output_path: Invalid Lambda package: The output path is empty; leave it out for the default."},
		"another version": {
			nil,
			acctest.Config{"expected_version": "0.0.1"},
			"expected_version: Another Lambda package than expected: This release of the provider carries version " + bundle.Version() + " of the Lambda package, not 0.0.1. " +
				"Set expected_version to " + bundle.Version() + " once the changelog has been read, or use a release of the provider that carries 0.0.1.",
		},
		"path that cannot be": {
			nil,
			acctest.Config{"output_path": "file/runtime.zip"},
			"output_path: Unable to write Lambda package: Write the Lambda package for arm64: mkdir file: not a directory.\n\nSet output_path to a file that can be written where Terraform runs.",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := acctest.NewOfflineServer(t, append([]provider.Option{bundled()}, tt.opts...)...).Read(typeName, tt.config)
			if diff := cmp.Diff([]string{tt.want}, errs); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	// What is wrong must not leave files.
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The documentation's example applies, without any AWS, and plans empty after.
func TestSeen13_packageExampleApplies(t *testing.T) {
	acctest.PreCheck(t)
	content, err := os.ReadFile("../../examples/data-sources/availability_runtime_package/data-source.tf")
	if err != nil {
		t.Fatal(err)
	}
	// The provider runs in the test's own folder, not in Terraform's.
	t.Chdir(t.TempDir())
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(bundled()),
		Steps: []resource.TestStep{{
			Config:            string(content),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValueAtPath("package", tfjsonpath.New("sha256"), knownvalue.StringExact(hexSum("for arm64")))},
		}},
	})
	if written, err := filepath.Glob(".terraform/availability/arm64-*.zip"); err != nil || len(written) != 1 || !strings.Contains(written[0], hexSum("for arm64")[:8]) {
		t.Errorf("written: %v, %v", written, err)
	}
}
