package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every command line that the README shows is one that the command understands, and
// can do.
func TestOperator_readme(t *testing.T) {
	p := newPlatform(t)
	p.seed("2027-07-01", 12)
	function := p.deploy(map[string]string{"AVAILABILITY_TABLE_NAME": p.store.Table()})
	c := newCommand(t, "AVAILABILITY_TABLE_NAME="+p.store.Table(), "PATH="+os.Getenv("PATH"))
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(readme), "```\n")
	shown, _, _ = strings.Cut(shown, "```")
	lines := strings.Split(strings.TrimSpace(shown), "\n")
	if len(lines) < 7 {
		t.Fatalf("the README shows %q", lines)
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "operator ") {
			t.Errorf("no command: %s", line)
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, "availability-runtime", function))
		cmd.Dir, cmd.Env = c.dir, slices.Concat(c.env, []string{"PATH=" + filepath.Dir(c.path) + string(os.PathListSeparator) + os.Getenv("PATH")})
		out, _ := cmd.CombinedOutput()
		// 1 is that there is something to see to.
		if code := cmd.ProcessState.ExitCode(); code > 1 || strings.HasPrefix(string(out), "operator: ") {
			t.Errorf("%s ends with %d:\n%s", line, code, out)
		}
	}
	if _, err := os.Stat(filepath.Join(c.dir, "wall.html")); err != nil {
		t.Error(err)
	}
}
