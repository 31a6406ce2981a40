package signal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func (w *world) server(settings acctest.Config) *acctest.Server {
	w.t.Helper()
	all := acctest.Config{"table_name": w.table, "time_zone": "America/Vancouver"}
	for name, value := range settings {
		all[name] = value
	}
	return acctest.NewServer(w.t, all, w.option())
}

// product is a list block of the product's signals.
func product(more acctest.Config) acctest.Config {
	c := acctest.Config{"collection_id": "mockPark1", "activity_type": "backcountryCamp", "activity_id": "1", "product_id": "1"}
	for name, value := range more {
		c[name] = value
	}
	return c
}

func names(results []acctest.Listed) []string {
	var found []string
	for _, r := range results {
		found = append(found, strings.TrimPrefix(r.Name, "mockPark1/backcountryCamp/1/1 "))
	}
	return found
}

// A list is of what the resource can import, and each result imports.
func TestSignalList_listsWhatCanBeImported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.driver(signalType, nil)
	tiered := exactSignal(acctest.Config{"date": "2090-07-02", "cadence_bucket": "15min", "availability_estimation_pattern": pattern("tiered")})
	holdErrors(t, d.Apply(tiered))
	nobodys := another(4)
	delete(nobodys, "seededBy")
	w.put(nobodys)
	w.put(another(5))
	holdErrors(t, w.driver(rangeType, nil).Apply(exactRange(acctest.Config{"start_date": "2090-07-10", "end_date": "2090-07-12"})))
	w.put(signal.Item{"pk": signal.S(camp.PK()), "sk": signal.S("2090-07-06"), "schema": signal.S("note")})
	gone := another(7)
	delete(gone, "seededBy")
	gone["expiry"] = signal.S("2090-05-01T00:00:00.000Z")
	w.put(gone)
	s := w.server(nil)
	results, errs := s.List(signalType, product(nil), true, 0)
	holdErrors(t, errs)
	if diff := cmp.Diff([]string{"2090-07-02", "2090-07-04"}, names(results)); diff != "" {
		t.Fatalf("listed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(w.identity("date", "2090-07-02"), results[0].Identity); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(d.State(), results[0].Resource); diff != "" {
		t.Errorf("resource (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{"seededBy"}, results[1].Resource["needs_repair"]); diff != "" {
		t.Errorf("needs_repair (-want +got):\n%s", diff)
	}
	for _, r := range results {
		other := w.driver(signalType, nil)
		holdErrors(t, other.ImportIdentity(r.Identity))
		if diff := cmp.Diff(other.State(), r.Resource); diff != "" {
			t.Errorf("%s (-imported +listed):\n%s", r.Name, diff)
		}
	}
	results, _ = s.List(signalType, product(nil), false, 1)
	if len(results) != 1 || results[0].Resource != nil {
		t.Errorf("one without its resource: %v", results)
	}
	tests := []struct {
		config acctest.Config
		want   []string
	}{
		{product(acctest.Config{"start_date": "2090-07-03"}), []string{"2090-07-04"}},
		{product(acctest.Config{"end_date": "2090-07-03"}), []string{"2090-07-02"}},
		{product(acctest.Config{"start_date": "2090-07-03", "end_date": "2090-07-03"}), nil},
		{product(acctest.Config{"product_id": "2"}), nil},
		{product(acctest.Config{"table_name": w.table}), []string{"2090-07-02", "2090-07-04"}},
		{acctest.Config{"cadence_bucket": "5min"}, []string{"2090-07-04"}},
		{acctest.Config{"cadence_bucket": "15min", "state": "any"}, []string{"2090-07-02"}},
		{acctest.Config{"cadence_bucket": "15min", "state": "clean"}, []string{"2090-07-02"}},
		{acctest.Config{"cadence_bucket": "15min", "state": "dirty"}, nil},
		{acctest.Config{"cadence_bucket": "7min"}, nil},
	}
	for _, tt := range tests {
		results, errs := s.List(signalType, tt.config, true, 0)
		holdErrors(t, errs)
		if diff := cmp.Diff(tt.want, names(results)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.config, diff)
		}
	}
	w.flip(2)
	if results, _ := s.List(signalType, acctest.Config{"cadence_bucket": "15min", "state": "dirty"}, false, 0); len(results) != 1 {
		t.Errorf("dirty: %v", names(results))
	}
}

