package guides_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/examples/guides/flipping"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// These are what the guide's commands name.
var (
	camp  = signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}
	first = signal.ProductDate{Product: camp, Date: signal.Date{Year: 2027, Month: time.July, Day: 1}}
)

// A flip is the same write in every language.
func TestFlipping_everyLanguage(t *testing.T) {
	t.Parallel()
	table := acctest.Table(t)
	client := acctest.DynamoDB(t)
	store := dynamo.NewStore(client, table)
	key := first.Key()
	languages := map[string]func(t *testing.T){
		"Python": func(t *testing.T) {
			python(t, `import boto3; from flip import flip; flip(boto3.resource("dynamodb").Table(args[0]), args[1], args[2])`, table, key.PK, key.SK)
		},
		"Go": func(t *testing.T) {
			flipping.Booked(t.Context(), flip.New(client, table), slog.New(slog.DiscardHandler), camp, first.Date)
		},
		"CLI": func(t *testing.T) {
			out, err := shell(t, "flip.sh", table).CombinedOutput()
			// It says so where there is no signal, and that is all right.
			if err != nil && !strings.Contains(string(out), "ConditionalCheckFailedException") {
				t.Fatalf("%v\n%s", err, out)
			}
		},
	}
	clean := signal.Item{
		"pk": signal.S(key.PK), "sk": signal.S(key.SK), "schema": signal.S("availabilitySignal"), "gsipk": signal.S("cadenceBucket::5min"),
		"gsisk": signal.S("clean"), "value": signal.S("37"), "rev": signal.N(3), "claimedRev": signal.N(3), "note": signal.S("the application's"),
	}
	claimed := signal.Item{"dirtySince": signal.S("2027-06-01T00:00:00.000Z"), "claimedBy": signal.S("a run"), "leaseUntil": signal.N(1)}
	for name, value := range clean {
		claimed[name] = value
	}
	claimed["gsisk"] = signal.S("dirty")
	for language, do := range languages {
		t.Run(language, func(t *testing.T) {
			for name, before := range map[string]signal.Item{"clean": clean, "claimed": claimed} {
				if _, err := store.Write(t.Context(), protocol.Write{Kind: protocol.Put, Key: key, Item: before}); err != nil {
					t.Fatal(err)
				}
				do(t)
				after, err := store.Get(t.Context(), key)
				if err != nil {
					t.Fatal(err)
				}
				since := after.Text("dirtySince")
				at, err := signal.ParseInstant(since)
				if err != nil || !regexp.MustCompile(`^.{19}\.\d{3}Z$`).MatchString(since) || name == "clean" && time.Since(at).Abs() > 10*time.Minute {
					t.Errorf("dirtySince is %q", since)
				}
				want, _ := protocol.Flip(key, at).Apply(before)
				// The SDKs may have repeated what had been applied.
				if after.Int("rev") > want.Int("rev") {
					want["rev"] = after["rev"]
				}
				if diff := cmp.Diff(want, after); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			if _, err := store.Write(t.Context(), protocol.Write{Kind: protocol.Delete, Key: key}); err != nil {
				t.Fatal(err)
			}
			do(t)
			if item, err := store.Get(t.Context(), key); err != nil || item != nil {
				t.Errorf("a signal that was not there is %v, %v", item, err)
			}
		})
	}
}

// Reading finds the same signals in every language.
func TestFlipping_readsInEveryLanguage(t *testing.T) {
	t.Parallel()
	table := acctest.Table(t)
	client := acctest.DynamoDB(t)
	store := dynamo.NewStore(client, table)
	for day := -1; day <= 31; day++ {
		key := signal.ProductDate{Product: camp, Date: first.Date.AddDays(day)}.Key()
		item := signal.Item{
			"pk": signal.S(key.PK), "sk": signal.S(key.SK), "schema": signal.S("availabilitySignal"), "gsipk": signal.S("cadenceBucket::5min"),
			"gsisk": signal.S("clean"), "value": signal.S(key.SK[8:]), "expiry": signal.S("2090-01-01T00:00:00.000Z"),
			"lastUpdatedAt": signal.S("2027-06-01T00:00:00.000Z"),
		}
		if _, err := store.Write(t.Context(), protocol.Write{Kind: protocol.Put, Key: key, Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for day := range 31 {
		date := first.Date.AddDays(day).String()
		want = append(want, date+" "+date[8:])
	}

	t.Run("Python", func(t *testing.T) {
		out := python(t, `import boto3; from read_range import read_range
for item in read_range(boto3.resource("dynamodb").Table(args[0]), *args[1:]): print(item["sk"], item["value"])`, table, camp.PK(), "2027-07-01", "2027-07-31")
		holdLines(t, want, out)
	})
	t.Run("Go", func(t *testing.T) {
		var out bytes.Buffer
		if err := flipping.Show(t.Context(), &out, read.New(client, table), camp, first.Date, first.Date.AddDays(30)); err != nil {
			t.Fatal(err)
		}
		// No bucket is registered, so that all of them are stale.
		holdLines(t, want, strings.ReplaceAll(out.String(), " as of 2027-06-01T00:00:00.000Z", ""))
	})
	t.Run("CLI", func(t *testing.T) {
		out, err := shell(t, "read_range.sh", table).Output()
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Items []map[string]struct{ S string }
		}
		if err := json.Unmarshal(out, &page); err != nil {
			t.Fatalf("%v:\n%s", err, out)
		}
		var got []string
		for _, item := range page.Items {
			got = append(got, item["sk"].S+" "+item["value"].S)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func holdLines(t *testing.T, want []string, out string) {
	t.Helper()
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(out), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// python runs a program beside the guide's modules, and returns what it prints.
func python(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", append([]string{"-B", "-c", "import sys; args = sys.argv[1:]\n" + program}, args...)...)
	cmd.Dir = "../../../examples/guides/flipping"
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: `make test` brings boto3\n%s", err, failure.String())
	}
	return string(out)
}

// shell is a command of the guide, for a table.
func shell(t *testing.T, file, table string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", file)
	cmd.Dir = "../../../examples/guides/flipping"
	cmd.Env = append(cmd.Environ(), "TABLE="+table)
	return cmd
}
