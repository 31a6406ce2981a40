package acctest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/availability-signal/terraform-provider-availability"

// Workspace is a folder in which a real terraform runs, with the provider's own
// binary, and with no other process between it and the test.
type Workspace struct {
	t           *testing.T
	dir, config string
	// downloads is whether hashicorp/aws comes from its registry.
	downloads bool
}

// NewWorkspace builds the provider, without the Lambda packages. Beside it there is
// hashicorp/aws: from a filesystem mirror on this machine, or else from its registry.
func NewWorkspace(t *testing.T) *Workspace {
	t.Helper()
	return NewWorkspaceFrom(t, built(t))
}

// NewWorkspaceWithPackages is NewWorkspace with the Lambda packages in the provider.
func NewWorkspaceWithPackages(t *testing.T) *Workspace {
	t.Helper()
	return NewWorkspaceFrom(t, built(t, "-tags", "bundle", "-overlay", overlay(t)))
}

// NewWorkspaceFrom takes the provider from a filesystem mirror.
func NewWorkspaceFrom(t *testing.T, own string) *Workspace {
	t.Helper()
	PreCheck(t)
	w := &Workspace{t: t, dir: t.TempDir()}
	w.config = filepath.Join(w.dir, "terraform.rc")
	blocks := fmt.Sprintf("  filesystem_mirror {\n    path    = %q\n    include = [\"availability-signal/availability\"]\n  }\n", own)
	if mirror := awsMirror(t); mirror != "" {
		blocks += fmt.Sprintf("  filesystem_mirror {\n    path    = %q\n    include = [\"hashicorp/aws\"]\n  }\n", mirror)
	} else {
		blocks += "  direct {\n    include = [\"hashicorp/aws\"]\n  }\n"
		w.downloads = true
	}
	w.Write("terraform.rc", "disable_checkpoint = true\nprovider_installation {\n"+blocks+"}\n")
	return w
}

// built is a filesystem mirror with the provider, built with those arguments.
func built(t *testing.T, args ...string) (mirror string) {
	t.Helper()
	mirror = t.TempDir()
	const version = "0.0.1"
	binary := filepath.Join(mirror, "registry.terraform.io/availability-signal/availability", version, runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-availability_v"+version)
	args = append(append([]string{"build", "-o", binary}, args...), module)
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("build the provider: %v\n%s", err, out)
	}
	return mirror
}

// Beside is another folder, for another test, with the same providers.
func (w *Workspace) Beside(t *testing.T) *Workspace {
	t.Helper()
	return &Workspace{t: t, dir: t.TempDir(), config: w.config, downloads: w.downloads}
}

// In is a folder within this one, which it makes.
func (w *Workspace) In(name string) *Workspace {
	w.t.Helper()
	within := *w
	within.dir = filepath.Join(w.dir, name)
	if err := os.MkdirAll(within.dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	return &within
}

// Take copies the files of a folder that have one of those endings, as they are or
// changed, and not those of folders within it.
func (w *Workspace) Take(folder string, change func(string) string, endings ...string) {
	w.t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() || !slices.Contains(endings, filepath.Ext(e.Name())) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			w.t.Fatal(err)
		}
		w.Write(e.Name(), change(string(content)))
	}
}

// NewWorkspaceOf is a folder whose provider is the binary that is in another, for
// which terraform needs no init. Use changes to another binary.
func NewWorkspaceOf(t *testing.T, folder string) *Workspace {
	t.Helper()
	PreCheck(t)
	w := &Workspace{t: t, dir: t.TempDir()}
	w.config = filepath.Join(w.dir, "terraform.rc")
	w.Use(folder)
	return w
}

// Use takes the provider's binary that is in a folder, from a NewWorkspaceOf.
func (w *Workspace) Use(folder string) {
	w.t.Helper()
	w.Write("terraform.rc", fmt.Sprintf("disable_checkpoint = true\nprovider_installation {\n  dev_overrides {\n    \"availability-signal/availability\" = %q\n  }\n}\n", folder))
}

// Dir is the folder.
func (w *Workspace) Dir() string { return w.dir }

// Init runs terraform init. The test is skipped where hashicorp/aws is wanted and
// there is neither a mirror nor a registry to take it from.
func (w *Workspace) Init() {
	w.t.Helper()
	out, err := w.Terraform("init", "-no-color").CombinedOutput()
	if err != nil && w.downloads && strings.Contains(string(out), "hashicorp/aws") {
		w.t.Skipf("hashicorp/aws is neither on this machine (AVAILABILITY_AWS_MIRROR names a filesystem mirror that has it) nor to be had from its registry:\n%s", out)
	}
	if err != nil {
		w.t.Fatalf("terraform init: %v\n%s", err, out)
	}
}

// Write writes a file of the folder.
func (w *Workspace) Write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// Terraform is a terraform to be started in the folder.
func (w *Workspace) Terraform(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.t.Context(), "terraform", args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+w.config, "TF_IN_AUTOMATION=1", "TF_REATTACH_PROVIDERS=", "TF_LOG=")
	return cmd
}

// Run runs terraform, which must end with that exit code, and returns its output.
func (w *Workspace) Run(code int, args ...string) string {
	w.t.Helper()
	out, err := w.Terraform(args...).CombinedOutput()
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else if err != nil {
		w.t.Fatal(err)
	}
	if got != code {
		w.t.Fatalf("terraform %s ends with %d, want %d:\n%s", strings.Join(args, " "), got, code, out)
	}
	return string(out)
}

// Resources are the attributes of the state's resources, by address.
func (w *Workspace) Resources() map[string]map[string]any {
	w.t.Helper()
	out, err := w.Terraform("show", "-json").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	var state struct {
		Values struct {
			Root struct {
				Resources []struct {
					Address string         `json:"address"`
					Tainted bool           `json:"tainted"`
					Values  map[string]any `json:"values"`
				} `json:"resources"`
			} `json:"root_module"`
		} `json:"values"`
	}
	if err := json.Unmarshal(out, &state); err != nil {
		w.t.Fatal(err)
	}
	found := map[string]map[string]any{}
	for _, r := range state.Values.Root.Resources {
		if r.Tainted {
			w.t.Errorf("%s is tainted", r.Address)
		}
		found[r.Address] = r.Values
	}
	return found
}

// awsMirror is a folder that has hashicorp/aws for this machine: the one that
// AVAILABILITY_AWS_MIRROR names, or one found where such folders are kept, or "".
func awsMirror(t *testing.T) string {
	t.Helper()
	const within = "registry.terraform.io/hashicorp/aws"
	of := func(dir string) bool {
		found, err := filepath.Glob(filepath.Join(dir, within, "*", runtime.GOOS+"_"+runtime.GOARCH))
		return err == nil && len(found) > 0
	}
	if named := os.Getenv("AVAILABILITY_AWS_MIRROR"); named != "" {
		if !of(named) {
			t.Fatalf("AVAILABILITY_AWS_MIRROR is %s, which has no %s for %s_%s", named, within, runtime.GOOS, runtime.GOARCH)
		}
		return named
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{home, "/usr", "/opt", "/var", "/srv"} {
		for _, between := range []string{"", "*", "*/*", "*/*/*", ".*/*"} {
			found, err := filepath.Glob(filepath.Join(root, between, within))
			if err != nil {
				t.Fatal(err)
			}
			for _, dir := range found {
				if dir = strings.TrimSuffix(dir, "/"+within); of(dir) {
					return dir
				}
			}
		}
	}
	return ""
}
