package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// build builds the command, and returns its path.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "operator")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-X main.version=v1.2.3", "-o", path, ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// result is what came of a command line.
type result struct {
	code     int
	out, err string
}

type command struct {
	t    *testing.T
	path string
	dir  string
	env  []string
}

// newCommand is the command in a folder of its own, with no settings but these.
func newCommand(t *testing.T, env ...string) *command {
	t.Helper()
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append([]string{name + "=" + v}, env...)
		}
	}
	dir := t.TempDir()
	return &command{t: t, path: build(t), dir: dir, env: append([]string{"HOME=" + dir, "AWS_EC2_METADATA_DISABLED=true"}, env...)}
}

func (c *command) run(args ...string) result {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), c.path, args...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env, cmd.Dir = &out, &problems, c.env, c.dir
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		c.t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), problems.String()}
}

func TestOperator_usage(t *testing.T) {
	c := newCommand(t, "AWS_REGION=us-west-2")
	for line, says := range map[string]string{
		"":        "a task is missing",
		"mend":    `"mend" is no task`,
		"explain": "explain is about one signal",
		"explain -table t mockPark1/backcountryCamp/1/1":            "it does not end in a date",
		"explain -table t mockPark1/backcountryCamp/1/1 2027-07-01": "quote a signal, it has a space in it",
		"explain -table t 5min":                                     `"5min" is no signal, such as "mockPark1/backcountryCamp/1/1 2027-07-01"`,
		"check mockPark1/backcountryCamp/1/1":                       "which table? Give -table, or set AVAILABILITY_TABLE_NAME",
		"check -table t 5min":                                       "which source?",
		"audit -table t 5min":                                       "which source?",
		"check -shows low 5min":                                     "flag provided but not defined: -shows",
		"sync -table t":                                             "sync is about one product, collection or all",
		"sync -table t -all -collection mockPark1":                  "sync is about one product, collection or all",
		"sweep -table t mockPark1/backcountryCamp/1/1/2027-07-01":   "sweep is about one product or bucket",
		"doctor -table t 5min":                                      `doctor is about the whole table, not about "5min"`,
		"doctor -table t -region ca_central_1":                      `"ca_central_1" is no AWS region, such as ca-central-1: correct -region`,
		"report -table t -from tomorrow":                            `-from: invalid date "tomorrow"`,
		"report -table t -days -1":                                  "-days and -products are at least 0",
	} {
		r := c.run(strings.Fields(line)...)
		if r.code != 2 || r.out != "" || !strings.Contains(r.err, says) || !strings.Contains(r.err, "Try: operator -h") {
			t.Errorf("%q: %d, %s%s", line, r.code, r.out, r.err)
		}
	}
	for line, says := range map[string]string{
		"-h": "operator TASK [options] [SUBJECT]", "explain -h": "-shows value", "sync -h": "-takeover", "doctor -h": "-global-id-index", "report -h": "-svg file",
		"-version": "availability operator v1.2.3",
	} {
		if r := c.run(strings.Fields(line)...); r.code != 0 || !strings.Contains(r.out, says) || r.err != "" {
			t.Errorf("%q: %d, %s%s", line, r.code, r.out, r.err)
		}
	}
	for _, task := range []string{"explain", "check"} {
		if r := c.run(task, "-function", "f", "Site 5 2027-07-01"); r.code != 2 || !strings.Contains(r.err, `"Site 5" is no product, such as mockPark1/backcountryCamp/1/1`) {
			t.Errorf("%s of a signal by the name that callers have for it: %+v", task, r)
		}
	}
	bare := newCommand(t)
	bare.env = []string{"HOME=" + bare.dir}
	if r := bare.run("explain", "-table", "t", "mockPark1/backcountryCamp/1/1/2027-07-01"); r.code != 2 || !strings.Contains(r.err, "no AWS region is set: give -region") {
		t.Errorf("without a region: %+v", r)
	}
}