func TestSignalList_validation(t *testing.T) {
	t.Parallel()
	s := acctest.NewOfflineServer(t)
	const invalid = "Invalid list of signals: "
	unknown := acctest.Unknown{}
	tests := map[string]struct {
		config acctest.Config
		want   string
	}{
		"nothing":            {acctest.Config{}, invalid + "Give collection_id, activity_type, activity_id and product_id for the signals of a product, or cadence_bucket for those of a bucket."},
		"both":               {product(acctest.Config{"cadence_bucket": "5min"}), "cadence_bucket: " + invalid + "A list is of a product, with its dates, or of a cadence_bucket. Give only one of them."},
		"a bucket, dates":    {acctest.Config{"cadence_bucket": "5min", "start_date": "2090-07-01"}, "cadence_bucket: " + invalid + "A list is of a product, with its dates, or of a cadence_bucket. Give only one of them."},
		"three parts":        {product(acctest.Config{"product_id": nil}), "product_id: " + invalid + "A product has four parts: collection_id, activity_type, activity_id and product_id. Give all of them."},
		"a product, a state": {product(acctest.Config{"state": "dirty"}), "state: " + invalid + "Only a bucket's signals are listed by their state. Leave it out, or give a cadence_bucket."},
		"the wrong way":      {product(acctest.Config{"start_date": "2090-07-02", "end_date": "2090-07-01"}), "end_date: " + invalid + "The dates end on 2090-07-01, before they begin on 2090-07-02."},
		"no state":           {acctest.Config{"cadence_bucket": "5min", "state": "odd"}, `state: Invalid signal: State "odd": expected dirty, clean or any.`},
		"a part":             {product(acctest.Config{"product_id": ""}), `product_id: Invalid signal: The key part "" must not be empty.`},
		"a bucket's name":    {acctest.Config{"cadence_bucket": ""}, `cadence_bucket: Invalid signal: Invalid bucket name "": expected 1 to 40 lower-case letters, digits and hyphens, beginning with a letter or digit, such as 5min.`},
		"a date":             {product(acctest.Config{"start_date": "2090-13-01"}), `start_date: Invalid signal: Invalid date "2090-13-01": expected a calendar date as YYYY-MM-DD, such as 2026-07-01.`},
		"a table":            {product(acctest.Config{"table_name": "arn:aws"}), `table_name: Invalid signal: Table name "arn:aws": expected the name of a table, not its ARN: 3 to 255 letters, digits, dots, hyphens and underscores.`},
		"unknown ones":       {product(acctest.Config{"product_id": unknown, "start_date": unknown, "table_name": unknown}), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			holdErrors(t, s.ValidateList(signalType, tt.config), want...)
		})
	}
}

// An error is a result, after those that came before it: it is never lost, and
// neither are they.
func TestSignalList_errorsAreResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for day := 1; day <= 3; day++ {
		nobodys := another(day)
		delete(nobodys, "seededBy")
		w.put(nobodys)
	}
	slip := another(4)
	slip["pk"] = signal.S("availabilitySignal::mockPark1::backcountryCamp::1:1")
	slip["gsipk"] = signal.S("cadenceBucket::5min::3")
	delete(slip, "seededBy")
	w.put(slip)
	later := another(5)
	later["gsipk"] = signal.S("cadenceBucket::5min::7")
	delete(later, "seededBy")
	w.put(later)
	proxy := acctest.NewFaultProxy(t)
	settings := through(proxy)
	settings["max_retries"] = 0
	s := w.server(settings)
	hold := func(c acctest.Config, want []string, errs ...string) {
		t.Helper()
		results, invalid := s.List(signalType, c, true, 0)
		holdErrors(t, invalid)
		var found, failed []string
		for _, r := range results {
			failed = append(failed, r.Errors...)
			if len(r.Errors) == 0 {
				found = append(found, strings.TrimPrefix(r.Name, "mockPark1/backcountryCamp/1/1 "))
			}
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		holdErrors(t, failed, errs...)
	}
	ofBucket := acctest.Config{"cadence_bucket": "5min"}
	// One that cannot be managed is named, and the others follow.
	all := []string{"2090-07-01", "2090-07-02", "2090-07-03", "2090-07-05"}
	const odd = "Unable to list signals: Invalid signal key \"availabilitySignal::mockPark1::backcountryCamp::1:1 2090-07-04\": its parts are not joined by \"::\".\n\nNo resource can manage that signal. The others are listed.\n\nHave it seeded under a key whose parts are joined by \"::\"."
	hold(ofBucket, all, odd)
	denied := fmt.Sprintf("Unable to list signals: The credentials are not allowed to do this with table %q.\n\nAllow them the action that AWS names, or have the provider use others.\n\n", w.table)
	effect := acctest.Fail(400, "AccessDeniedException", "no")
	proxy.Set(acctest.Fault{Operation: "Query", Effect: effect})
	hold(product(nil), nil, denied+"DynamoDB answered Query with AccessDeniedException: no (request id injected)")
	hold(ofBucket, nil, denied+"DynamoDB answered Query with AccessDeniedException: no (request id injected)")
	proxy.Set(acctest.Fault{Operation: "GetItem", Call: 3, Effect: effect})
	hold(ofBucket, all[:2], denied+"DynamoDB answered GetItem with AccessDeniedException: no (request id injected)")
	proxy.Set()
	// Settings that are missing, or not known.
	s = acctest.NewServer(t, acctest.Config{"time_zone": "UTC"}, w.option())
	hold(product(nil), nil, "table_name: Unable to list signals: There is no table: neither table_name, nor the provider's, nor AVAILABILITY_TABLE_NAME is set.\n\nSet table_name here or in the provider's configuration.")
	for _, unset := range []acctest.Config{{"table_name": acctest.Unknown{}}, {"region": acctest.Unknown{}}} {
		s = w.server(unset)
		hold(product(nil), nil, "Unable to list signals: Settings of the provider are not known yet.\n\nSet them to values that are known without an apply.")
	}
}

// Who wants no more is asked for nothing more.
func TestSignalList_stopsAtItsLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for day := 1; day <= 20; day++ {
		nobodys := another(day)
		delete(nobodys, "seededBy")
		w.put(nobodys)
	}
	proxy := acctest.NewFaultProxy(t)
	s := w.server(through(proxy))
	results, errs := s.List(signalType, acctest.Config{"cadence_bucket": "5min"}, false, 5)
	holdErrors(t, errs)
	if n := calls(proxy, "GetItem"); len(results) != 5 || n != 5 {
		t.Errorf("%d results by %d reads", len(results), n)
	}
}
