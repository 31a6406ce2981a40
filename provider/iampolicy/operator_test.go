package iampolicy_test

import (
	"bytes"
	"context"
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
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// operator is the operators' command, whose calls go through a recorder.
type operator struct {
	t          *testing.T
	path, home string
	env        []string
}

func buildOperator(t *testing.T, r *recorder) operator {
	t.Helper()
	o := operator{t: t, home: t.TempDir()}
	o.path = filepath.Join(o.home, "operator")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", o.path, "../../runtime/cmd/operator").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	o.env = []string{"HOME=" + o.home, "AWS_EC2_METADATA_DISABLED=true", "AWS_ENDPOINT_URL=" + r.url}
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		o.env = append(o.env, name+"="+os.Getenv(name))
	}
	return o
}

// run returns what it prints; the exit code is not looked at.
func (o operator) run(args ...string) string {
	o.t.Helper()
	var out bytes.Buffer
	cmd := exec.CommandContext(o.t.Context(), o.path, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = o.home, o.env, &out, &out
	if err := cmd.Run(); cmd.ProcessState == nil {
		o.t.Fatal(err)
	}
	return out.String()
}

// deploy deploys the function, and returns its ARN.
func deploy(t *testing.T, name string, env map[string]string) string {
	t.Helper()
	client := acctest.Lambda(t)
	out, err := client.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: &name, Runtime: lambdatypes.RuntimeProvidedal2023, Handler: aws.String("bootstrap"),
		Architectures: []lambdatypes.Architecture{lambdatypes.Architecture(acctest.Architecture())},
		Code:          &lambdatypes.FunctionCode{ZipFile: acctest.Package(t, acctest.Architecture())},
		Role:          aws.String("arn:aws:iam::000000000000:role/availability"), Timeout: aws.Int32(60),
		Environment: &lambdatypes.Environment{Variables: env},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := client.DeleteFunction(context.WithoutCancel(t.Context()), &lambda.DeleteFunctionInput{FunctionName: &name}); err != nil {
			t.Error(err)
		}
	})
	return *out.FunctionArn
}

// The command's README says what the doctor needs: all of that, and nothing else.
func TestPolicy_doctor(t *testing.T) {
	t.Parallel()
	r, w := newRecorder(t), newWorld(t)
	platform, function := acctest.Name("reservations"), acctest.Name("availability")
	acctest.PlatformTable(t, &dynamodb.CreateTableInput{
		TableName:           &platform,
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeKeysOnly},
	})
	arn := deploy(t, function, map[string]string{"AVAILABILITY_TABLE_NAME": w.table, "AVAILABILITY_INVENTORY_TABLE_NAME": platform})
	tf := manage(t, r.settings(w.table))
	tf.apply(tf.bucket, bucketConfig(acctest.Config{"target": acctest.Config{"arn": arn}, "force_destroy": true}))
	w.seed(1, nil)
	o := buildOperator(t, r)
	r.take()

	said := o.run("doctor", "-table", w.table, "-inventory-table", platform)
	// Nobody is denied anything here, so that each call has been made.
	for _, unlike := range []string{"is denied", "could not be"} {
		if strings.Contains(said, unlike) || !strings.Contains(said, "permissions: all is well") {
			t.Errorf("the doctor says:\n%s", said)
		}
	}
	examined := r.take()
	holdMinimal(t, documented(t, map[string]string{"signals": w.table, "reservations": platform, "availability-signals": function}), examined)

	// A report reads no more than the doctor does.
	if said := o.run("report", "-table", w.table); !strings.HasPrefix(said, "availability.html") {
		t.Errorf("the report says:\n%s", said)
	}
	p := documented(t, map[string]string{"signals": w.table})
	reading := policy{Version: p.Version}
	for _, s := range p.Statement {
		if slices.Contains([]string{"ReadTable", "ReadBuckets", "ReadClock"}, s.Sid) {
			reading.Statement = append(reading.Statement, s)
		}
	}
	for _, q := range r.take() {
		if !reading.allows(q) {
			t.Errorf("a report is denied: %s", q)
		}
	}

	// What the function does is done with its own role.
	o.run("explain", "-function", function, "mockPark1/backcountryCamp/1/1/2090-07-01")
	if got := r.take(); len(got) != 1 || got[0].String() != (request{action: "lambda:InvokeFunction", resource: functionARN(function)}).String() {
		t.Errorf("a task of the function's takes %v", got)
	}
	if errs := tf.bucket.Destroy(); len(errs) > 0 {
		t.Error(errs)
	}
}

// documented is the policy of the README, for other tables and another function.
func documented(t *testing.T, names map[string]string) policy {
	t.Helper()
	readme, err := os.ReadFile("../../runtime/cmd/operator/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(readme), "```json\n")
	text, _, _ = strings.Cut(text, "```")
	var pairs []string
	for from, to := range names {
		for _, kind := range []string{":table/", ":function:"} {
			for _, end := range []string{`"`, `/`} {
				pairs = append(pairs, kind+from+end, kind+to+end)
			}
		}
	}
	return parsePolicy(t, strings.NewReplacer(pairs...).Replace(text))
}
