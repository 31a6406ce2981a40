// Package observability_test applies the example of alarms and a dashboard.
package observability_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

const example = "../../../examples/observability"

// alarm is what an alarm is, whoever makes it.
type alarm struct {
	AlarmName, AlarmDescription, Namespace, MetricName, Statistic, ComparisonOperator, TreatMissingData string
	Period, EvaluationPeriods, DatapointsToAlarm, Threshold                                             float64
	Dimensions                                                                                          map[string]string
	AlarmActions, OKActions                                                                             []string
	Severity                                                                                            string
}

// filled is a file of the example with names put in for its variables.
func filled(t *testing.T, file string, names map[string]string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(example, file))
	if err != nil {
		t.Fatal(err)
	}
	return os.Expand(string(text), func(name string) string {
		value, ok := names[name]
		if !ok {
			t.Errorf("%s has the variable %s", file, name)
		}
		return value
	})
}

// fromJSON are the alarms as the AWS CLI makes them.
func fromJSON(t *testing.T, text string) map[string]alarm {
	t.Helper()
	var list []struct {
		alarm
		Dimensions []struct{ Name, Value string }
		Tags       []struct{ Key, Value string }
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		t.Fatal(err)
	}
	alarms := map[string]alarm{}
	for _, a := range list {
		a.alarm.Dimensions = map[string]string{}
		for _, d := range a.Dimensions {
			a.alarm.Dimensions[d.Name] = d.Value
		}
		for _, tag := range a.Tags {
			a.Severity = tag.Value
		}
		alarms[a.AlarmName] = a.alarm
	}
	return alarms
}

// fromState are the alarms as Terraform has made them.
func fromState(t *testing.T, resources map[string]map[string]any) map[string]alarm {
	t.Helper()
	alarms := map[string]alarm{}
	for address, is := range resources {
		if !strings.HasPrefix(address, "aws_cloudwatch_metric_alarm.") {
			continue
		}
		text := func(name string) string { return fmt.Sprint(is[name]) }
		number := func(name string) float64 { n, _ := is[name].(float64); return n }
		list := func(name string) []string {
			var out []string
			for _, v := range is[name].([]any) {
				out = append(out, fmt.Sprint(v))
			}
			return out
		}
		a := alarm{
			AlarmName: text("alarm_name"), AlarmDescription: text("alarm_description"), Namespace: text("namespace"), MetricName: text("metric_name"),
			Statistic: text("statistic"), ComparisonOperator: text("comparison_operator"), TreatMissingData: text("treat_missing_data"),
			Period: number("period"), EvaluationPeriods: number("evaluation_periods"), DatapointsToAlarm: number("datapoints_to_alarm"), Threshold: number("threshold"),
			Dimensions: map[string]string{}, AlarmActions: list("alarm_actions"), OKActions: list("ok_actions"),
			Severity: fmt.Sprint(is["tags"].(map[string]any)["severity"]),
		}
		for name, value := range is["dimensions"].(map[string]any) {
			a.Dimensions[name] = fmt.Sprint(value)
		}
		alarms[a.AlarmName] = a
	}
	return alarms
}

// provider is a configuration of hashicorp/aws for the local AWS.
const provider = `
provider "aws" {
  region                      = "ca-central-1"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
  skip_region_validation      = true
  endpoints { cloudwatch = %q }
}
`

const variables = `
table_name             = "reservations"
function_name          = "availability-of-reservations"
buckets                = { "5min" = 300, "1h" = 3600 }
page_topic_arns        = ["arn:aws:sns:ca-central-1:000000000000:page"]
ticket_topic_arns      = ["arn:aws:sns:ca-central-1:000000000000:ticket"]
reads_stream           = true
dead_letter_queue_name = "dead-letters"
`

// planned are the attributes of the resources in the file "plan", by address.
func planned(t *testing.T, w *acctest.Workspace) map[string]map[string]any {
	t.Helper()
	out, err := w.Terraform("show", "-json", "plan").Output()
	if err != nil {
		t.Fatal(err)
	}
	var plan struct {
		Changes []struct {
			Address string `json:"address"`
			Mode    string `json:"mode"`
			Change  struct {
				After map[string]any `json:"after"`
			} `json:"change"`
		} `json:"resource_changes"`
	}
	if err := json.Unmarshal(out, &plan); err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]any{}
	for _, c := range plan.Changes {
		found[c.Address] = c.Change.After
	}
	return found
}

