package cadencebucket_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// refusal is a way in which AWS turns a call down, and what is said of it: of the
// table's calls and of the rule's.
type refusal struct {
	name          string
	code, message string
	table, rule   string
	do, doRule    string
}

func refusals(w world, rule string) []refusal {
	const (
		expired    = "The AWS credentials have expired."
		unknown    = "AWS does not accept the credentials."
		getNew     = "Get new ones, then run Terraform again."
		checkThem  = "Check which ones the provider uses: its access_key, secret_key and token, its profile, or what the environment has. Check the clock of this machine too."
		allow      = "Allow them the action that AWS names, or have the provider use others."
		raiseTable = "Raise the table's capacity or wait for the load to pass, then run terraform apply again."
		wait       = "Wait for the load to pass, then run terraform apply again."
	)
	return []refusal{
		{"expired", "ExpiredTokenException", "The security token included in the request is expired", expired, expired, getNew, getNew},
		{"unknown", "UnrecognizedClientException", "The security token included in the request is invalid.", unknown, unknown, checkThem, checkThem},
		{
			"not allowed", "AccessDeniedException", "User: arn:aws:iam::123456789012:user/planner is not authorized to perform: that on resource: this",
			fmt.Sprintf("The credentials are not allowed to do this with table %q.", w.table), fmt.Sprintf("The credentials are not allowed to do this with rule %q.", rule), allow, allow,
		},
		{
			"throttled", "ThrottlingException", "Rate exceeded",
			fmt.Sprintf("Table %q is throttled: it had no capacity left, however often the request was repeated.", w.table),
			"EventBridge is throttled, or busy with other changes of the rule, however often the request was repeated.", raiseTable, wait,
		},
	}
}

// What AWS refuses for its credentials or its rate is said in full: what, on which
// table or rule, what it means, what to do, and AWS's own words.
func TestBucket_refused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	d := acctest.NewDriver(t, typeName, proxy.Settings(acctest.Config{"max_retries": 0}))
	config, other := bucketConfig(w, "5min", nil), otherConfig(w, "5min")
	const (
		notMade    = "Nothing was left behind, and the bucket is not in the state."
		asItWas    = "The state is as it was."
		notUpdated = "The state is as it was but for force_destroy, though part of the change may have been made: the next plan shows what is left to do."
		stays      = "The bucket stays in the state, though part of it may have been removed."
	)
	steps := []struct {
		verb, operation, service, state string
		do                              func() []string
	}{
		{"create", "PutItem", "DynamoDB", notMade, func() []string { return d.Apply(config) }},
		{"create", "PutRule", "EventBridge", notMade, func() []string { return d.Apply(config) }},
		{"create", "PutTargets", "EventBridge", notMade, func() []string { return d.Apply(config) }},
		{"", "", "", "", func() []string { return d.Apply(config) }},
		{"read", "GetItem", "DynamoDB", asItWas, d.Refresh},
		{"read", "DescribeRule", "EventBridge", asItWas, d.Refresh},
		{"read", "ListTargetsByRule", "EventBridge", asItWas, d.Refresh},
		{"update", "UpdateItem", "DynamoDB", notUpdated, func() []string { return d.Apply(other) }},
		{"update", "PutRule", "EventBridge", notUpdated, func() []string { return d.Apply(other) }},
		{"destroy", "Query", "DynamoDB", stays, d.Destroy},
		{"destroy", "RemoveTargets", "EventBridge", stays, d.Destroy},
		{"destroy", "DeleteItem", "DynamoDB", stays, d.Destroy},
		{"", "", "", "", d.Destroy},
	}
	for _, step := range steps {
		if step.operation == "" {
			proxy.Set()
			holdErrors(t, step.do())
			continue
		}
		for _, r := range refusals(w, w.rule("5min")) {
			proxy.Set(acctest.Fault{Operation: step.operation, Effect: acctest.Fail(http.StatusBadRequest, r.code, r.message)})
			what, do := r.table, r.do
			if step.service == "EventBridge" {
				what, do = r.rule, r.doRule
			}
			got := step.do()
			t.Run(step.verb+" "+step.operation+" "+r.name, func(t *testing.T) {
				holdErrors(t, got, fmt.Sprintf("Unable to %s cadence bucket \"5min\": %s\n\n%s\n\n%s\n\n%s answered %s with %s: %s (request id injected)",
					step.verb, what, step.state, do, step.service, step.operation, r.code, r.message))
			})
		}
	}
	w.holdNothing("5min", w.rule("5min"))
}

// A rule that an AWS service manages is nobody's to take.
func TestBucket_ruleOfAService(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	d := acctest.NewDriver(t, typeName, proxy.Settings(nil))
	rule := w.rule("5min")
	proxy.Set(acctest.Fault{Operation: "DescribeRule", Effect: acctest.Reply(fmt.Sprintf(
		`{"Name":%[1]q,"Arn":"arn:aws:events:ca-central-1:123456789012:rule/%[1]s","ScheduleExpression":"rate(5 minutes)","State":"ENABLED","ManagedBy":"pipes.amazonaws.com"}`, rule))},
		acctest.Fault{Operation: "ListTagsForResource", Effect: acctest.Reply(`{"Tags":[]}`)},
		acctest.Fault{Operation: "ListTargetsByRule", Effect: acctest.Reply(`{"Targets":[]}`)})
	holdErrors(t, d.Apply(bucketConfig(w, "5min", nil)), `rule_name: Unable to create cadence bucket "5min": There is a rule "`+rule+"\" that is not this bucket's: it is managed by pipes.amazonaws.com. It was not touched.\n\n"+
		"Nothing was left behind, and the bucket is not in the state.\n\n"+
		`Delete that rule if nobody needs it. If it is this bucket's after all, give it the tag availability:bucket = "`+w.table+`/5min". Then run terraform apply again. Or set rule_name to another name.`)
	for _, operation := range proxy.Calls() {
		if operation == "PutRule" || operation == "PutTargets" || operation == "TagResource" {
			t.Errorf("it was touched: %v", proxy.Calls())
		}
	}
	proxy.Set()
	w.holdNothing("5min", rule)
}
