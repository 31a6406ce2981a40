package stream

import (
	"maps"
	"slices"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Summary is a plan as it is shown: what is done alike on consecutive dates is one
// line.
type Summary struct {
	// Applied is whether it was done; otherwise it was a dry run.
	Applied bool `json:"applied"`
	// Seen is how many products there were.
	Seen    int `json:"products"`
	Seeded  int `json:"seeded"`
	Updated int `json:"updated"`
	Adopted int `json:"adopted"`
	Deleted int `json:"deleted"`
	// Unchanged dates are as they should be; Left cannot be as they should, and
	// repeating does not help.
	Unchanged int `json:"unchanged"`
	Left      int `json:"left"`
	// Failed is how many dates and products could not be done; a repeat may.
	Failed int `json:"failed"`
	// Products are those with something to say, and Omitted how many more.
	Products   []ProductSummary `json:"changes,omitempty"`
	Omitted    int              `json:"omitted,omitempty"`
	Unreadable []string         `json:"unreadable,omitempty"`
}

// ProductSummary is what is done about a product.
type ProductSummary struct {
	Product  string `json:"product"`
	Zoneless bool   `json:"zoneless,omitempty"`
	Error    string `json:"error,omitempty"`
	Lines    []Line `json:"lines,omitempty"`
}

// Line is what is done on some consecutive dates.
type Line struct {
	Action Action `json:"action"`
	First  string `json:"first"`
	Last   string `json:"last"`
	Days   int    `json:"days"`
	Why    string `json:"why,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}

// Summary summarizes the plan. It names no more products than most, or all if that
// is 0.
func (p Plan) Summary(most int) Summary {
	s := Summary{Applied: p.Applied, Seen: p.Seen, Unchanged: p.Unchanged, Unreadable: p.Unreadable}
	var n Report
	for _, pp := range p.Products {
		if pp.Err != nil {
			s.Failed++
		}
		for _, st := range pp.Steps {
			switch {
			case st.Err != nil:
				s.Failed++
			case st.Action == Leave:
				n.Left++
			default:
				n.count(st.Action)
			}
		}
		if most > 0 && len(s.Products) == most {
			s.Omitted++
			continue
		}
		ps := ProductSummary{Product: pp.Product.String(), Zoneless: pp.Zoneless, Lines: pp.lines()}
		if pp.Err != nil {
			ps.Error = pp.Err.Error()
		}
		s.Products = append(s.Products, ps)
	}
	s.Seeded, s.Updated, s.Adopted, s.Deleted, s.Left = n.Seeded, n.Updated, n.Adopted, n.Deleted, n.Left
	return s
}

// lines joins what is done alike on consecutive dates, and are in order of the
// first of them.
func (pp ProductPlan) lines() []Line {
	type kind struct {
		action Action
		why    string
		failed bool
	}
	var kinds []kind
	dates := map[kind][]signal.Date{}
	for _, st := range pp.Steps {
		if st.Action == Nothing && st.Err == nil {
			continue
		}
		k := kind{st.Action, st.Reason, false}
		if st.Err != nil {
			k.why, k.failed = st.Err.Error(), true
		}
		if dates[k] == nil {
			kinds = append(kinds, k)
		}
		dates[k] = append(dates[k], st.Date)
	}
	// Dates of this form sort as text.
	byFirst := map[string][]Line{}
	for _, k := range kinds {
		slices.SortFunc(dates[k], signal.Date.Compare)
		for _, span := range dynamo.Spans(slices.Compact(dates[k])) {
			first := span.First.String()
			byFirst[first] = append(byFirst[first], Line{
				Action: k.action, First: first, Last: span.Last.String(), Days: span.Days(), Why: k.why, Failed: k.failed,
			})
		}
	}
	var lines []Line
	for _, first := range slices.Sorted(maps.Keys(byFirst)) {
		lines = append(lines, byFirst[first]...)
	}
	return lines
}
