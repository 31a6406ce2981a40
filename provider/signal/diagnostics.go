package signal

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const applyAgain = "Run terraform apply again."

// thing names a signal in summaries.
func thing(name string) string { return fmt.Sprintf("signal %q", name) }

// failure is what all operations say of an error alike. bucket is the one that is
// wanted, if one is.
func failure(verb, thing, table, bucket string, err error) diagnose.Failure {
	f := diagnose.Failure{Verb: verb, Thing: thing, Err: err}
	switch {
	case errors.Is(err, errTimeout):
		f.What, f.Do = "It took longer than its timeout.", "Run terraform apply again, or raise the timeout."
		return f
	case errors.Is(err, context.Canceled):
		f.What, f.Do = "It was interrupted.", applyAgain
		return f
	}
	if what, do, ok := diagnose.Table(err, table); ok {
		f.What, f.Do = what, do
		return f
	}
	switch {
	case errors.Is(err, dynamo.ErrNotRegistered):
		f.Path = path.Root("cadence_bucket")
		f.What = fmt.Sprintf("Table %q has no cadence bucket %q, so nothing would ever check it.", table, bucket)
		f.Do = "Refer to the bucket's resource, as in cadence_bucket = availability_cadence_bucket.<NAME>.name, instead of writing its name: then Terraform makes the bucket first. Or correct the name."
	case errors.Is(err, signal.ErrRegistry):
		f.Path = path.Root("cadence_bucket")
		f.What = fmt.Sprintf("The registry item of cadence bucket %q in table %q cannot be used: %s", bucket, table, diagnose.Sentence(err))
		f.Do = "Run terraform apply for the configuration that the bucket is in, which mends it, or correct or delete that item."
	default:
		f.What, f.Do = diagnose.Sentence(err), applyAgain
	}
	return f
}

func createFailure(w wanted, err error) diag.Diagnostic {
	f := failure("create", thing(w.ProductDate.String()), w.table, w.Bucket, err)
	f.State = "It is not in the table, and not in the state."
	if errors.Is(err, dynamo.ErrTableNotFound) || errors.Is(err, dynamo.ErrNoCredentials) {
		f.State = "Nothing was written, and it is not in the state."
	}
	if held, ok := errors.AsType[*dynamo.HeldError](err); ok {
		h := held.Holders[0]
		f.Path, f.Err = path.Root("date"), nil
		f.What = fmt.Sprintf("Table %q already has %s, for this product and date.", w.table, h)
		f.State = "It was not touched, and it is not in the state."
		f.Do = adopt(w.ref, h)
	}
	if errors.Is(err, dynamo.ErrExpired) {
		f.Path = path.Root("expiry")
		f.What = fmt.Sprintf("It expired at %s, so that nothing would ever check it.", signal.FormatInstant(w.Expiry))
		f.Do = remove
	}
	if errors.Is(err, dynamo.ErrUnknown) {
		f.What = fmt.Sprintf("Table %q did not answer.", w.table)
	}
	if _, left := errors.AsType[*dynamo.LeftoverError](err); left {
		f.State = "It is not known whether it is in the table, and it could not be taken back. It is therefore in the state, as tainted."
		f.Do += " The next apply removes what is left and makes it anew. With create_before_destroy or prevent_destroy, run terraform untaint first: the signal is then kept if it is there."
	}
	return f.Error()
}

// adopt says how to come by a signal that is there already.
func adopt(r ref, h dynamo.Holder) string {
	switch {
	case !h.Signal():
		return "Find out whose it is. As long as it is there, this signal cannot be."
	case h.Importable():
		return fmt.Sprintf("To manage it with this configuration, import it: terraform import availability_signal.<NAME> '%s'. Otherwise remove the signal from this configuration.", r.importID())
	}
	return "Remove the signal from this configuration, or have its owner give it up first."
}

const remove = "Remove it from the configuration, or correct its date, time_zone or expiry."

