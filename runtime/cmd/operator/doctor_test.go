package main_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	awslambda "github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/availability-signal/terraform-provider-availability/runtime/doctor"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// triggered gives the bucket a rule that invokes the function, and all that belongs
// to it.
func (p *platform) triggered(function string) (rule string, rules *eventbridge.Client) {
	p.Helper()
	must := func(err error) {
		p.Helper()
		if err != nil {
			p.Fatal(err)
		}
	}
	cfg, err := config.LoadDefaultConfig(p.Context())
	must(err)
	functions, rules := awslambda.NewFromConfig(cfg), eventbridge.NewFromConfig(cfg)
	is, err := functions.GetFunctionConfiguration(p.Context(), &awslambda.GetFunctionConfigurationInput{FunctionName: &function})
	must(err)
	rule = function + "-rule"
	out, err := rules.PutRule(p.Context(), &eventbridge.PutRuleInput{Name: &rule, ScheduleExpression: aws.String("rate(5 minutes)"), State: types.RuleStateEnabled})
	must(err)
	p.Cleanup(func() {
		// The test's own context has ended by now; what it has removed itself is gone.
		_, _ = rules.RemoveTargets(context.Background(), &eventbridge.RemoveTargetsInput{Rule: &rule, Ids: []string{"runtime"}})
		_, _ = rules.DeleteRule(context.Background(), &eventbridge.DeleteRuleInput{Name: &rule})
	})
	_, err = rules.PutTargets(p.Context(), &eventbridge.PutTargetsInput{Rule: &rule, Targets: []types.Target{{
		Id: aws.String("runtime"), Arn: is.FunctionArn, Input: aws.String(`{"cadenceBucket": "cadenceBucket::5min"}`),
	}}})
	must(err)
	_, err = functions.AddPermission(p.Context(), &awslambda.AddPermissionInput{
		FunctionName: &function, StatementId: aws.String("rule"), Action: aws.String("lambda:InvokeFunction"),
		Principal: aws.String("events.amazonaws.com"), SourceArn: out.RuleArn,
	})
	must(err)
	_, err = functions.PutFunctionEventInvokeConfig(p.Context(), &awslambda.PutFunctionEventInvokeConfigInput{
		FunctionName: &function, MaximumRetryAttempts: aws.Int32(0), MaximumEventAgeInSeconds: aws.Int32(300),
	})
	must(err)
	registry := dynamo.NewRegistry(p.store)
	b, err := registry.Get(p.Context(), "5min")
	must(err)
	b.RuleARN = *out.RuleArn
	must(registry.Update(p.Context(), b))
	_, err = p.db.UpdateTimeToLive(p.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName:               aws.String(p.store.Table()),
		TimeToLiveSpecification: &dbtypes.TimeToLiveSpecification{AttributeName: aws.String(signal.AttrTTL), Enabled: aws.Bool(true)},
	})
	must(err)
	return rule, rules
}

func TestOperator_doctor(t *testing.T) {
	p := newPlatform(t)
	p.seed("2027-07-01", 12)
	function := p.deploy(map[string]string{"AVAILABILITY_TABLE_NAME": p.store.Table()})
	rule, rules := p.triggered(function)
	c := newCommand(t, "AVAILABILITY_TABLE_NAME="+p.store.Table())
	examine := func(code int) doctor.Report {
		t.Helper()
		r := c.run("doctor", "-json")
		var report doctor.Report
		if err := json.Unmarshal([]byte(r.out), &report); err != nil || r.code != code {
			t.Fatalf("%v, %+v", err, r)
		}
		return report
	}
	// A bucket that is new has not run.
	r := examine(1)
	var bad []string
	for _, f := range r.Findings {
		if f.Severity != doctor.Note {
			bad = append(bad, string(f.Area)+" "+f.Says)
		}
	}
	if len(bad) != 1 || bad[0] != "runs none of its runs has ever come to its end" {
		t.Errorf("findings %q", bad)
	}
	cfg, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := awslambda.NewFromConfig(cfg).Invoke(t.Context(), &awslambda.InvokeInput{FunctionName: &function, Payload: []byte(`{"cadenceBucket": "cadenceBucket::5min"}`)}); err != nil {
		t.Fatal(err)
	}
	if r := examine(0); len(r.Buckets) != 1 || r.Buckets[0].Signals != 1 || r.Buckets[0].Dirty != 0 || r.Buckets[0].LastRun.IsZero() {
		t.Errorf("after a run: %+v", r)
	}

	if _, err := rules.DisableRule(t.Context(), &eventbridge.DisableRuleInput{Name: &rule}); err != nil {
		t.Fatal(err)
	}
	text := c.run("doctor")
	for _, says := range []string{
		"its rule " + rule + " is disabled, and the bucket is to be enabled", "-> apply availability_cadence_bucket again", "table: all is well",
	} {
		if text.code != 1 || !strings.Contains(text.out, says) {
			t.Errorf("%d, %s does not say %q", text.code, text.out, says)
		}
	}
	if r := c.run("doctor", "-table", "no-such-table"); r.code != 1 || !strings.Contains(r.err, "table not found") || !strings.Contains(r.err, "Is it the right account") {
		t.Errorf("no table: %+v", r)
	}
}
