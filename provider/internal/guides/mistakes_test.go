package guides_test

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/bundle"
)

// spoil changes a file of the configuration, in the way of a likely mistake.
func (g *guide) spoil(file, from, to string) {
	g.t.Helper()
	content, err := os.ReadFile(filepath.Join(g.Dir(), file))
	if err != nil {
		g.t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(content), from)
	if !ok {
		g.t.Fatalf("%s has no %q", file, from)
	}
	g.Write(file, before+to+rest)
}

// told holds that terraform ends with that code, and says what to do.
func (g *guide) told(code int, says string, args ...string) {
	g.t.Helper()
	if out := g.Run(code, append(args, "-no-color")...); !acctest.Text(says).MatchString(out) {
		g.t.Errorf("terraform %s does not say %q:\n%s", args[0], says, out)
	}
}

// beforeTheFirstApply is what is said of a table that has not its index, and no TTL.
func (g *guide) beforeTheFirstApply(table string) {
	g.t.Helper()
	g.take()
	content, err := os.ReadFile(filepath.Join(g.Dir(), "table.tf"))
	if err != nil {
		g.t.Fatal(err)
	}
	_, index, _ := strings.Cut(string(content), "  # Where each tick")
	index, _, _ = strings.Cut(index, "  global_secondary_index {\n    name            = \"globalId-index\"")
	g.spoil("table.tf", index, "\n")
	g.spoil("table.tf", `"gsipk", "gsisk", `, "")
	g.spoil("table.tf", "enabled        = true", "enabled        = false")
	out := g.Run(1, "apply", "-auto-approve", "-no-color")
	for _, says := range []string{
		`Table "` + table + `" has no index "cadence-index", by which a run finds what it has to check: it has globalId-index.
		Nothing was written, and the bucket is not in the state.
		Add it to the table, with the key gsipk (string) and gsisk (string) and the projection INCLUDE of dirtySince, ttl and notBefore.`,
		`TTL of table "` + table + `" is off`,
		`Turn TTL on for the attribute ttl,`,
	} {
		if !acctest.Text(says).MatchString(out) {
			g.t.Errorf("the apply does not say %q:\n%s", says, out)
		}
	}
}

// afterTheLastApply is what is said of what has been changed or mistaken since: by the
// plan of another region, and by the operators' doctor.
func (g *guide) afterTheLastApply(table string) {
	t := g.t
	t.Helper()
	doctor := newDoctor(t, table)
	doctor.says(0, "rules: all is well", "runs: all is well", "signals: all is well")
	functions, function := acctest.Lambda(t), "availability-"+table
	code := func(file string, program []byte) {
		t.Helper()
		// What the SDK repeats is done by then.
		_, err := functions.UpdateFunctionCode(t.Context(), &lambda.UpdateFunctionCodeInput{FunctionName: &function, ZipFile: zipped(t, file, program)})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, mistake := range []struct {
		name string
		make func(*testing.T)
		says []string
	}{
		{"TTL off", func(t *testing.T) {
			_, err := acctest.DynamoDB(t).UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
				TableName: &table, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ttl"), Enabled: aws.Bool(false)},
			})
			if err != nil {
				t.Fatal(err)
			}
		}, []string{"TTL is off", "-> turn TTL on for the attribute ttl (aws_dynamodb_table's ttl block)"}},
		{"no permission for the rule", func(t *testing.T) {
			statement := g.Resources()["aws_lambda_permission.five_minutes"]["statement_id"].(string)
			if _, err := functions.RemovePermission(t.Context(), &lambda.RemovePermissionInput{FunctionName: &function, StatementId: &statement}); err != nil {
				t.Fatal(err)
			}
		}, []string{"the rule of bucket 5min may not invoke it", `-> aws_lambda_permission with principal = "events.amazonaws.com" and source_arn = "arn:aws:events:`}},
		{"another architecture", func(t *testing.T) {
			other := slices.DeleteFunc(bundle.Architectures(), func(a string) bool { return a == acctest.Architecture() })
			code("bootstrap", unzipped(t, acctest.Package(t, other[0])))
		}, []string{"asked to explain a signal, it fails: Runtime.InvalidEntrypoint", "-> its package is for another architecture: take architectures and package from one availability_runtime_package"}},
		{
			"another file than the handler's", func(*testing.T) { code("main", unzipped(t, g.function())) },
			[]string{"asked to explain a signal, it fails: Runtime.InvalidEntrypoint", "-> its package must have the program at its top, executable, as a file named bootstrap"},
		},
	} {
		t.Run(mistake.name, func(t *testing.T) {
			mistake.make(t)
			doctor.t = t
			doctor.says(1, mistake.says...)
		})
	}
	doctor.t, doctor.table = t, "no-such-table"
	doctor.says(1, "table not found", "Is it the right account, region and table? See -profile, -region and -table")

	g.spoil("providers.tf", `time_zone  = "America/Vancouver"`, `region = "us-east-1"`)
	g.told(1, `The function is in region ca-central-1, but the provider's region, in which the rule is, is us-east-1: a rule calls functions of its own region only. Correct the ARN or the provider's region.`, "plan")
	g.take()
}

// doctor is the operators' command, called as the guide calls it.
type doctor struct {
	t          *testing.T
	dir, table string
}

func newDoctor(t *testing.T, table string) *doctor {
	t.Helper()
	d := &doctor{t, t.TempDir(), table}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(d.dir, "operator"), "../../../runtime/cmd/operator").CombinedOutput(); err != nil {
		t.Fatalf("build the operators' command: %v\n%s", err, out)
	}
	return d
}

func (d *doctor) says(code int, parts ...string) {
	d.t.Helper()
	cmd := exec.CommandContext(d.t.Context(), "sh", filepath.Join(examples, "getting-started", "doctor.sh"))
	cmd.Env = append(cmd.Environ(), "TABLE="+d.table, "PATH="+d.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		d.t.Errorf("the doctor ends with %v, want %d:\n%s", err, code, out)
	}
	for _, part := range parts {
		if !strings.Contains(string(out), part) {
			d.t.Errorf("the doctor does not say %q:\n%s", part, out)
		}
	}
}

// zipped is a package whose only file is a program.
func zipped(t *testing.T, name string, program []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	header := &zip.FileHeader{Name: name, Method: zip.Store}
	header.SetMode(0o755)
	w, err := z.CreateHeader(header)
	if err == nil {
		_, err = w.Write(program)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unzipped is the program of a package.
func unzipped(t *testing.T, archive []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open(bundle.Handler)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