// What Terraform makes is what the JSON says, for the bucket that it is written for,
// and in proportion for one of another cadence.
func TestObservability_terraformMakesWhatTheJSONSays(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorkspace(t)
	endpoint := os.Getenv("AWS_ENDPOINT_URL")
	if endpoint == "" {
		t.Skip("its alarms are made on the local AWS")
	}
	names := map[string]string{
		"table_name": "reservations", "function_name": "availability-of-reservations", "dead_letter_queue_name": "dead-letters", "bucket": "5min", "region": "ca-central-1",
		"page_topic_arn": "arn:aws:sns:ca-central-1:000000000000:page", "ticket_topic_arn": "arn:aws:sns:ca-central-1:000000000000:ticket",
	}
	for _, file := range []string{"main.tf", "variables.tf", "alarms.json", "dashboard.json"} {
		text, err := os.ReadFile(filepath.Join(example, file))
		if err != nil {
			t.Fatal(err)
		}
		w.Write(file, string(text))
	}
	w.Write("provider.tf", fmt.Sprintf(provider, endpoint))
	w.Write("terraform.tfvars", variables)
	w.Init()
	// The plan: the local AWS keeps an alarm, and shows only a part of it.
	w.Run(0, "plan", "-out=plan", "-no-color")
	resources := planned(t, w)
	got, want := fromState(t, resources), fromJSON(t, filled(t, "alarms.json", names))
	hourly := map[string]struct{ period, threshold float64 }{
		"availability-reservations-1h-oldest-dirty": {3600, 3 * 3600}, "availability-reservations-1h-no-run": {3 * 3600, 1},
		"availability-reservations-1h-audit-mismatch": {3600, 0}, "availability-reservations-1h-quarantined": {3600, 0},
	}
	for name, wanted := range hourly {
		a := got[name]
		if a.Period != wanted.period || a.Threshold != wanted.threshold || a.Dimensions["bucket"] != "cadenceBucket::1h" {
			t.Errorf("%s is %+v", name, a)
		}
		delete(got, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("alarms (-json +terraform):\n%s", diff)
	}
	var wantBody, gotBody any
	if err := json.Unmarshal([]byte(filled(t, "dashboard.json", names)), &wantBody); err != nil {
		t.Fatal(err)
	}
	body, _ := resources["aws_cloudwatch_dashboard.this"]["dashboard_body"].(string)
	if err := json.Unmarshal([]byte(body), &gotBody); err != nil {
		t.Fatalf("dashboard %q: %v", body, err)
	}
	if diff := cmp.Diff(wantBody, gotBody); diff != "" {
		t.Errorf("dashboard (-json +terraform):\n%s", diff)
	}
	if out := w.Run(0, "apply", "-no-color", "plan"); !strings.Contains(out, "Resources: 11 added, 0 changed") {
		t.Errorf("want ten alarms and a dashboard:\n%s", out)
	}
}

// Two alarms call somebody; all others make a ticket.
func TestObservability_whoIsCalled(t *testing.T) {
	t.Parallel()
	severity := map[string][]string{}
	for _, a := range fromJSON(t, filled(t, "alarms.json", map[string]string{
		"table_name": "", "function_name": "", "dead_letter_queue_name": "", "bucket": "", "page_topic_arn": "page", "ticket_topic_arn": "ticket",
	})) {
		severity[a.Severity] = append(severity[a.Severity], a.MetricName+" "+a.TreatMissingData)
		if len(a.AlarmActions) != 1 || a.AlarmActions[0] != a.Severity {
			t.Errorf("%s is a %s and calls %v", a.MetricName, a.Severity, a.AlarmActions)
		}
	}
	wanted := map[string][]string{
		"page":   {"oldestDirtyAgeSeconds ignore", "durationMs breaching"},
		"ticket": {"mismatched notBreaching", "quarantined notBreaching", "IteratorAge notBreaching", "ApproximateNumberOfMessagesVisible notBreaching"},
	}
	sorted := cmp.Transformer("sorted", func(list []string) map[string]int {
		set := map[string]int{}
		for _, s := range list {
			set[s]++
		}
		return set
	})
	if diff := cmp.Diff(wanted, severity, sorted); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