// The whole chain of the SDK's settings: here a profile of the shared files.
func TestOperator_profile(t *testing.T) {
	p := newPlatform(t)
	c := newCommand(t)
	text := "[profile park]\nregion = " + os.Getenv("AWS_REGION") + "\naws_access_key_id = test\naws_secret_access_key = test\nendpoint_url = " + os.Getenv("AWS_ENDPOINT_URL") + "\n"
	if err := os.Mkdir(filepath.Join(c.dir, ".aws"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.dir, ".aws", "config"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c.env = []string{"HOME=" + c.dir, "AWS_EC2_METADATA_DISABLED=true"}
	if r := c.run("explain", "-profile", "park", "-table", p.store.Table(), "mockPark1/backcountryCamp/1/1/2027-07-01"); r.code != 1 || !strings.Contains(r.out, "missing: nothing is known under this name") {
		t.Errorf("%+v", r)
	}
	if r := c.run("explain", "-table", p.store.Table(), "-region", "ca-central-1", "mockPark1/backcountryCamp/1/1/2027-07-01"); r.code != 1 || r.out != "" {
		t.Errorf("without the profile: %+v", r)
	}
}

func TestOperator_tasks(t *testing.T) {
	p := newPlatform(t)
	july1 := p.seed("2027-07-01", 12)
	c := newCommand(t, "AVAILABILITY_TABLE_NAME="+p.store.Table(), "AVAILABILITY_SOURCE=inventory-pool")
	name := "mockPark1/backcountryCamp/1/1 2027-07-01"

	if r := c.run("check", name, "-json"); r.code != 0 || !strings.Contains(r.out, `"value": "12"`) {
		t.Errorf("check: %+v", r)
	}
	if r := c.run("explain", july1.Key().String()); r.code != 0 || !strings.Contains(r.out, "right: the value 12 is right") {
		t.Errorf("explain: %+v", r)
	}
	if r := c.run("explain", "-shows", "20", name); r.code != 1 || !strings.Contains(r.out, "look at the reader: the value 12 is right, and 20 was shown") {
		t.Errorf("explain: %+v", r)
	}
	p.pool(july1, 11)
	r := c.run("explain", "-json", name)
	var e operate.Explanation
	if err := json.Unmarshal([]byte(r.out), &e); err != nil || r.code != 1 || e.Verdict != operate.Unflipped {
		t.Errorf("explain: %+v, %v", r, err)
	}
	if r := c.run("audit", "5min"); r.code != 1 || !strings.Contains(r.out, "2027-07-01  mismatched: it showed 12") {
		t.Errorf("audit: %+v", r)
	}
	if r := c.run("check", "cadenceBucket::5min"); r.code != 0 || !strings.Contains(r.out, "1 clean now") {
		t.Errorf("check: %+v", r)
	}
	if r := c.run("audit", "mockPark1/backcountryCamp/1/1"); r.code != 0 || !strings.Contains(r.out, "1 compared, 0 wrong without a flip") {
		t.Errorf("audit: %+v", r)
	}
	if r := c.run("sweep", "5min"); r.code != 0 || !strings.Contains(r.out, "0 expired an hour ago or more, 0 deleted") {
		t.Errorf("sweep: %+v", r)
	}
	p.put(july1.ItemKey(), signal.Item{"timezone": signal.S("America/Vancouver")})
	// The signal is another seeder's, so that a sync leaves it, and a takeover does not.
	p.put(signal.Key{PK: july1.DatePKs()[0], SK: "2027-07-01"}, signal.Item{"availabilityEstimationPattern": signal.M(map[string]signal.Value{
		"estimationMode": signal.S("exact"), "cadence": signal.M(map[string]signal.Value{"minutes": signal.N(5)}),
	})})
	if r := c.run("sync", "-all", "-takeover"); r.code != 0 || !strings.Contains(r.out, "take over  2027-07-01  of test") || !strings.Contains(r.out, "This was a dry run") {
		t.Errorf("sync: %+v", r)
	}
	if r := c.run("sync", "mockPark1/backcountryCamp/1/1", "-takeover", "-apply"); r.code != 0 {
		t.Errorf("sync: %+v", r)
	}
	if is := p.item(july1); is.Text("seededBy") != "stream" {
		t.Errorf("taken over: %v", is)
	}

	for _, line := range []string{"sync mockPark1/backcountryCamp/1/2", "sync -collection mockPark2", "check mockPark1/backcountryCamp/1/2", "sweep mockPark1/backcountryCamp/1/2"} {
		if r := c.run(strings.Fields(line)...); r.code != 1 || !strings.Contains(r.out, "nothing is known under this name") {
			t.Errorf("%s: %+v", line, r)
		}
	}
	if r := c.run("check", "9min"); r.code != 1 || !strings.Contains(r.err, "bucket not registered") || !strings.Contains(r.err, "doctor lists the buckets") {
		t.Errorf("no bucket: %+v", r)
	}
	if r := c.run("explain", "-table", "no-such-table", name); r.code != 1 || !strings.Contains(r.err, "Is it the right account, region and table?") {
		t.Errorf("no table: %+v", r)
	}
	c.env = append(c.env, "AVAILABILITY_SOURCE=pigeons")
	if r := c.run("explain", name); r.code != 1 || !strings.Contains(r.err, `AVAILABILITY_SOURCE is "pigeons"`) {
		t.Errorf("source: %+v", r)
	}
}

// The same tasks, done by the function.
func TestOperator_function(t *testing.T) {
	p := newPlatform(t)
	p.seed("2027-07-01", 12)
	function := p.deploy(map[string]string{"AVAILABILITY_TABLE_NAME": p.store.Table()})
	c := newCommand(t)
	name := "mockPark1/backcountryCamp/1/1 2027-07-01"
	if r := c.run("check", "-function", function, name); r.code != 0 || r.out != "mockPark1/backcountryCamp/1/1 2027-07-01  cleaned: 12\n" {
		t.Errorf("check: %+v", r)
	}
	if r := c.run("explain", "-function", function, "-json", name); r.code != 0 || !strings.Contains(r.out, `"verdict": "right"`) {
		t.Errorf("explain: %+v", r)
	}
	if r := c.run("audit", "-function", function, "9min"); r.code != 1 || !strings.Contains(r.err, "BucketNotRegistered") {
		t.Errorf("audit: %+v", r)
	}
	if r := c.run("explain", "-function", "no-such-function", name); r.code != 1 || !strings.Contains(r.err, `have function "no-such-function" do it: function not found`) || !strings.Contains(r.err, "Is it the right account, region and function?") {
		t.Errorf("no function: %+v", r)
	}
}

// The SDK signs by the service's clock once it has seen that this machine's is wrong,
// so that all calls succeed: only the answers' dates tell.
func TestOperator_wrongClock(t *testing.T) {
	p := newPlatform(t)
	july1 := p.seed("2027-07-01", 12)
	item := p.item(july1)
	over := time.Now().Add(-2 * time.Hour)
	item[signal.AttrTTL], item[signal.AttrExpiry] = signal.N(over.Unix()), signal.S(signal.FormatInstant(over))
	p.put(july1.Key(), item)
	engine, err := url.Parse(os.Getenv("AWS_ENDPOINT_URL"))
	if err != nil {
		t.Fatal(err)
	}
	ago := httputil.NewSingleHostReverseProxy(engine)
	ago.ModifyResponse = func(r *http.Response) error {
		r.Header.Set("Date", time.Now().Add(-3*time.Hour).UTC().Format(http.TimeFormat))
		return nil
	}
	server := httptest.NewServer(ago)
	t.Cleanup(server.Close)
	c := newCommand(t, "AVAILABILITY_TABLE_NAME="+p.store.Table(), "AVAILABILITY_SOURCE=inventory-pool")
	right := c.env
	c.env = append(slices.Clone(right), "AWS_ENDPOINT_URL="+server.URL)
	for _, line := range []string{"sweep 5min", "check 5min", "audit 5min", "sync -all", "explain mockPark1/backcountryCamp/1/1/2027-07-01", "report"} {
		r := c.run(strings.Fields(line)...)
		if r.code != 1 || r.out != "" || !strings.Contains(r.err, "the clock of this machine is wrong: it is ") || !strings.Contains(r.err, "ahead of DynamoDB's") || strings.Contains(r.err, "have the function do it (-function)") == (line == "report") {
			t.Errorf("%s: %+v", line, r)
		}
	}
	if r := c.run("doctor"); r.code != 1 || !strings.Contains(r.out, "clock\n  fault    this machine: its clock is ") || !strings.Contains(r.out, "ahead of DynamoDB's") {
		t.Errorf("doctor: %+v", r)
	}
	if p.item(july1) == nil {
		t.Error("it was deleted by a clock that is wrong")
	}
	c.env = right
	if r := c.run("sweep", "5min"); r.code != 0 || !strings.Contains(r.out, "1 expired an hour ago or more, 1 deleted") {
		t.Errorf("by a clock that is right: %+v", r)
	}
}

func TestOperator_report(t *testing.T) {
	p := newPlatform(t)
	p.seed("2027-07-01", 12)
	c := newCommand(t, "AVAILABILITY_TABLE_NAME="+p.store.Table())
	if r := c.run("report", "-out", "wall.html", "-svg", "wall.svg"); r.code != 0 || r.out != "wall.html\nwall.svg\n" {
		t.Fatalf("%+v", r)
	}
	page, err := os.ReadFile(filepath.Join(c.dir, "wall.html"))
	if err != nil || !bytes.Contains(page, []byte("mockPark1/backcountryCamp/1/1")) || bytes.Contains(page, []byte("src=")) || bytes.Contains(page, []byte("href=")) {
		t.Errorf("want a page of its own: %v\n%.300s", err, page)
	}
	drawing, err := os.ReadFile(filepath.Join(c.dir, "wall.svg"))
	if err != nil || !bytes.HasPrefix(drawing, []byte("<svg ")) {
		t.Errorf("%v, %.100s", err, drawing)
	}
	if r := c.run("report", "-out", "wall.svg"); r.code != 1 || !strings.Contains(r.err, "it is no report that remembers its runs: give another file by -out, or remove it") {
		t.Errorf("over another file: %+v", r)
	}
	if r := c.run("report", "-out", "none.html", "-collection", "mockPark2"); r.code != 1 || r.out != "" || !strings.Contains(r.err, `no signal of collection "mockPark2"`) {
		t.Errorf("of a collection that is not there: %+v", r)
	}
	awstest.Seed(t, p.store, p.on("2027-07-03"), "5min", signal.Pattern{Mode: signal.Exact})
	if r := c.run("report", "-out", "wall.html"); r.code != 0 {
		t.Errorf("again: %+v", r)
	}
}

// A log-in that has run out is said to be one, with what to do.
func TestOperator_noCredentials(t *testing.T) {
	c := newCommand(t, "AVAILABILITY_TABLE_NAME=signals")
	c.env = slices.DeleteFunc(c.env, func(v string) bool { return strings.HasPrefix(v, "AWS_") })
	c.env = append(c.env, "AWS_REGION=us-east-1", "AWS_EC2_METADATA_DISABLED=true")
	r := c.run("explain", "mockPark1/backcountryCamp/1/1 2027-07-01")
	if r.code != 1 || !strings.Contains(r.err, "Log in (aws sso login") || strings.Contains(r.err, "outcome unknown") {
		t.Errorf("%+v", r)
	}
}
