package cadencebucket

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/trigger"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const applyAgain = "Run terraform apply again."

// thing names the bucket in summaries.
func thing(name string) string { return fmt.Sprintf("cadence bucket %q", name) }

func failure(verb string, r ref, err error) diagnose.Failure {
	what, do := explain(r, err)
	return diagnose.Failure{Verb: verb, Thing: thing(r.name), What: what, Do: do, Err: err}
}

// explain says what failed and what to do.
func explain(r ref, err error) (what, do string) {
	if what, do, ok := diagnose.Table(err, r.table); ok {
		return what, do
	}
	if foreign, ok := errors.AsType[*trigger.ForeignError](err); ok {
		return explainForeign(r, foreign)
	}
	if inUse, ok := errors.AsType[*trigger.InUseError](err); ok {
		return fmt.Sprintf("Others have added targets to its rule %q: %s.", r.rule, strings.Join(inUse.Targets, ", ")),
			"Have them removed from the rule, whose ticks they will no longer get, then destroy again. To remove them with the bucket, set force_destroy = true, run terraform apply, and only then destroy."
	}
	if limit, ok := errors.AsType[*trigger.LimitError](err); ok {
		return fmt.Sprintf("The account's EventBridge quota is used up: %s.", limit.Quota),
			"Remove what is not needed, or have the quota raised, then run terraform apply again."
	}
	switch {
	case errors.Is(err, errGone):
		return fmt.Sprintf("Its registry item in table %q is gone: it was deleted since the plan.", r.table), "Run terraform apply again, which makes the bucket anew."
	case errors.Is(err, signal.ErrRegistry):
		return fmt.Sprintf("Its registry item in table %q cannot be used: %s", r.table, diagnose.Sentence(err)),
			fmt.Sprintf("Correct or delete that item, whose pk is %q and whose sk is %q, then run terraform apply again.", signal.RegistryKey(r.name).PK, signal.RegistryKey(r.name).SK)
	case errors.Is(err, errReplaced), errors.Is(err, dynamo.ErrNotOurs):
		return fmt.Sprintf("Another bucket of that name has taken its place in table %q since the plan.", r.table), "Find out who made it. Run terraform plan to see what this configuration would do now."
	case errors.Is(err, trigger.ErrNotFound):
		return fmt.Sprintf("Rule %q vanished while it was being written.", r.rule), applyAgain
	case errors.Is(err, trigger.ErrThrottled):
		return "EventBridge is throttled, or busy with other changes of the rule, however often the request was repeated.", "Wait for the load to pass, then run terraform apply again."
	case errors.Is(err, trigger.ErrAccessDenied):
		return diagnose.Denied(err, fmt.Sprintf("do this with rule %q", r.rule))
	case errors.Is(err, trigger.ErrUnknown):
		return "EventBridge did not answer, so that it is not known whether the request was carried out.", "Run terraform apply again once AWS can be reached."
	case errors.Is(err, trigger.ErrRejected):
		return fmt.Sprintf("EventBridge did not accept the request for rule %q.", r.rule), "Correct what AWS names, then run terraform apply again."
	}
	return diagnose.Sentence(err), applyAgain
}

func explainForeign(r ref, foreign *trigger.ForeignError) (what, do string) {
	why := fmt.Sprintf("it has no tag %s", trigger.TagOwner)
	switch {
	case foreign.ManagedBy != "":
		why = "it is managed by " + foreign.ManagedBy
	case foreign.Owner != "":
		why = fmt.Sprintf("its tag %s is %q", trigger.TagOwner, foreign.Owner)
	}
	return fmt.Sprintf("There is a rule %q that is not this bucket's: %s. It was not touched.", foreign.Name, why),
		fmt.Sprintf("Delete that rule if nobody needs it. If it is this bucket's after all, give it the tag %s = %q. Then run terraform apply again.", trigger.TagOwner, r.owner())
}

// otherRule is how a bucket that is to be made goes by another rule.
const otherRule = "Or set rule_name to another name."

// otherRuleLater is how one that is made does: it is replaced, which its signals
// would stop.
const otherRuleLater = "To have another rule instead, which replaces the bucket: set force_destroy = true and run terraform apply, which says this once more and takes note of that; only then set rule_name to another name, and run terraform apply again. Its signals stay, and are the new bucket's."

func createFailure(r ref, err error) diag.Diagnostic {
	f := failure("create", r, err)
	f.State = "Nothing was left behind, and the bucket is not in the state."
	if errors.Is(err, trigger.ErrForeign) {
		f.Path = path.Root("rule_name")
		f.Do += " " + otherRule
	}
	if errors.Is(err, dynamo.ErrExists) {
		f.Path = path.Root("name")
		f.What = fmt.Sprintf("Table %q already has a cadence bucket of that name.", r.table)
		f.State = "It was not touched, and it is not in the state."
		f.Do = fmt.Sprintf("To manage it with this configuration, import it: terraform import availability_cadence_bucket.<NAME> '%s'. Otherwise choose another name. If it is this resource's own, which is being replaced for another rule_name: a bucket is never there twice, so take create_before_destroy out of its lifecycle.", importID(r))
	}
	if left, ok := errors.AsType[*leftError](err); ok {
		what, _ := explain(r, left.left)
		f.State = "What had been made could not be taken back: " + what + " The bucket is therefore in the state, as tainted."
		f.Do += " The next apply removes what is left and makes the bucket anew."
	}
	return f.Error()
}

