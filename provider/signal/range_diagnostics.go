package signal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// rangeFailure is what all operations say of an error alike.
func rangeFailure(verb string, r rangeRef, err error) diagnose.Failure {
	f := failure(verb, r.thing(), r.table, r.Bucket, err)
	if held, ok := errors.AsType[*dynamo.HeldError](err); ok {
		f.What = fmt.Sprintf("Table %q already has items on %s of its dates: %s.", r.table, count(len(held.Holders)), holders(held.Holders))
		f.Do = makeWay(r, held.Holders)
		if terraforms(held.Holders) {
			f.Do += " A single signal of Terraform's is destroyed first."
		}
	}
	return f
}

// makeWay says how dates that others hold can become the range's, or be left out.
func makeWay(r rangeRef, held []dynamo.Holder) string {
	adoptable := 0
	for _, h := range held {
		if h.Adoptable() && !r.Adopt {
			adoptable++
		}
	}
	switch adoptable {
	case 0:
		return "Leave these dates out by except_dates, or have their owners give them up."
	case len(held):
		return "Set adopt_existing = true to make them the range's own, or leave these dates out by except_dates."
	}
	return "Set adopt_existing = true to make those the range's own that have no owner or are the stream's; leave the other dates out by except_dates, or have their owners give them up."
}

// terraforms is whether any is a signal of a resource of Terraform's.
func terraforms(held []dynamo.Holder) bool {
	return slices.ContainsFunc(held, func(h dynamo.Holder) bool { return strings.HasPrefix(h.SeededBy, dynamo.Owner("")) })
}

func count(n int) string {
	if n == 1 {
		return "one"
	}
	return fmt.Sprint(n)
}

// maxHolders is how many dates a message names.
const maxHolders = 10

func holders(held []dynamo.Holder) string {
	var parts []string
	for i, h := range held {
		if i == maxHolders {
			parts = append(parts, fmt.Sprintf("and %d more", len(held)-maxHolders))
			break
		}
		parts = append(parts, fmt.Sprintf("%s has %s", h.Date, h))
	}
	return strings.Join(parts, "; ")
}

func rangeCreateFailure(r rangeRef, err error) diag.Diagnostic {
	f := rangeFailure("create", r, err)
	f.State = "Nothing has been seeded, and it is not in the state."
	if held, ok := errors.AsType[*dynamo.HeldError](err); ok {
		f.Path = path.Root("start_date")
		f.State = "Nothing was touched, and the range is not in the state."
		if !terraforms(held.Holders) {
			return f.Error()
		}
		f.Do += " If they are the signals of a range that this state has lost, import that range instead: terraform import availability_signal_range.<NAME> '" +
			joinID(r.table, r.Product, "") + "<RANGE_ID>', where <RANGE_ID> is what their seededBy has after terraform:."
	}
	return f.Error()
}

// incomplete is what a creation says that could seed only some of the dates.
func incomplete(r rangeRef, is dynamo.RangeState, why error) diag.Diagnostic {
	f := rangeFailure("seed all dates of", r, why)
	f.State = fmt.Sprintf("%s missing: %s. The others are seeded, and the range is in the state.", areMissing(len(is.Missing)), listed(is.Missing))
	return f.Warning()
}

func areMissing(n int) string {
	if n == 1 {
		return "One date is"
	}
	return fmt.Sprintf("%d dates are", n)
}

// listed names dates as intervals, not too many of them.
func listed(dates []signal.Date) string {
	spans := dynamo.Spans(dates)
	var parts []string
	for i, s := range spans {
		if i == maxHolders {
			parts = append(parts, fmt.Sprintf("and %d more", len(spans)-maxHolders))
			break
		}
		parts = append(parts, s.String())
	}
	return strings.Join(parts, ", ")
}

func rangeReadFailure(r rangeRef, err error) diag.Diagnostic {
	f := rangeFailure("read", r, err)
	f.State = "The state is as it was."
	return f.Error()
}

func rangeUpdateFailure(r rangeRef, is dynamo.RangeState, err error) diag.Diagnostic {
	f := rangeFailure("update", r, err)
	switch {
	case is.ID == "":
		f.State = "Nothing has been changed, and the state is as it was."
	case is.Complete:
		f.State = fmt.Sprintf("%s missing: %s. All else has been done.", areMissing(len(is.Missing)), listed(is.Missing))
	default:
		f.State = "Part of the change may have been made: the next plan shows what is left to do."
	}
	return f.Error()
}

func rangeDestroyFailure(r rangeRef, err error) diag.Diagnostic {
	f := rangeFailure("destroy", r, err)
	f.State = "It stays in the state, though part of it may be gone."
	f.Do += " The next destroy does the rest."
	return f.Error()
}

// rangeLeftAlone is what a destroy says of signals that are another's now.
func rangeLeftAlone(r rangeRef, left []dynamo.Holder) diag.Diagnostic {
	return leftTo(r, "destroy all dates of", "destroyed", "All else is deleted, and the range is no longer in the state.", left)
}

// rangeDropLeft is what an update says of them, on dates that it takes from the
// range.
func rangeDropLeft(r rangeRef, left []dynamo.Holder) diag.Diagnostic {
	return leftTo(r, "delete all dates that are no longer of", "updated", "The range no longer has these dates.", left)
}

func leftTo(r rangeRef, verb, done, state string, left []dynamo.Holder) diag.Diagnostic {
	return diagnose.Failure{
		Verb: verb, Thing: r.thing(),
		What:  fmt.Sprintf("Table %q has, on %s of its dates, what is another's now, or was changed while the range was %s: %s.", r.table, count(len(left)), done, holders(left)),
		State: "That was not touched. " + state,
		Do:    "Find out who did that. Delete it if nobody needs it.",
	}.Warning()
}

// emptyRange is what is said of a range all of whose dates have passed.
func emptyRange(thing string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("end_date"), "Nothing to seed for "+thing,
		"All of its dates have expired or are excepted, so that the range has no signals. Correct its dates, or remove it from the configuration.")
}
