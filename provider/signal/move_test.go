package signal_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// moved is a state of aws_dynamodb_table_item.
func moved(table, item string) acctest.Source {
	return acctest.Source{
		Provider: "registry.terraform.io/hashicorp/aws", Type: "aws_dynamodb_table_item",
		State: map[string]any{"table_name": table, "hash_key": "pk", "range_key": "sk", "item": item, "id": "whatever", "region": "ca-central-1"},
	}
}

const wholeItem = `{
  "pk": {"S": "availabilitySignal::mockPark1::backcountryCamp::1::1"}, "sk": {"S": "2090-07-01"}, "schema": {"S": "availabilitySignal"},
  "gsipk": {"S": "cadenceBucket::15min::3"}, "gsisk": {"S": "dirty"}, "rev": {"N": "7"}, "value": {"S": "high"}, "claimedBy": {"S": "run"},
  "globalId": {"S": "c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b"}, "seededBy": {"S": "terraform:c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b"},
  "expiry": {"S": "2090-07-02T07:00:00.000Z"}, "ttl": {"N": "3802662000"}, "note": {"SS": ["the application's"]},
  "availabilityEstimationPattern": {"M": {"estimationMode": {"S": "tiered"}, "cadence": {"M": {"minutes": {"N": "15"}}},
    "tiers": {"L": [{"M": {"id": {"S": "none left"}, "maxPercentage": {"N": "0"}}}, {"M": {"id": {"S": "some"}, "label": {"S": "Some"}, "maxPercentage": {"N": "1"}}}]}}}
}`

// A table item's state is enough for a signal's, whatever it has, and before the
// provider has been configured.
func TestSignal_movesFromTheStateAlone(t *testing.T) {
	t.Parallel()
	key := acctest.Config{
		"table_name": "reservations", "collection_id": "mockPark1", "activity_type": "backcountryCamp", "activity_id": "1", "product_id": "1", "date": "2090-07-01",
	}
	with := func(more acctest.Config) acctest.Config {
		all := maps.Clone(key)
		maps.Copy(all, more)
		return all
	}
	tests := map[string]struct {
		item string
		want acctest.Config
	}{
		"all": {wholeItem, acctest.Config{
			"cadence_bucket": "15min", "expiry": "2090-07-02T07:00:00.000Z", "global_id": "c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b", "needs_repair": []any{},
			"availability_estimation_pattern": pattern("tiered", tier("none left", 0), acctest.Config{"id": "some", "label": "Some", "max_percentage": 1}),
		}},
		"as little as there can be": {
			`{"pk": {"S": "availabilitySignal::mockPark1::backcountryCamp::1::1"}, "sk": {"S": "2090-07-01"}, "schema": {"S": "availabilitySignal"}}`,
			acctest.Config{"needs_repair": []any{"globalId", "seededBy"}},
		},
		"as in use, and with odd values": {
			`{"pk": {"S": "availabilitySignal::mockPark1::backcountryCamp::1::1"}, "sk": {"S": "2090-07-01"}, "schema": {"S": "availabilitySignal"},
			  "gsipk": {"S": "another index's"}, "globalId": {"S": "c7e8"}, "expiry": {"S": "2090-07-02T07:00:00.000Z"}, "ttl": {"S": "3802662000"},
			  "availabilityEstimationPattern": {"M": {"estimationMode": {"S": "exact"}, "cadence": {"S": "5min"}}}, "value": {"NULL": true}, "held": {"BOOL": false}}`,
			acctest.Config{
				"expiry": "2090-07-02T07:00:00.000Z", "global_id": "c7e8", "needs_repair": []any{"seededBy", "ttl"},
				"availability_estimation_pattern": pattern("exact"),
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := acctest.NewOfflineDriver(t, signalType)
			holdErrors(t, d.Move(moved("reservations", tt.item)))
			if diff := cmp.Diff(with(tt.want), d.State()); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
			holdIdentity(t, d, "the move", key)
		})
	}
	// OpenTofu's registry, or a mirror.
	source := moved("reservations", wholeItem)
	source.Provider = "registry.opentofu.org/hashicorp/aws"
	d := acctest.NewOfflineDriver(t, signalType)
	holdErrors(t, d.Move(source))
}

