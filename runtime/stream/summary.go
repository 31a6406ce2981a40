package stream

import (
	"context"
	"errors"
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
	// Unknown is whether nothing is known under the name that was given.
	Unknown bool `json:"unknown,omitempty"`
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

// linesEach is how many lines the products that are named have at most, on average.
const linesEach = 10

// Summary summarizes the plan. It names no more products than most, and fewer where
// there is much to say of each; all if most is 0.
func (p Plan) Summary(most int) Summary {
	s := Summary{Applied: p.Applied, Seen: p.Seen, Unchanged: p.Unchanged, Unreadable: p.Unreadable, Unknown: p.Unknown}
	var n Report
	lines := 0
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
		ps := ProductSummary{Product: pp.Product.String(), Zoneless: pp.Zoneless, Lines: pp.lines()}
		if lines += len(ps.Lines); most > 0 && (len(s.Products) == most || lines > linesEach*most) {
			s.Omitted++
			continue
		}
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
	said := map[kind]string{}
	for _, st := range pp.Steps {
		if st.Action == Nothing && st.Err == nil {
			continue
		}
		k, why := kind{st.Action, st.Reason, false}, st.Reason
		if st.Err != nil {
			k, why = kind{st.Action, alike(st.Err), true}, st.Err.Error()
		}
		if dates[k] == nil {
			kinds = append(kinds, k)
			said[k] = why
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
				Action: k.action, First: first, Last: span.Last.String(), Days: span.Days(), Why: said[k], Failed: k.failed,
			})
		}
	}
	var lines []Line
	for _, first := range slices.Sorted(maps.Keys(byFirst)) {
		lines = append(lines, byFirst[first]...)
	}
	return lines
}

// alike is the same for errors that have one cause: AWS's texts each have a request
// id of their own, and those of steps their date.
func alike(err error) string {
	for _, class := range []error{
		dynamo.ErrAccessDenied, dynamo.ErrNoCredentials, dynamo.ErrTableNotFound, dynamo.ErrThrottled, dynamo.ErrConflict,
		dynamo.ErrRejected, dynamo.ErrUnknown, ErrUnsettled, context.DeadlineExceeded, context.Canceled,
	} {
		if errors.Is(err, class) {
			return class.Error()
		}
	}
	return err.Error()
}
