package check_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// emitted are the metrics of a run's line.
func emitted(t *testing.T) (namespace string, names []string) {
	t.Helper()
	inWorld(t, func(w *world) {
		w.run()
		directives := w.logged("run")[0]["_aws"].(map[string]any)["CloudWatchMetrics"].([]any)
		directive := directives[0].(map[string]any)
		namespace, _ = directive["Namespace"].(string)
		for _, m := range directive["Metrics"].([]any) {
			names = append(names, m.(map[string]any)["Name"].(string))
		}
	})
	slices.Sort(names)
	return namespace, names
}

func observability(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../examples/observability", file))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// An alarm on a metric that nobody writes never goes off, and nobody notices.
func TestMetrics_alarms(t *testing.T) {
	namespace, names := emitted(t)
	var alarms []struct {
		Namespace, MetricName string
		Dimensions            []struct{ Name, Value string }
	}
	if err := json.Unmarshal(observability(t, "alarms.json"), &alarms); err != nil {
		t.Fatal(err)
	}
	var on []string
	for _, a := range alarms {
		if a.Namespace != namespace {
			continue
		}
		on = append(on, a.MetricName)
		if !slices.Contains(names, a.MetricName) {
			t.Errorf("there is an alarm on %s, which no run has", a.MetricName)
		}
		var dimensions []string
		for _, d := range a.Dimensions {
			dimensions = append(dimensions, d.Name+"="+d.Value)
		}
		if diff := cmp.Diff([]string{"bucket=cadenceBucket::${bucket}", "table=${table_name}"}, dimensions); diff != "" {
			t.Errorf("dimensions of the alarm on %s (-want +got):\n%s", a.MetricName, diff)
		}
	}
	if diff := cmp.Diff([]string{"oldestDirtyAgeSeconds", "durationMs", "mismatched", "quarantined"}, on); diff != "" {
		t.Errorf("alarms (-want +got):\n%s", diff)
	}
}

// The dashboard shows all that there is to see, and nothing that there is not.
func TestMetrics_dashboard(t *testing.T) {
	namespace, names := emitted(t)
	search := regexp.MustCompile(`SEARCH\('\{` + namespace + `,bucket,table\} MetricName=\\"(\w+)\\" table=\\"\$\{table_name\}\\"'`)
	var shown []string
	for _, m := range search.FindAllSubmatch(observability(t, "dashboard.json"), -1) {
		shown = append(shown, string(m[1]))
	}
	slices.Sort(shown)
	if diff := cmp.Diff(names, slices.Compact(shown)); diff != "" {
		t.Errorf("(-emitted +shown):\n%s", diff)
	}
}
