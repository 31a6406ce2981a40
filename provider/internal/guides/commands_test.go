package guides_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// commands runs the commands that guides show, with the operators' command built
// from this tree.
type commands struct {
	t *testing.T
	// dir is where they run, table and function what they are about.
	dir, table, function string
	operator             func() string
}

// operatorCommand builds the operators' command, and returns its folder.
func operatorCommand(t *testing.T) func() string {
	return sync.OnceValue(func() string {
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "operator"),
			"github.com/availability-signal/terraform-provider-availability/runtime/cmd/operator")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build the operators' command: %v\n%s", err, out)
		}
		return dir
	})
}

// run runs a file of a guide's commands, which must end with that exit code, and
// returns what it prints. What the guide shows of that, in a file of the same name,
// must be there.
func (c *commands) run(code int, guide, file string, env ...string) string {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), "sh", "-c", c.example(guide, file))
	cmd.Dir = c.dir
	cmd.Env = append(cmd.Environ(), "TABLE="+c.table, "FUNCTION="+c.function, "PATH="+c.operator()+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Env = append(cmd.Env, env...)
	output, err := cmd.CombinedOutput()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		c.t.Fatal(err)
	}
	out := string(output)
	if got := cmd.ProcessState.ExitCode(); got != code {
		c.t.Fatalf("%s/%s ends with %d, want %d:\n%s", guide, file, got, code, out)
	}
	shown := strings.TrimSuffix(file, filepath.Ext(file)) + ".txt"
	if _, err := os.Stat(filepath.Join(examples, guide, shown)); err == nil {
		want, got := shape(c.example(guide, shown)), shape(strings.ReplaceAll(out, c.table, "signals"))
		if !strings.Contains(got, want) {
			c.t.Errorf("%s/%s prints another text than %s.\nwant:\n%s\ngot:\n%s", guide, file, shown, want, got)
		}
	}
	return out
}

func (c *commands) example(guide, file string) string {
	c.t.Helper()
	content, err := os.ReadFile(filepath.Join(examples, guide, file))
	if err != nil {
		c.t.Fatal(err)
	}
	return later.Replace(string(content))
}

// says runs a task of the operators' command, in whose output there must be that.
func (c *commands) says(code int, want string, args ...string) {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), filepath.Join(c.operator(), "operator"), args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code || !strings.Contains(string(out), want) {
		c.t.Errorf("operator %s ends with %d, want %d and %q:\n%s", strings.Join(args, " "), got, code, want, out)
	}
}

// python runs a guide's program, and returns what it prints.
func (c *commands) python(guide, file string, args ...string) string {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), "python3", append([]string{"-B", filepath.Join(examples, guide, file)}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%v: `make test` brings boto3\n%s", err, out)
	}
	return string(out)
}

var (
	someTime = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`)
	someID   = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	// The SDK may have repeated a flip that had been applied.
	someRev = regexp.MustCompile(`\b(rev|rev is still|claimed at) \d+`)
	// A bucket that has not run by itself yet says so.
	someRun = regexp.MustCompile(`no run yet|last run began <time>, ended <time>`)
)

// shape is a text without what is another one each time.
func shape(text string) string {
	text = someTime.ReplaceAllString(text, "<time>")
	text = someID.ReplaceAllString(text, "<id>")
	text = someRev.ReplaceAllString(text, "$1 <n>")
	return someRun.ReplaceAllString(text, "<runs>")
}

// pool gives a date inventory, as an application does that forgets the flip. A
// capacity below 0 is none at all.
func pool(t *testing.T, table, date string, available, capacity int) {
	t.Helper()
	item := stringItem("pk", "inventoryPool::mockPark1::backcountryCamp::1::1::"+date, "sk", "main")
	for name, n := range map[string]int{"availability": available, "capacity": capacity} {
		if n >= 0 {
			item[name] = &types.AttributeValueMemberN{Value: strconv.Itoa(n)}
		}
	}
	if _, err := acctest.DynamoDB(t).PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
		t.Fatal(err)
	}
}
