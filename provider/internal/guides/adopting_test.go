package guides_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/examples/guides/adopting"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A platform that knows nothing of signals gets them by its table's stream, and they
// are right.
func adoptingBeside(t *testing.T, g *guide) {
	local(t)
	table, platform := acctest.Table(t), acctest.Name("platform")
	acctest.PlatformTable(t, &dynamodb.CreateTableInput{
		TableName:           &platform,
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeKeysOnly},
	})
	store := dynamo.NewStore(acctest.DynamoDB(t), platform)
	put := func(pk, sk string, item signal.Item) {
		t.Helper()
		item["pk"], item["sk"] = signal.S(pk), signal.S(sk)
		if _, err := store.Write(t.Context(), protocol.Write{Op: "put", Kind: protocol.Put, Key: signal.Key{PK: pk, SK: sk}, Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	put("product::mockPark1::backcountryCamp::1", "1", signal.Item{"schema": signal.S("product"), "timezone": signal.S("America/Vancouver")})
	for _, date := range []string{"2090-07-01", "2090-07-02", "2090-07-03"} {
		put("productDate::mockPark1::backcountryCamp::1::1", date, signal.Item{
			"schema": signal.S("productDate"),
			"availabilityEstimationPattern": signal.M(map[string]signal.Value{
				"estimationMode": signal.S("exact"), "cadence": signal.M(map[string]signal.Value{"minutes": signal.N(5)}),
			}),
		})
		pool(t, platform, date, 20, 60)
	}
	c := &commands{
		t: t, dir: t.TempDir(), table: table, operator: operatorCommand(t),
		function: newFunction(t, g, map[string]string{"AVAILABILITY_TABLE_NAME": table, "AVAILABILITY_INVENTORY_TABLE_NAME": platform}),
	}
	arn, err := acctest.Lambda(t).GetFunctionConfiguration(t.Context(), &lambda.GetFunctionConfigurationInput{FunctionName: &c.function})
	if err != nil {
		t.Fatal(err)
	}
	g.take()
	g.set(map[string]any{"table_name": table, "function_arn": *arn.FunctionArn})
	g.Init()
	g.apply()

	c.says(1, "the rule of bucket 5min may not invoke it", "doctor", "-table", table, "-inventory-table", platform)

	c.run(0, "adopting", "plan.sh")
	if n := len(signals(t, table, campPK)); n > 0 {
		t.Fatalf("the dry run has seeded %d", n)
	}
	c.run(0, "adopting", "seed.sh")
	tick(t, c.function, onlyInput(t, "availability-"+table+"-5min"))
	c.run(0, "adopting", "audit.sh")
	c.holdValue("2090-07-03", "20")

	stream := &guide{Workspace: g.ws.Beside(t), t: t, name: "stream", ws: g.ws, function: g.function}
	stream.take()
	stream.set(map[string]any{"function_name": c.function, "platform_table_name": platform})
	stream.Init()
	stream.Run(0, "apply", "-auto-approve", "-no-color")
	pool(t, platform, "2090-07-02", 19, 60)
	// The stream tells of all since its beginning, so that there are flips before the
	// booking's, and may be after it.
	await(t, "a booking shows", func() bool {
		tick(t, c.function, onlyInput(t, "availability-"+table+"-5min"))
		is := signals(t, table, campPK)["2090-07-02"]
		return is.Text("value") == "19" && is.Text("gsisk") == "clean"
	})

	// The way back: nothing of it was the platform's.
	stream.destroy()
	if out := c.python("leaving", "delete_signals.py", table); out == "" {
		t.Error("nothing said")
	}
	if n := len(signals(t, table, campPK)); n > 0 {
		t.Errorf("%d signals are left", n)
	}
	g.destroy()
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// The calendar is there with the flag and without, and whatever signals say.
func TestAdopting_calendar(t *testing.T) {
	t.Parallel()
	table := acctest.Table(t)
	client := acctest.DynamoDB(t)
	store := dynamo.NewStore(client, table)
	now := time.Now()
	put := func(key signal.Key, item signal.Item) {
		t.Helper()
		item["pk"], item["sk"] = signal.S(key.PK), signal.S(key.SK)
		if _, err := store.Write(t.Context(), protocol.Write{Op: "put", Kind: protocol.Put, Key: key, Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	bucket := signal.Bucket{Name: "5min", Cadence: signal.Cadence{Minutes: 5}, ScheduleExpression: "rate(5 minutes)", Shards: 1, Enabled: true, Checks: signal.DefaultChecks(), GlobalID: "x"}
	if err := dynamo.NewRegistry(store).Create(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	put(signal.RunKey("5min"), signal.Item{"startedAt": signal.S(signal.FormatInstant(now)), "lastRunAt": signal.S(signal.FormatInstant(now))})
	clean := func(value string) signal.Item {
		item := signal.Item{"schema": signal.S("availabilitySignal"), "gsipk": signal.S("cadenceBucket::5min"), "gsisk": signal.S("clean"), "lastUpdatedAt": signal.S(signal.FormatInstant(now))}
		if value != "" {
			item["value"] = signal.S(value)
		}
		return item
	}
	put(first.Key(), clean("7"))
	put(signal.ProductDate{Product: camp, Date: first.Date.AddDays(1)}.Key(), clean(""))

	enabled := false
	calendar := adopting.Calendar{
		Count:   func(context.Context, signal.Product, signal.Date) (string, error) { return "counted", nil },
		Signals: read.New(client, table), Enabled: func() bool { return enabled },
	}
	for _, tt := range []struct {
		enabled bool
		signals *read.Reader
		want    []string
	}{
		{false, calendar.Signals, []string{"counted", "counted", "counted"}},
		{true, calendar.Signals, []string{"7", "counted", "counted"}},
		{true, read.New(client, "no-such-table"), []string{"counted", "counted", "counted"}},
	} {
		enabled, calendar.Signals = tt.enabled, tt.signals
		values, err := calendar.Show(t.Context(), camp, first.Date, first.Date.AddDays(2))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for day := range 3 {
			got = append(got, values[first.Date.AddDays(day)])
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("enabled %t (-want +got):\n%s", tt.enabled, diff)
		}
	}
}
