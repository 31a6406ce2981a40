package season_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// own is the season that comes with the demo.
func own(t *testing.T) *season.Season {
	t.Helper()
	s, err := season.Load(os.DirFS("../data"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const oneProduct = `{"products": [{
	"collectionId": "reef", "activityType": "dive", "activityId": 7, "productId": "1",
	"timezone": "Pacific/Kiritimati", "rangeStart": "2031-01-01", "rangeEnd": "2031-01-03",
	"availabilityEstimationPattern": {"estimationMode": "exact", "cadence": {"minutes": 60}},
	"pools": [{"asset": "boat", "capacity": 10}, {"asset": "pier", "capacity": 0}]
}]}`

const header = "second,product,day,pool,change\n"

// folder is a folder of these files; "" leaves one out.
func folder(products, morning, after string) fstest.MapFS {
	files := fstest.MapFS{}
	for name, text := range map[string]string{season.File: products, season.MorningFile: morning, season.AfterFile: after} {
		if text != "" {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return files
}

func load(t *testing.T, products, morning, after string) *season.Season {
	t.Helper()
	s, err := season.Load(folder(products, morning, after))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLoad_ownSeason(t *testing.T) {
	s := own(t)
	if len(s.Products) != 14 || len(s.Days()) != 2520 || len(s.After) != 2520 || s.Touched() != 1242 || len(s.Morning) != 6000 {
		t.Errorf("%d products, %d days, %d of them in after.json, %d touched by %d bookings",
			len(s.Products), len(s.Days()), len(s.After), s.Touched(), len(s.Morning))
	}
	if diff := cmp.Diff([]string{"5min", "15min", "30min"}, s.Buckets()); diff != "" {
		t.Error(diff)
	}
	if got := s.Lasts(); got < 19*time.Minute || got >= 20*time.Minute {
		t.Errorf("the morning lasts %v, not twenty minutes", got)
	}
}

// after.json is the folder's own word; the arithmetic of capacities and bookings
// must lead to the same.
func TestValues_ownMorningEndsAsAfterSays(t *testing.T) {
	s := own(t)
	if diff := cmp.Diff(s.After, s.Values(s.Closing())); diff != "" {
		t.Error(diff)
	}
}

func TestLoad_shapesOfOtherFolders(t *testing.T) {
	products := `{"products": [
		{"collectionId": "a", "activityType": "b", "activityId": 1, "productId": 2, "rangeStart": "2031-01-01", "rangeEnd": "2031-01-01",
		 "availabilityEstimationPattern": {"estimationMode": "tiered", "cadence": {"id": "15min", "label": "Every 15 minutes"}}},
		{"collectionId": "a", "activityType": "b", "activityId": "1", "productId": "3", "timezone": "Asia/Kathmandu", "rangeStart": "2031-01-01", "rangeEnd": "2031-12-31",
		 "availabilityEstimationPattern": {"estimationMode": "exact", "cadence": "2h"}, "pools": []},
		{"collectionId": "a", "activityType": "b", "activityId": "1", "productId": "4", "displayName": "Four", "rangeStart": "2031-02-01", "rangeEnd": "2031-02-28",
		 "availabilityEstimationPattern": {"estimationMode": "exact", "cadence": {"id": "slow", "days": 1}}, "pools": [{"asset": "x", "capacity": 0}]}
	]}`
	s := load(t, products, header, "")
	if diff := cmp.Diff([]string{"15min", "2h", "slow"}, s.Buckets()); diff != "" {
		t.Error(diff)
	}
	var days []int
	for _, p := range s.Products {
		days = append(days, p.Days())
	}
	if diff := cmp.Diff([]int{1, 365, 28}, days); diff != "" {
		t.Error(diff)
	}
	if p := s.Products[0]; p.Zone != "UTC" || p.Name != "a/b/1/2" {
		t.Errorf("zone %q, name %q", p.Zone, p.Name)
	}
	for d, v := range s.Values(s.Closing()) {
		if v != signal.None {
			t.Errorf("day %v has no inventory in service and the value %q", d, v)
		}
	}
	if s.After != nil {
		t.Error("there is no after.json")
	}
}

func TestLoad_saysWhatIsWrongAndWhere(t *testing.T) {
	product := func(old, now string) string {
		if !strings.Contains(oneProduct, old) {
			t.Fatalf("the product has no %s", old)
		}
		return strings.Replace(oneProduct, old, now, 1)
	}
	twice := strings.Replace(oneProduct, "}]\n}]}", "}]\n},"+strings.TrimPrefix(oneProduct, `{"products": [`), 1)
	tests := map[string]struct{ products, morning, after, want string }{
		"no season":           {"", header, "", "read season.json: open season.json: file does not exist"},
		"no morning":          {oneProduct, "", "", "read morning.csv: open morning.csv: file does not exist"},
		"broken":              {"{\n\"products\": [\n}", header, "", "season.json line 3: not valid JSON: invalid character '}' looking for beginning of value"},
		"cut off":             {"{\n\"products\": [", header, "", "season.json line 2: not valid JSON: unexpected EOF"},
		"a brace too many":    {"{}\n}", header, "", "season.json line 2: not valid JSON: something follows the end of the document"},
		"two documents":       {"{}\n{}", header, "", "season.json line 2: not valid JSON: something follows the end of the document"},
		"no object":           {"[]", header, "", "season.json: expected an object"},
		"no products":         {"{}", header, "", "season.json: products: expected a list"},
		"empty products":      {`{"products": []}`, header, "", "season.json: products: is empty: there is nothing to show"},
		"product of text":     {`{"products": ["x"]}`, header, "", "season.json: products[0]: expected an object"},
		"no part":             {product(`"collectionId": "reef", `, ``), header, "", "season.json: products[0].collectionId: expected text or a whole number"},
		"bad part":            {product(`"dive"`, `"dive::deep"`), header, "", `season.json: products[0].activityType: "dive::deep" must not contain "::", which separates the parts of a key`},
		"part of a fraction":  {product(`"activityId": 7`, `"activityId": 7.5`), header, "", "season.json: products[0].activityId: expected text or a whole number"},
		"no such date":        {product(`2031-01-01`, `2031-02-30`), header, "", `season.json: products[0].rangeStart: invalid date "2031-02-30": expected a calendar date as YYYY-MM-DD, such as 2026-07-01`},
		"end before start":    {product(`2031-01-03`, `2030-12-31`), header, "", "season.json: products[0].rangeEnd: 2030-12-31 is before rangeStart 2031-01-01"},
		"a slip of the year":  {product(`2031-01-03`, `2131-01-03`), header, "", "season.json: products[0].rangeEnd: 2131-01-03 is 36526 days after rangeStart 2031-01-01, more than the 3660 that a demo takes"},
		"unknown zone":        {product(`Pacific/Kiritimati`, `pacific/kiritimati`), header, "", "season.json: products[0].timezone: unknown time zone \"pacific/kiritimati\": did you mean Pacific/Kiritimati? (zone data " + signal.ZoneVersion() + ")"},
		"unknown mode":        {product(`"exact"`, `"guess"`), header, "", "season.json: products[0].availabilityEstimationPattern: invalid availability estimation pattern: its estimationMode is neither exact nor tiered"},
		"bad tiers":           {product(`"exact"`, `"tiered", "tiers": [{"id": "all", "maxPercentage": 0.5}]`), header, "", "season.json: products[0].availabilityEstimationPattern: tier 1 is the last and must have the bound 1"},
		"no pattern":          {product(`"availabilityEstimationPattern"`, `"pattern"`), header, "", "season.json: products[0].availabilityEstimationPattern: expected an object"},
		"no cadence":          {product(`, "cadence": {"minutes": 60}`, ``), header, "", `season.json: products[0].availabilityEstimationPattern.cadence: is missing: expected {"minutes": 5}, or hours or days`},
		"bad cadence":         {product(`{"minutes": 60}`, `{"minutes": 0}`), header, "", "season.json: products[0].availabilityEstimationPattern.cadence: read cadence: minutes must be a whole number of at least 1"},
		"cadence of years":    {product(`{"minutes": 60}`, `{"days": 366}`), header, "", "season.json: products[0].availabilityEstimationPattern.cadence: is more than the 365 days that a bucket takes"},
		"cadence by name":     {product(`{"minutes": 60}`, `"nightly"`), header, "", `season.json: products[0].availabilityEstimationPattern.cadence: bucket "nightly" does not say how often it is checked: expected minutes, hours or days beside its id`},
		"bad pools":           {product(`[{"asset": "boat", "capacity": 10}, {"asset": "pier", "capacity": 0}]`, `{}`), header, "", "season.json: products[0].pools: expected a list"},
		"no capacity":         {product(`, "capacity": 10`, ``), header, "", "season.json: products[0].pools[0].capacity: expected a whole number"},
		"negative capacity":   {product(`"capacity": 10`, `"capacity": -1`), header, "", "season.json: products[0].pools[0].capacity: -1: expected a whole number from 0 to 2147483647"},
		"capacity of text":    {product(`"capacity": 10`, `"capacity": "10"`), header, "", "season.json: products[0].pools[0].capacity: expected a whole number"},
		"pool twice":          {product(`"pier"`, `"boat"`), header, "", `season.json: products[0].pools[1].asset: "boat" is pools[0]'s already`},
		"product twice":       {twice, header, "", "season.json: products[1]: is reef/dive/7/1 again, which products[0] is already"},
		"one bucket, two":     {strings.Replace(strings.Replace(twice, `"reef"`, `"atoll"`, 1), `{"minutes": 60}`, `{"id": "1h", "minutes": 5}`, 1), header, "", `season.json: products[1].availabilityEstimationPattern.cadence: bucket "1h" is checked every 1h0m0s here and every 5m0s in products[0]`},
		"empty morning":       {oneProduct, "\n", "", "morning.csv: is empty: expected the header second,product,day,pool,change"},
		"other header":        {oneProduct, "a,b\n", "", "morning.csv line 1: expected the header second,product,day,pool,change"},
		"columns":             {oneProduct, header + "0,0,0,0\n", "", "morning.csv line 2: expected 5 columns, found 4"},
		"text for a number":   {oneProduct, header + "0,0,0,0,-1\n1,x,0,0,-1\n", "", `morning.csv line 3: product "x": expected a whole number`},
		"quotes":              {oneProduct, header + "0,0,0,0,-1\n1,\"0,0,0,-1\n", "", "read morning.csv: parse error on line 3, column 13: extraneous or missing \" in quoted-field"},
		"second":              {oneProduct, header + "90000,0,0,0,-1\n", "", "morning.csv line 2: second 90000: expected 0 to 86399"},
		"no such product":     {oneProduct, header + "0,1,0,0,-1\n", "", "morning.csv line 2: there is no product 1, only 0 to 0"},
		"no such day":         {oneProduct, header + "0,0,3,0,-1\n", "", "morning.csv line 2: product 0 has no day 3, only 0 to 2"},
		"no such pool":        {oneProduct, header + "0,0,2,2,-1\n", "", "morning.csv line 2: product 0 has no pool 2: it has 2, counted from 0"},
		"more than there is":  {oneProduct, header + "0,0,1,0,-6\n0,0,2,0,-6\n1,0,1,0,-5\n", "", "morning.csv line 4: change -5: pool 0 of product 0 has 4 of 10 left on day 1 at that moment"},
		"more than was taken": {oneProduct, header + "0,0,1,0,-6\n1,0,1,0,7\n", "", "morning.csv line 3: change 7: pool 0 of product 0 has 4 of 10 left on day 1 at that moment"},
		"after of a list":     {oneProduct, header, "[]", "after.json: expected an object of \"product/day\" and value"},
		"after's key":         {oneProduct, header, `{"0-0": "1"}`, "after.json: 0-0: expected a product's index, a slash and a day, such as 0/12"},
		"after's padded key":  {oneProduct, header, `{"0/00": "1"}`, "after.json: 0/00: expected a product's index, a slash and a day, such as 0/12"},
		"after's day":         {oneProduct, header, `{"0/9": "1"}`, "after.json: 0/9: product 0 has no day 9, only 0 to 2"},
		"after's value":       {oneProduct, header, `{"0/0": 1}`, "after.json: 0/0: expected text"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := season.Load(folder(tt.products, tt.morning, tt.after))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestLoad_morningIsInOrderOfTime(t *testing.T) {
	s := load(t, oneProduct, header+"5,0,0,0,-1\n2,0,0,0,-2\n5,0,1,0,-3\n", "")
	var changes []int64
	for _, b := range s.Morning {
		changes = append(changes, b.Change)
	}
	if diff := cmp.Diff([]int64{-2, -1, -3}, changes); diff != "" {
		t.Error(diff)
	}
}

// What Terraform reads is a folder's season.json again.
func TestDocument_isASeason(t *testing.T) {
	for name, s := range map[string]*season.Season{
		"own":     own(t),
		"id, 90m": load(t, strings.Replace(oneProduct, `{"minutes": 60}`, `{"id": "slow", "hours": 1, "minutes": 30}`, 1), header, ""),
	} {
		t.Run(name, func(t *testing.T) {
			s.Shift(signal.Date{Year: 2040, Month: time.May, Day: 1})
			doc, err := s.Document()
			if err != nil {
				t.Fatal(err)
			}
			again := load(t, string(doc), header, "")
			if diff := cmp.Diff(s.Products, again.Products, cmp.Comparer(func(a, b signal.Fraction) bool { return a == b })); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("text", func(t *testing.T) {
		doc, err := load(t, oneProduct, header, "").Document()
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		wanted := strings.NewReplacer(`"activityId": 7`, `"activityId": "7", "displayName": "reef/dive/7/1"`, `{"minutes": 60}`, `{"hours": 1}`).Replace(oneProduct)
		if err := json.Unmarshal(doc, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(wanted), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Some editors begin a file with a mark that nobody sees.
func TestLoad_byteOrderMark(t *testing.T) {
	const mark = "\ufeff"
	plain, marked := load(t, oneProduct, header, ""), load(t, mark+oneProduct, mark+header, "")
	if len(marked.Products) != len(plain.Products) || marked.Products[0].Product != plain.Products[0].Product {
		t.Errorf("with a mark the products are %v, without %v", marked.Products, plain.Products)
	}
}