func readFailure(r ref, err error) diag.Diagnostic {
	f := failure("read", r, err)
	f.State = "The state is as it was."
	return f.Error()
}

// listFailure is about one bucket, or about the list as a whole.
func listFailure(r ref, err error) diag.Diagnostic {
	f := failure("list", r, err)
	if r.name == "" {
		f.Thing = fmt.Sprintf("cadence buckets of table %q", r.table)
	}
	if r.rule == "" && errors.Is(err, trigger.ErrAccessDenied) {
		f.What, f.Do = diagnose.Denied(err, "list the account's rules")
	}
	f.State = "The list is not complete."
	return f.Error()
}

func updateFailure(r ref, err error) diag.Diagnostic {
	f := failure("update", r, err)
	f.State = "The state is as it was but for force_destroy, though part of the change may have been made: the next plan shows what is left to do."
	if errors.Is(err, trigger.ErrForeign) {
		f.Path = path.Root("rule_name")
		f.Do += " " + otherRuleLater
	}
	return f.Error()
}

func destroyFailure(r ref, err error) diag.Diagnostic {
	f := failure("destroy", r, err)
	f.State = "The bucket stays in the state, though part of it may have been removed."
	inUse, _ := errors.AsType[*trigger.InUseError](err)
	switch {
	case inUse != nil && inUse.Removed:
		f.State = "Its own target is removed already, so that nothing is checked. The bucket stays in the state; an apply would put the target back."
	case inUse != nil, errors.Is(err, dynamo.ErrIndexNotFound):
		f.State = "The bucket is as it was, and stays in the state."
	}
	if errors.Is(err, dynamo.ErrIndexNotFound) {
		f.What += " It is where the bucket's signals are counted before it is destroyed."
	}
	if signals, ok := errors.AsType[*signalsError](err); ok {
		f.What = fmt.Sprintf("It still has %s in table %q, which nothing would check any more: %s.", signals.count(), r.table, signals.named())
		f.State = "The bucket is as it was, and stays in the state."
		f.Do = "Destroy its signals, or move them to another bucket, then destroy again. To destroy it all the same, set force_destroy = true, run terraform apply, and only then destroy: " +
			"the signals stay, unchecked, until they expire. To change rule_name, set force_destroy = true under the old one, run terraform apply, and only then change it: the signals stay, and are the new bucket's. " +
			"To change name, set lifecycle { create_before_destroy = true }, so that the signals move to the new bucket first."
	}
	return f.Error()
}

// leftRule is what a destroy says of a rule that was not the bucket's any more.
func leftRule(r ref, foreign error) diag.Diagnostic {
	what, _ := explain(r, foreign)
	return diagnose.Failure{
		Verb: "destroy rule of", Thing: thing(r.name), What: what,
		State: "The bucket itself is destroyed, and no longer in the state.",
		Do:    "Delete the rule if nobody needs it.",
	}.Warning()
}

// lostRule is what a read says of a rule that is not the bucket's.
func lostRule(r ref, foreign error) diag.Diagnostic {
	what, do := explain(r, foreign)
	return diagnose.Failure{
		Verb: "read rule of", Thing: thing(r.name), What: what,
		State: "needs_repair says that the bucket has no rule: nothing triggers its checks.", Do: do + " " + otherRuleLater,
	}.Warning()
}

// orphaned is what a read says of a bucket that is gone and has left its rule.
func orphaned(r ref, rule string) diag.Diagnostic {
	return diagnose.Failure{
		Verb: "read", Thing: thing(r.name),
		What:  fmt.Sprintf("Its registry item in table %q is gone, or the table is, but its rule %q is still there and may go on firing for a bucket that nobody can check.", r.table, rule),
		State: "The bucket was removed from the state.",
		Do:    "Run terraform apply: the bucket that it makes takes the rule over, if it has the same table_name, name and rule_name. If there is to be none any more, remove the rule's targets and delete it.",
	}.Warning()
}

// replaced is what a read says of a bucket that is another one now.
func replaced(r ref) diag.Diagnostic {
	return diagnose.Failure{
		Verb: "read", Thing: thing(r.name),
		What:  fmt.Sprintf("The bucket of that name in table %q is another one, made since this one was last read.", r.table),
		State: "It is not this configuration's, and was removed from the state.",
		Do:    fmt.Sprintf("Find out who made it. To manage it with this configuration, import it: terraform import availability_cadence_bucket.<NAME> '%s'.", importID(r)),
	}.Warning()
}