// Whatever stands in the state of a table item: it is refused, or read as the signal at
// its key.
func FuzzMove(f *testing.F) {
	f.Add("reservations", wholeItem)
	f.Add("reservations", `{"pk": {"S": "availabilitySignal::a::b::c::d"}, "sk": {"S": "2090-07-01"}, "schema": {"S": "availabilitySignal"}, "ttl": {"N": "x"}}`)
	f.Add("", `{"pk": {"S": "availabilitySignal::a::b::c::d"}, "sk": {"N": "1"}, "availabilityEstimationPattern": {"M": {"tiers": {"L": [{"M": {}}, {"N": ""}]}}}}`)
	f.Add("reservations", `null`)
	f.Fuzz(func(t *testing.T, table, item string) {
		// A state has no other text.
		if !utf8.ValidString(table) || !utf8.ValidString(item) {
			return
		}
		d := acctest.NewOfflineDriver(t, signalType)
		errs := d.Move(moved(table, item))
		if len(errs) > 0 {
			if d.State() != nil || len(errs) > 1 {
				t.Errorf("there is %v, and %q", d.State(), errs)
			}
			return
		}
		key := fmt.Sprintf("availabilitySignal::%s::%s::%s::%s", text(d, "collection_id"), text(d, "activity_type"), text(d, "activity_id"), text(d, "product_id"))
		pk, err := json.Marshal(key)
		if err != nil {
			t.Fatal(err)
		}
		least := fmt.Sprintf(`{"pk": {"S": %s}, "sk": {"S": %q}, "schema": {"S": "availabilitySignal"}}`, pk, text(d, "date"))
		again := acctest.NewOfflineDriver(t, signalType)
		holdErrors(t, again.Move(moved(table, least)))
		if diff := cmp.Diff(d.Identity(), again.Identity()); diff != "" || text(d, "table_name") != table {
			t.Errorf("%s is of table %q, and its key alone of another signal (-it +its key):\n%s", item, text(d, "table_name"), diff)
		}
	})
}

func TestSignal_movesNothingElse(t *testing.T) {
	t.Parallel()
	const advice = "\n\nThe state is as it was, and the item was not touched.\n\nTake back the moved block. Only a signal's item, in a table with the keys pk and sk, can be moved; many of them become one availability_signal_range by removed blocks and adopt_existing."
	const summary = "Unable to move aws_dynamodb_table_item to a signal: "
	item := func(pk, sk, schema string) acctest.Source {
		return moved("reservations", fmt.Sprintf(`{"pk": {"S": %q}, "sk": {"S": %q}, "schema": {"S": %q}}`, pk, sk, schema))
	}
	hash := moved("reservations", wholeItem)
	hash.State.(map[string]any)["range_key"] = nil
	const pk, date = "availabilitySignal::mockPark1::backcountryCamp::1::1", "2090-07-01"
	tests := map[string]struct {
		from acctest.Source
		want string
	}{
		"another schema":    {item(pk, date, "product"), `The item's schema is "product", not "availabilitySignal".`},
		"no schema":         {moved("reservations", `{"pk": {"S": "a"}}`), `The item's schema is "", not "availabilitySignal".`},
		"another key":       {item("product::1", date, "availabilitySignal"), `Invalid signal key "product::1": expected it to begin with "availabilitySignal::".`},
		"a single colon":    {item("availabilitySignal::mockPark1::backcountryCamp::1:1", date, "availabilitySignal"), `The parts of the item's key "availabilitySignal::mockPark1::backcountryCamp::1:1 2090-07-01" are not joined by "::".`},
		"no date":           {item(pk, "July", "availabilitySignal"), `Key "availabilitySignal::mockPark1::backcountryCamp::1::1 July": invalid date "July": expected a calendar date as YYYY-MM-DD, such as 2026-07-01.`},
		"other keys":        {hash, `Its table has the keys "pk" and "", not pk and sk.`},
		"no item":           {moved("reservations", ""), "The item in its state cannot be read."},
		"an item of no use": {moved("reservations", `{"pk": 5}`), "The item in its state cannot be read."},
		"null":              {acctest.Source{Provider: hash.Provider, Type: hash.Type}, `Its table has the keys "" and "", not pk and sk.`},
		"no state":          {acctest.Source{Provider: hash.Provider, Type: hash.Type, State: []int{}}, "Its state cannot be read."},
		"no table's name":   {moved("!", wholeItem), `Table name "!": expected the name of a table, not its ARN: 3 to 255 letters, digits, dots, hyphens and underscores.`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			holdErrors(t, acctest.NewOfflineDriver(t, signalType).Move(tt.from), summary+tt.want+advice)
		})
	}
	for _, from := range []acctest.Source{
		{Provider: "registry.terraform.io/hashicorp/aws", Type: "aws_dynamodb_table"},
		{Provider: "registry.terraform.io/someone/else", Type: "aws_dynamodb_table_item"},
	} {
		if errs := acctest.NewOfflineDriver(t, signalType).Move(from); len(errs) != 1 {
			t.Errorf("%v: %q", from, errs)
		}
	}
}