// expiredAtPlan refuses to plan the past.
func expiredAtPlan(thing, expiry string) diag.Diagnostic {
	return diagnose.Failure{
		Verb: "plan", Thing: thing, Path: path.Root("expiry"),
		What: fmt.Sprintf("It expired at %s, so that nothing would ever check it.", expiry),
		Do:   remove,
	}.Error()
}

func readFailure(r ref, err error) diag.Diagnostic {
	f := failure("read", thing(r.ProductDate.String()), r.table, "", err)
	f.State = "The state is as it was."
	return f.Error()
}

func updateFailure(w wanted, err error) diag.Diagnostic {
	f := failure("update", thing(w.ProductDate.String()), w.table, w.Bucket, err)
	f.State = "The state is as it was. What has been written all the same, the next plan shows."
	other, isOther := errors.AsType[*dynamo.NotOursError](err)
	switch {
	case errors.Is(err, dynamo.ErrGone):
		f.What = fmt.Sprintf("It is no longer in table %q: it was deleted since the plan.", w.table)
		f.Do = "Run terraform apply again, which makes it anew."
	case isOther:
		f.What = fmt.Sprintf("In its place in table %q there is %s: it was replaced or taken over since the plan.", w.table, other.Holder)
		f.State = "It was not touched, and the state is as it was."
		f.Do = "Run terraform plan, which removes it from the state. " + adopt(w.ref, other.Holder)
	}
	return f.Error()
}

func destroyFailure(r ref, err error) diag.Diagnostic {
	f := failure("destroy", thing(r.ProductDate.String()), r.table, "", err)
	f.State = "It stays in the state."
	return f.Error()
}

// lost is what a read says of a signal that is another's now.
func lost(r ref, h dynamo.Holder) diag.Diagnostic {
	return diagnose.Failure{
		Verb: "read", Thing: thing(r.ProductDate.String()),
		What:  fmt.Sprintf("In its place in table %q there is %s: it was replaced or taken over.", r.table, h),
		State: "That is not this configuration's, and was removed from the state.",
		Do:    "Find out who made it. " + adopt(r, h),
	}.Warning()
}

// leftAlone is what a destroy says of a signal that is another's now.
func leftAlone(r ref, h dynamo.Holder) diag.Diagnostic {
	return diagnose.Failure{
		Verb: "destroy", Thing: thing(r.ProductDate.String()),
		What:  fmt.Sprintf("In its place in table %q there is %s: it was replaced or taken over.", r.table, h),
		State: "That was not touched. The signal is no longer in the state.",
	}.Warning()
}

func importFailure(r ref, h dynamo.Holder) diag.Diagnostic {
	f := diagnose.Failure{
		Verb: "import", Thing: thing(r.ProductDate.String()),
		What:  fmt.Sprintf("Table %q has %s there.", r.table, h),
		State: "It was not touched.",
		Do:    "Manage it where it was seeded, or have its owner give it up first.",
	}
	if !h.Signal() {
		f.Do = "Correct the id."
	}
	return f.Error()
}

// importIDFailure is about an id that cannot be read.
func importIDFailure(kind, id string, err error, form, example string) diag.Diagnostic {
	return diagnose.Failure{
		Verb: "import", Thing: fmt.Sprintf("%s %q", kind, id),
		What: diagnose.Sentence(err),
		Do:   fmt.Sprintf("Give the id as %s, each part percent-escaped, such as %s.", form, example),
	}.Error()
}

// importIdentityFailure is about an identity that names nothing.
func importIdentityFailure(kind string, err error) diag.Diagnostic {
	return diagnose.Failure{
		Verb: "import", Thing: kind, What: diagnose.Sentence(err), Do: "Correct the identity in the import block.",
	}.Error()
}

// moveFailure is about an item of aws_dynamodb_table_item that is no signal.
func moveFailure(what string) diag.Diagnostic {
	return diagnose.Failure{
		Verb: "move", Thing: tableItemType + " to a signal",
		What:  what,
		State: "The state is as it was, and the item was not touched.",
		Do:    "Take back the moved block. Only a signal's item, in a table with the keys pk and sk, can be moved; many of them become one availability_signal_range by removed blocks and adopt_existing.",
	}.Error()
}
