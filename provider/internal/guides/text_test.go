package guides_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

func text(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// What the guide says of the flip is what every language's example sends, which
// other tests run.
func TestFlipping_sameExpressions(t *testing.T) {
	t.Parallel()
	guide := text(t, "docs/guides/flipping.md")
	for _, part := range []string{"ConditionExpression", "UpdateExpression"} {
		said := regexp.MustCompile("\\| `" + part + "` \\| `([^`]+)` \\|").FindStringSubmatch(guide)
		if said == nil {
			t.Fatalf("the guide has no %s", part)
		}
		for _, file := range []string{"examples/javascript/signal.mjs", "examples/guides/flipping/flip.py", "examples/guides/flipping/flip.sh"} {
			if !strings.Contains(text(t, file), said[1]) {
				t.Errorf("%s has another %s than the guide's %q", file, part, said[1])
			}
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fenced  = regexp.MustCompile("(?s)```.*?```")
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	ownURL  = regexp.MustCompile(`^https://github\.com/availability-signal/terraform-provider-availability/(?:tree|blob)/main/`)
)

// Every link to something of this project leads there.
func TestGuides_links(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join(root, "docs/guides/*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no guides: %v", err)
	}
	for _, page := range append(pages, filepath.Join(root, "docs/index.md"), filepath.Join(root, "README.md"), filepath.Join(root, "examples/javascript/README.md"),
		filepath.Join(root, "examples/README.md"), filepath.Join(root, "examples/complete/README.md"), filepath.Join(root, "examples/demo/README.md"), filepath.Join(root, ".github/SECURITY.md"), filepath.Join(root, "runtime/cmd/operator/README.md")) {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(content), ""), -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			file := filepath.Join(filepath.Dir(page), target)
			switch {
			case target == "":
				file = page
			case ownURL.MatchString(target):
				file = filepath.Join(root, ownURL.ReplaceAllString(target, ""))
			case strings.Contains(target, "://"):
				continue
			}
			body, err := os.ReadFile(file)
			if info, statErr := os.Stat(file); statErr != nil || err != nil && !info.IsDir() {
				t.Errorf("%s links to %s, which is not there", page, found[1])
			} else if anchor != "" && !hasHeading(string(body), anchor) {
				t.Errorf("%s links to %s, and there is no such heading", page, found[1])
			}
		}
	}
}

// hasHeading is whether a page has a heading of that anchor.
func hasHeading(page, anchor string) bool {
	if strings.Contains(page, `<a id="`+anchor+`">`) {
		return true
	}
	for _, h := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		slug := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(h[1]), "")
		if strings.ReplaceAll(slug, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// Every example that the provider's documentation does not show is named by the
// examples' README.
func TestExamples_areFound(t *testing.T) {
	t.Parallel()
	readme := text(t, "examples/README.md")
	shown := []string{"actions", "data-sources", "functions", "list-resources", "provider", "resources", "guides"}
	for _, of := range []string{"", "guides/"} {
		folders, err := os.ReadDir(filepath.Join(root, "examples", of))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range folders {
			if name := of + f.Name(); f.IsDir() && !slices.Contains(shown, name) && !strings.Contains(readme, "]("+name) {
				t.Errorf("examples/README.md does not name %s", name)
			}
		}
	}
}

// Every guide is named by the first page, and every example by a guide.
func TestGuides_areFound(t *testing.T) {
	t.Parallel()
	index := text(t, "docs/index.md")
	pages, err := filepath.Glob(filepath.Join(root, "templates/guides/*"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no guides: %v", err)
	}
	var all strings.Builder
	for _, page := range pages {
		name := strings.TrimSuffix(filepath.Base(page), ".tmpl")
		if !strings.Contains(index, "guides/"+name) {
			t.Errorf("docs/index.md does not name the guide %s", name)
		}
		all.WriteString(text(t, "templates/guides/"+filepath.Base(page)))
	}
	examples, err := filepath.Glob(filepath.Join(root, "examples/guides/*/*"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range examples {
		if name, _ := filepath.Rel(root, file); !strings.Contains(all.String(), `"`+name+`"`) {
			t.Errorf("no guide shows %s", name)
		}
	}
	// What a guide shows comes from a file that a test runs.
	for _, page := range pages {
		for _, block := range fenced.FindAllString(text(t, "templates/guides/"+filepath.Base(page)), -1) {
			t.Errorf("%s has code of its own:\n%s", page, block)
		}
	}
}