// itemConfig is a signal as the platform had it before: a table item of its own.
func itemConfig(name, count, date string) string {
	return fmt.Sprintf(`
resource "aws_dynamodb_table_item" %q {
  %s
  table_name = var.table
  hash_key   = "pk"
  range_key  = "sk"
  item = jsonencode({
    pk       = { S = "availabilitySignal::mockPark1::backcountryCamp::1::1" }
    sk       = { S = %s }
    schema   = { S = "availabilitySignal" }
    gsipk    = { S = "cadenceBucket::5min" }
    gsisk    = { S = "clean" }
    globalId = { S = %s }
    value    = { S = "12" }
    note     = { S = "the application's" }
    expiry   = { S = "${%s}T23:00:00.000Z" }
    availabilityEstimationPattern = { M = { estimationMode = { S = "exact" } } }
  })
}
`, name, count, date, `"id-${`+date+`}"`, date)
}

func TestSignal_movedFromTableItem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := fmt.Sprintf("variable \"table\" { default = %q }\n", w.table)
	signalConfig := minimalSignal(w.table, "")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: w.withStandIn(),
		Steps: []resource.TestStep{
			{Config: head + itemConfig("camp", "", `"2090-07-01"`)},
			{
				PreConfig: func() { w.check(1, "37") },
				Config:    head + signalConfig + "moved {\n  from = aws_dynamodb_table_item.camp\n  to   = availability_signal.test\n}\n",
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(address, tfjsonpath.New("global_id"), knownvalue.StringExact("id-2090-07-01")),
					priorValue(address, "needs_repair", []any{"seededBy", "ttl"}),
				}},
				Check: func(*terraform.State) error {
					item := w.item(1)
					for name, want := range map[string]string{
						"globalId": "id-2090-07-01", "seededBy": "terraform:id-2090-07-01", "value": "37", "note": "the application's",
						"gsisk": "dirty", "expiry": "2090-07-02T07:00:00.000Z",
					} {
						if item.Text(name) != want {
							return fmt.Errorf("%s is %q, want %q", name, item.Text(name), want)
						}
					}
					return nil
				},
			},
			{Config: head + signalConfig, PlanOnly: true},
		},
	})
}

// 180 table items, each a resource, become one range: they are forgotten, and
// adopted. Nothing is deleted and nothing is seeded, and the runtime goes on.
func TestRange_adoptsTableItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := fmt.Sprintf("variable \"table\" { default = %q }\n", w.table) + w.provider()
	season := rangeConfig("", "2090-07-01", "2090-12-27", exactIn5min+`
  adopt_existing = true
  lifecycle {
    postcondition {
      condition     = length(self.missing_dates) == 0
      error_message = "Dates are missing; apply again."
    }
  }
`)
	const removed = "removed {\n  from = aws_dynamodb_table_item.camp\n  lifecycle {\n    destroy = false\n  }\n}\n"
	var before map[string]signal.Item
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: w.withStandIn(),
		Steps: []resource.TestStep{
			{
				Config: head + itemConfig("camp", "count = 180", `formatdate("YYYY-MM-DD", timeadd("2090-07-01T00:00:00Z", "${24 * count.index}h"))`),
				Check: func(*terraform.State) error {
					before = w.items()
					return holdThere(w, "2090-07-01/2090-12-27")
				},
			},
			{
				// Without adopt_existing, nothing is taken.
				Config:      head + removed + rangeConfig("", "2090-07-01", "2090-12-27", exactIn5min),
				ExpectError: acctest.Text(`Table "` + w.table + `" already has items on 180 of its dates: 2090-07-01 has signal id-2090-07-01, which has no owner;`),
			},
			{
				PreConfig: func() {
					if diff := cmp.Diff(before, w.items()); diff != "" {
						t.Errorf("something was written:\n%s", diff)
					}
					w.check(1, "37")
				},
				Config: head + removed + season,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(rangeAddress, plancheck.ResourceActionCreate),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(rangeAddress, tfjsonpath.New("missing_dates"), texts()),
					statecheck.ExpectKnownValue(rangeAddress, tfjsonpath.New("drifted_dates"), texts()),
					statecheck.ExpectKnownValue(rangeAddress, tfjsonpath.New("dates"), knownvalue.Int64Exact(180)),
				},
				Check: func(s *terraform.State) error {
					id := s.RootModule().Resources[rangeAddress].Primary.Attributes["range_id"]
					for date, item := range w.items() {
						d, _ := signal.ParseDate(date)
						value := "12"
						if date == "2090-07-01" {
							value = "37"
						}
						for name, want := range map[string]string{
							"globalId": "id-" + date, "seededBy": "terraform:" + id, "value": value, "note": "the application's", "gsisk": "dirty",
							"expiry": d.AddDays(1).String() + "T07:00:00.000Z",
						} {
							if item.Text(name) != want {
								return fmt.Errorf("%s: %s is %q, want %q", date, name, item.Text(name), want)
							}
						}
					}
					return holdThere(w, "2090-07-01/2090-12-27")
				},
			},
			{Config: head + season, PlanOnly: true},
		},
		CheckDestroy: func(*terraform.State) error { return holdThere(w, "") },
	})
}
