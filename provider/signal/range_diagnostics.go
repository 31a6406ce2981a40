package signal

import (
	"errors"
	"fmt"
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
		f.Do = "Take these dates out of the range, have their owners give them up, or, where one is a single signal of Terraform's, destroy that first."
	}
	return f
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
	if errors.Is(err, dynamo.ErrExists) {
		f.Path = path.Root("start_date")
		f.State = "Nothing was touched, and the range is not in the state."
		f.Do = "Take these dates out of the range, or have their owners give them up. If they are the signals of a range that this state has lost, import that range instead: terraform import availability_signal_range.<NAME> '" +
			joinID(r.table, r.Product, "") + "<RANGE_ID>', where <RANGE_ID> is what their seededBy has after terraform:."
	}
	return f.Error()
}

// incomplete is what a creation says that could seed only some of the dates.
func incomplete(r rangeRef, is dynamo.RangeState, why error) diag.Diagnostic {
	f := rangeFailure("seed all dates of", r, why)
	f.State = fmt.Sprintf("%s missing: %s. The others are seeded, and the range is in the state.", areMissing(len(is.Missing)), list(is.Missing))
	return f.Warning()
}

func areMissing(n int) string {
	if n == 1 {
		return "One date is"
	}
	return fmt.Sprintf("%d dates are", n)
}

// list names dates as intervals, not too many of them.
func list(dates []signal.Date) string {
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
		f.State = fmt.Sprintf("%s missing: %s. All else has been done.", areMissing(len(is.Missing)), list(is.Missing))
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

// emptyRange is what is said of a range all of whose dates have passed.
func emptyRange(thing string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("end_date"), "Nothing to seed for "+thing,
		"All of its dates have expired, so that the range has no signals. Correct its dates, or remove it from the configuration.")
}
