package source_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

func TestUnits_onDynamoDB(t *testing.T) {
	db := awstest.DynamoDB(t)
	table := awstest.Table(t, db, awstest.NoIndex)
	put := func(pk, sk, status string) {
		_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: map[string]types.AttributeValue{
			"pk": text(pk), "sk": text(sk), "allocationStatus": text(status),
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	const partition = "inventory::mockPark1::backcountryCamp::1::2::2026-07-01"
	for sk, status := range map[string]string{"1": "available", "2": "held", "3": "available", "4": "retired", "5": "reserved", "6": "releasing"} {
		put(partition, sk, status)
	}
	// Others that must not count.
	put(partition+"0", "1", "available")
	put("inventory::mockPark1::backcountryCamp::1::2::2026-07-02", "1", "available")

	units := source.NewUnits(dynamo.NewStore(db, table), source.DefaultUnitLayout())
	for d, want := range map[signal.ProductDate]signal.Estimate{
		july1:  {Available: 2, Capacity: 5},
		day(1): {Available: 1, Capacity: 1},
		day(2): {NoInventory: true},
	} {
		if got, err := units.Estimate(t.Context(), d); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", d, got, err, want)
		}
	}
}

// deploy builds the function of testdata and creates it on the local AWS.
func deploy(t *testing.T) (name string, endpoint *url.URL, credentials aws.CredentialsProvider) {
	t.Helper()
	awstest.DynamoDB(t) // For its rules about where tests may run.
	if engine := os.Getenv("AVAILABILITY_LOCAL_ENGINE"); engine == "moto" {
		t.Skip("it runs no Go functions")
	}
	path := filepath.Join(t.TempDir(), "bootstrap")
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "lambda.norpc,nethttpomithttp2", "-o", path, "./testdata/function")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	archive := zip.NewWriter(&zipped)
	header := &zip.FileHeader{Name: "bootstrap", Method: zip.Deflate}
	header.SetMode(0o755)
	file, err := archive.CreateHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.Write(binary)
	if err := errors.Join(err, archive.Close()); err != nil {
		t.Fatal(err)
	}

	url, err := url.Parse(os.Getenv("AWS_ENDPOINT_URL"))
	if err != nil {
		t.Fatal(err)
	}
	provider := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY")}, nil
	})
	client := lambda.New(lambda.Options{Region: os.Getenv("AWS_REGION"), BaseEndpoint: aws.String(url.String()), Credentials: provider})
	name = "availability-test-" + rand.Text()
	architecture := lambdatypes.ArchitectureX8664
	if runtime.GOARCH == "arm64" {
		architecture = lambdatypes.ArchitectureArm64
	}
	_, err = client.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: &name, Runtime: lambdatypes.RuntimeProvidedal2023, Handler: aws.String("bootstrap"),
		Role: aws.String("arn:aws:iam::000000000000:role/availability-test"), Timeout: aws.Int32(30),
		Architectures: []lambdatypes.Architecture{architecture}, Code: &lambdatypes.FunctionCode{ZipFile: zipped.Bytes()},
	})
	if err != nil {
		t.Fatalf("create function: %v", err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		if _, err := client.DeleteFunction(context.Background(), &lambda.DeleteFunctionInput{FunctionName: &name}); err != nil {
			t.Errorf("delete function: %v", err)
		}
	})
	_, err = client.PublishVersion(t.Context(), &lambda.PublishVersionInput{FunctionName: &name})
	if err != nil {
		t.Fatalf("publish version: %v", err)
	}
	return name, url, provider
}

func TestLambda_onARealFunction(t *testing.T) {
	name, endpoint, credentials := deploy(t)
	of := func(f source.FunctionRef) *source.Batches {
		l := source.NewLambda(f, os.Getenv("AWS_REGION"), endpoint, credentials, network(t))
		return source.NewBatches(l, source.Batching{Size: 10, Linger: 50 * time.Millisecond, Concurrency: 2})
	}
	ask := func(s *source.Batches, products ...string) map[string]outcome {
		var mu sync.Mutex
		var group sync.WaitGroup
		outcomes := map[string]outcome{}
		for _, p := range products {
			group.Go(func() {
				d := july1
				d.ProductID = p
				e, err := s.Estimate(t.Context(), d)
				mu.Lock()
				defer mu.Unlock()
				outcomes[p] = outcome{estimate: e, err: err}
			})
		}
		group.Wait()
		return outcomes
	}
	wantError := func(o outcome, want string, item bool) {
		t.Helper()
		if _, ok := errors.AsType[*source.ItemError](o.err); o.err == nil || ok != item || errors.Is(o.err, source.ErrShared) || !strings.Contains(o.err.Error(), want) {
			t.Errorf(" got %v\nwant %s", o.err, want)
		}
	}

	latest := function(t, name, "")
	got := ask(of(latest), "a", "b", "none", "broken", "forgotten")
	// It answers with the size of the batch.
	if e := got["a"].estimate; got["a"].err != nil || e.Capacity != 100 || e.Available < 2 {
		t.Errorf("%+v, want it estimated in a batch", got["a"])
	}
	if !got["none"].estimate.NoInventory {
		t.Errorf("none: %+v", got["none"])
	}
	wantError(got["broken"], `the source answers "broken as ordered"`, true)
	wantError(got["forgotten"], "the source did not answer for it", false)

	// Each bad one is found, and the others are estimated.
	got = ask(of(latest), "a", "b", "c", "poison-1", "d", "e", "huge")
	for p, o := range got {
		if len(p) == 1 && (o.err != nil || o.estimate.Capacity != 100) {
			t.Errorf("%s: %+v", p, o)
		}
	}
	wantError(got["poison-1"], `message "poisoned by poison-1"`, false)
	if got["huge"].err == nil {
		t.Error("an answer above Lambda's limit was taken")
	}

	if got := ask(of(function(t, name, "1")), "a"); got["a"].err != nil {
		t.Errorf("version 1: %v", got["a"].err)
	}
	if got := ask(of(function(t, name+"-other", "")), "a"); got["a"].err == nil || !strings.Contains(got["a"].err.Error(), "404 Not Found") {
		t.Errorf("a function that is not there: %v", got["a"].err)
	}
}
