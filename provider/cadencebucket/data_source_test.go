package cadencebucket_test

import (
	"os"
	"strings"
	"testing"
	"time"

	ddbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/availability-signal/terraform-provider-availability/provider"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// What the table has of a bucket, with its last run.
func TestBucketData(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Date(2027, time.July, 1, 12, 0, 0, 0, time.UTC)
	d := made(t, bucketConfig(w, "5min", acctest.Config{"shards": 2}))
	cron := made(t, bucketConfig(w, "daytime", acctest.Config{"cadence": nil, "cron": "0/10 13-23 * * ? *", "enabled": false}))
	s := acctest.NewServer(t, acctest.Config{"table_name": w.table}, provider.WithClock(func() time.Time { return now }))
	read := func(name string) map[string]any {
		t.Helper()
		values, errs := s.Read(typeName, acctest.Config{"name": name})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		return values
	}
	checks := map[string]any{"concurrency": 32, "lease_seconds": 120, "max_attempts": 8, "write_budget": 200, "max_staleness_minutes": 1440}
	want := map[string]any{
		"name": "5min", "table_name": w.table, "bucket_id": "cadenceBucket::5min", "schedule_expression": "rate(5 minutes)",
		"cadence": map[string]any{"minutes": 5}, "rule_arn": d.State()["rule_arn"], "enabled": true, "shards": 2, "checks": checks, "stale": true,
	}
	if diff := cmp.Diff(want, read("5min")); diff != "" {
		t.Errorf("never run (-want +got):\n%s", diff)
	}
	for name, at := range map[string]string{"startedAt": "2027-07-01T11:50:00.000Z", "previousStartedAt": "2027-07-01T11:45:00.000Z", "lastRunAt": "2027-07-01T11:50:03.000Z"} {
		w.set("cadenceBucket::5min", "run", name, text(at))
	}
	w.set("cadenceBucket::5min", "run", "report", &ddbtypes.AttributeValueMemberM{Value: map[string]ddbtypes.AttributeValue{"cleaned": number("12"), "failed": number("0")}})
	want["stale"] = false
	want["last_run"] = map[string]any{
		"started_at": "2027-07-01T11:50:00.000Z", "previous_started_at": "2027-07-01T11:45:00.000Z", "ended_at": "2027-07-01T11:50:03.000Z",
		"counts": map[string]any{"cleaned": 12, "failed": 0},
	}
	if diff := cmp.Diff(want, read("5min")); diff != "" {
		t.Errorf("with a run (-want +got):\n%s", diff)
	}
	now = now.Add(time.Hour)
	if got := read("5min")["stale"]; got != true {
		t.Errorf("an hour later, stale is %v", got)
	}
	if got := read("daytime"); got["cron"] != "0/10 13-23 * * ? *" || got["cadence"] != nil || got["enabled"] != false {
		t.Errorf("by cron: %v", got)
	}
	holdDestroyed(t, w, d, "5min")
	holdDestroyed(t, w, cron, "daytime")
}

func TestBucketData_errors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tests := map[string]struct {
		settings, config acctest.Config
		want             string
	}{
		"not registered": {
			nil,
			acctest.Config{"table_name": w.table, "name": "9min"},
			`Unable to read cadence bucket "9min": There is none in table "` + w.table + "\".\n\nCorrect name or table_name, or make the bucket first, with a resource on which this data source depends.",
		},
		"bad name": {
			nil,
			acctest.Config{"table_name": w.table, "name": "9 min"},
			`name: Invalid cadence bucket: Invalid bucket name "9 min": expected 1 to 40 lower-case letters, digits and hyphens, beginning with a letter or digit, such as 5min.`,
		},
		"no table": {
			nil,
			acctest.Config{"name": "9min"},
			`table_name: Unable to read cadence bucket "9min": There is no table: neither table_name, nor the provider's, nor AVAILABILITY_TABLE_NAME is set.` + "\n\nSet table_name here or in the provider's configuration.",
		},
		"unknown settings": {
			acctest.Config{"region": acctest.Unknown{}},
			acctest.Config{"table_name": w.table, "name": "9min"},
			`Unable to read cadence bucket "9min": Settings of the provider are not known before the apply, and Terraform cannot put off reading a data source because of them.` + "\n\n" +
				"Set them to values that are known at plan, or make this data source depend on what they come from, by depends_on, so that it is read during the apply.",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := acctest.NewServer(t, tt.settings).Read(typeName, tt.config)
			holdErrors(t, errs, tt.want)
		})
	}
	_, errs := acctest.NewServer(t, nil).Read(typeName, acctest.Config{"table_name": "elsewhere", "name": "9min"})
	if len(errs) != 1 || !strings.HasPrefix(errs[0], `Unable to read cadence bucket "9min": There is no table "elsewhere" in this account and region.`) {
		t.Errorf("errors %q", errs)
	}
}

// The documentation's example applies.
func TestSeen13_dataSourceExampleApplies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := made(t, bucketConfig(w, "5min", nil))
	w.set("cadenceBucket::5min", "run", "startedAt", text("2027-07-01T11:50:00.000Z"))
	w.set("cadenceBucket::5min", "run", "report", &ddbtypes.AttributeValueMemberM{Value: map[string]ddbtypes.AttributeValue{"remaining": number("3")}})
	content, err := os.ReadFile("../../examples/data-sources/availability_cadence_bucket/data-source.tf")
	if err != nil {
		t.Fatal(err)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: string(content), ConfigVariables: config.Variables{"table_name": config.StringVariable(w.table)},
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("left_over", knownvalue.Int64Exact(3))},
		}},
	})
	holdDestroyed(t, w, d, "5min")
}
