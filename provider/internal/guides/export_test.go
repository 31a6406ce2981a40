package guides_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// platformItems are a platform's own, with what is seen in the wild: ids that are numbers,
// three shapes of a cadence, a single colon.
func platformItems() map[signal.Key]signal.Item {
	pattern := func(mode string, cadence signal.Value) signal.Value {
		return signal.M(map[string]signal.Value{"estimationMode": signal.S(mode), "cadence": cadence})
	}
	product := func(zone string, pattern signal.Value) signal.Item {
		return signal.Item{
			"schema": signal.S("product"), "activityId": signal.N(1), "timezone": signal.S(zone),
			"rangeStart": signal.S("2031-05-01"), "rangeEnd": signal.S("2031-05-03"), "availabilityEstimationPattern": pattern,
		}
	}
	pool := func(available, capacity int64) signal.Item {
		return signal.Item{"schema": signal.S("inventoryPool"), "availability": signal.N(available), "capacity": signal.N(capacity)}
	}
	return map[signal.Key]signal.Item{
		{PK: "product::park::camp::1", SK: "1"}:                        product("America/Vancouver", pattern("exact", signal.M(map[string]signal.Value{"minutes": signal.N(5)}))),
		{PK: "product::park::camp::1", SK: "2"}:                        product("America/Vancouver", pattern("tiered", signal.S("1h"))),
		{PK: "product::park::camp::1", SK: "3"}:                        product("UTC", pattern("exact", signal.M(map[string]signal.Value{"id": signal.S("30min"), "label": signal.S("Every 30 minutes")}))),
		{PK: "product::park::camp::1", SK: "without dates"}:            {"schema": signal.S("product")},
		{PK: "inventoryPool::park::camp::1::1::2031-05-01", SK: "a"}:   pool(20, 20),
		{PK: "inventoryPool::park::camp::1::1::2031-05-02", SK: "a"}:   pool(13, 20),
		{PK: "inventoryPool::park::camp::1::1::2031-05-02", SK: "b"}:   pool(0, 2),
		{PK: "inventoryPool::park::camp::1:3::2031-05-03", SK: "a"}:    pool(3, 4),
		{PK: "inventoryPool::park::camp::1::1::2031-06-01", SK: "a"}:   pool(0, 20), // out of its range
		{PK: "inventoryPool::park::camp::1::1::no date", SK: "a"}:      pool(1, 1),
		{PK: "availabilitySignal::park::camp::1::1", SK: "2031-05-01"}: {"schema": signal.S("availabilitySignal")},
	}
}

// What the commands export of a platform's table is a season that the demo takes, and
// the table is as it was.
func TestDemo_exportsATable(t *testing.T) {
	db, table := acctest.DynamoDB(t), acctest.Name("reservations")
	acctest.PlatformTable(t, &dynamodb.CreateTableInput{TableName: &table})
	store := dynamo.NewStore(db, table)
	for key, item := range platformItems() {
		item[signal.AttrPK], item[signal.AttrSK] = signal.S(key.PK), signal.S(key.SK)
		if _, err := store.Write(t.Context(), protocol.Write{Op: "put", Kind: protocol.Put, Key: key, Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	before := schemas(t, db, table)
	folder := filepath.Join(t.TempDir(), "season")
	// As the README calls it.
	cmd := exec.CommandContext(t.Context(), "examples/demo/export/export.sh")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "TABLE="+table, "DATA="+folder)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, part := range []string{"left out product product::park::camp::1 without dates: rangeStart", "left out pool inventoryPool::park::camp::1::1::no date a: ", "3 products, 9 dates, 3 bookings: make demo DATA=" + folder} {
		if !strings.Contains(string(said), part) {
			t.Errorf("it does not say %q:\n%s", part, said)
		}
	}
	got, err := season.Load(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	pools := map[string][]season.Pool{}
	buckets := map[string]string{}
	for _, p := range got.Products {
		pools[p.Product.String()], buckets[p.Product.String()] = p.Pools, p.Bucket+" "+p.Zone
	}
	if diff := cmp.Diff(map[string][]season.Pool{"park/camp/1/1": {{Asset: "a", Capacity: 20}, {Asset: "b", Capacity: 2}}, "park/camp/1/2": nil, "park/camp/1/3": {{Asset: "a", Capacity: 4}}}, pools); diff != "" {
		t.Errorf("pools (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"park/camp/1/1": "5min America/Vancouver", "park/camp/1/2": "1h America/Vancouver", "park/camp/1/3": "30min UTC"}, buckets); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
	taken := map[string]int64{}
	for _, b := range got.Morning {
		taken[got.ProductDate(b.Day).String()+" "+got.Products[b.Product].Pools[b.Pool].Asset] = b.Change
	}
	if diff := cmp.Diff(map[string]int64{"park/camp/1/1 2031-05-02 a": -7, "park/camp/1/1 2031-05-02 b": -2, "park/camp/1/3 2031-05-03 a": -1}, taken); diff != "" {
		t.Errorf("what is taken (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, schemas(t, db, table)); diff != "" {
		t.Errorf("the table has changed:\n%s", diff)
	}
}

// schemas are those of a table's items.
func schemas(t *testing.T, db *dynamodb.Client, table string) map[signal.Key]string {
	t.Helper()
	found := map[signal.Key]string{}
	for key, err := range dynamo.NewFinder(db, table).Keys(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		item, err := dynamo.NewStore(db, table).Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		found[key] = item.Text("schema")
	}
	return found
}
