package guides_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/bundle"
)

// workflows are the hosted workflows' files, by name.
func workflows(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, ".github/workflows/*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	found := map[string]string{}
	for _, file := range files {
		name := filepath.Base(file)
		found[name] = text(t, ".github/workflows/"+name)
	}
	return found
}

// The hosted jobs that walk through the guides have what the guides' commands need.
func TestHosted_clients(t *testing.T) {
	t.Parallel()
	commands := regexp.MustCompile(`run: make (test .*)`).FindAllStringSubmatch(workflows(t)["test.yaml"], -1)
	if len(commands) == 0 {
		t.Fatal("no job tests a part")
	}
	for _, command := range commands {
		if out := sh(t, "", "make --dry-run "+command[1]); !strings.Contains(out, "--clients") {
			t.Errorf("make %s has no boto3 and no AWS CLI:\n%s", command[1], out)
		}
	}
}

var (
	pinned = regexp.MustCompile(`^\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	grants = regexp.MustCompile(`(?m)^ +(\S+: write)\b`)
)

// Others' actions are pinned by hash, and jobs may do what they must and no more.
func TestHosted_leastPermissions(t *testing.T) {
	t.Parallel()
	may := map[string]string{"release.yaml": "contents: write, id-token: write, attestations: write"}
	for name, workflow := range workflows(t) {
		if !regexp.MustCompile(`(?m)^permissions:( \{\}|\n  contents: read)$`).MatchString(workflow) {
			t.Errorf("%s gives all of its jobs more than to read", name)
		}
		var granted []string
		for _, grant := range grants.FindAllStringSubmatch(workflow, -1) {
			granted = append(granted, grant[1])
		}
		if got := strings.Join(granted, ", "); got != may[name] {
			t.Errorf("%s may %q, want %q", name, got, may[name])
		}
		for line := range strings.Lines(workflow) {
			if _, action, ok := strings.Cut(line, "uses: "); ok && !pinned.MatchString(strings.TrimSpace(action)) {
				t.Errorf("%s: not pinned by hash: %s", name, action)
			}
		}
		if strings.Count(workflow, "actions/checkout@") != strings.Count(workflow, "persist-credentials: false") {
			t.Errorf("%s: a checkout keeps the token", name)
		}
	}
}

// The changelog says for each release which Lambda package it has.
func TestChangelog_saysPackage(t *testing.T) {
	t.Parallel()
	releases := regexp.MustCompile(`(?m)^## .*$`).Split(text(t, "CHANGELOG.md"), -1)[1:]
	for i, release := range releases {
		said := regexp.MustCompile(`^\s+Lambda package: (\d+\.\d+\.\d+)\b`).FindStringSubmatch(release)
		if said == nil {
			t.Errorf("release %d from above does not say which Lambda package it has", i+1)
		} else if i == 0 && said[1] != bundle.Version() {
			t.Errorf("the changelog has Lambda package %s at its top, runtime/bundle/VERSION %s", said[1], bundle.Version())
		}
	}
}
