package main_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awslambda "github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// platform is a table with the bucket 5min.
type platform struct {
	*testing.T
	db    *dynamodb.Client
	store *dynamo.Store
}

func newPlatform(t *testing.T) *platform {
	t.Helper()
	p := &platform{T: t, db: awstest.DynamoDB(t)}
	p.store = dynamo.NewStore(p.db, awstest.Table(t, p.db, awstest.Included))
	err := dynamo.NewRegistry(p.store).Create(t.Context(), signal.Bucket{
		Name: "5min", Cadence: signal.Cadence{Minutes: 5}, ScheduleExpression: "rate(5 minutes)", Shards: 1, Enabled: true,
		Checks: signal.DefaultChecks(), GlobalID: rand.Text(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *platform) on(date string) signal.ProductDate {
	p.Helper()
	d, err := signal.ParseDate(date)
	if err != nil {
		p.Fatal(err)
	}
	return signal.ProductDate{Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}, Date: d}
}

func (p *platform) put(key signal.Key, item signal.Item) {
	p.Helper()
	item = item.Clone()
	item[signal.AttrPK], item[signal.AttrSK] = signal.S(key.PK), signal.S(key.SK)
	if _, err := p.store.Write(p.Context(), protocol.Write{Op: "put", Kind: protocol.Put, Key: key, Item: item}); err != nil {
		p.Fatal(err)
	}
}

// pool is what a date has left, of 20.
func (p *platform) pool(d signal.ProductDate, available int64) {
	p.Helper()
	p.put(signal.Key{PK: d.PoolPK(), SK: "loop"}, signal.Item{"availability": signal.N(available), "capacity": signal.N(20)})
}

// seed seeds a dirty signal and its pool.
func (p *platform) seed(date string, available int64) signal.ProductDate {
	p.Helper()
	d := p.on(date)
	p.pool(d, available)
	awstest.Seed(p, p.store, d, "5min", signal.Pattern{Mode: signal.Exact})
	return d
}

func (p *platform) item(d signal.ProductDate) signal.Item {
	p.Helper()
	item, err := p.store.Get(p.Context(), d.Key())
	if err != nil {
		p.Fatal(err)
	}
	return item
}

// deploy deploys the bootstrap, and returns the function's name.
func (p *platform) deploy(env map[string]string) string {
	p.Helper()
	cfg, err := config.LoadDefaultConfig(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	client, name := awslambda.NewFromConfig(cfg), "availability-test-"+rand.Text()
	architecture := types.ArchitectureX8664
	if runtime.GOARCH == "arm64" {
		architecture = types.ArchitectureArm64
	}
	_, err = client.CreateFunction(p.Context(), &awslambda.CreateFunctionInput{
		FunctionName: &name, Runtime: types.RuntimeProvidedal2023, Handler: aws.String("bootstrap"), Architectures: []types.Architecture{architecture},
		Code: &types.FunctionCode{ZipFile: p.bootstrap()}, Role: aws.String("arn:aws:iam::000000000000:role/" + name),
		Timeout: aws.Int32(60), Environment: &types.Environment{Variables: env},
	})
	if err != nil {
		p.Fatalf("create function: %v", err)
	}
	p.Cleanup(func() {
		// The test's own context has ended by now.
		if _, err := client.DeleteFunction(context.Background(), &awslambda.DeleteFunctionInput{FunctionName: &name}); err != nil {
			p.Errorf("delete function: %v", err)
		}
	})
	if err := awslambda.NewFunctionActiveV2Waiter(client).Wait(p.Context(), &awslambda.GetFunctionInput{FunctionName: &name}, time.Minute); err != nil {
		p.Fatalf("wait for function: %v", err)
	}
	return name
}

// bootstrap is the function's code, for this machine.
func (p *platform) bootstrap() []byte {
	p.Helper()
	path := filepath.Join(p.TempDir(), "bootstrap")
	cmd := exec.CommandContext(p.Context(), "go", "build", "-tags", "lambda.norpc,nethttpomithttp2", "-o", path, "../bootstrap")
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("build: %v\n%s", err, out)
	}
	code, err := os.ReadFile(path)
	if err != nil {
		p.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: "bootstrap", Method: zip.Store}
	h.SetMode(0o755)
	f, err := z.CreateHeader(h)
	if err == nil {
		_, err = f.Write(code)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		p.Fatal(err)
	}
	return b.Bytes()
}
