package doctor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	eventtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/doctor"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestDoctor_allIsWell(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.examine()
	if len(r.Findings) > 0 || r.Bad() {
		t.Errorf("%+v", r.Findings)
	}
	var b strings.Builder
	if err := r.Print(&b); err != nil {
		t.Fatal(err)
	}
	want := `table signals, 2026-07-01 12:05:00 UTC

clock: all is well

table: all is well

permissions: all is well

registry: all is well

rules: all is well

function: all is well

stream: all is well

runs: all is well

signals: all is well

bucket 5min  rate(5 minutes)  1 signals, 0 dirty; last run ended 2026-07-01 12:03:00 UTC
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// What was tried out has written nothing.
	for key, err := range dynamo.NewFinder(w.client, table).Keys(t.Context(), "") {
		if err != nil || strings.Contains(key.PK, "doctor") {
			t.Errorf("left behind: %v, %v", key, err)
		}
	}
}

// A function is named as its own tools name it.
func TestDoctor_namesTheFunction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config = nil
	r := w.examine()
	if len(r.Findings) != 1 || r.Findings[0].About != "function availability" {
		t.Errorf("%+v", r.Findings)
	}
}

// Each thing that is not as it should be is found, with its remedy, and nothing
// else beside it.
func TestDoctor_findings(t *testing.T) {
	t.Parallel()
	index := func(w *world, n int) *types.GlobalSecondaryIndexDescription { return &w.desc.GlobalSecondaryIndexes[n] }
	for name, tt := range map[string]struct {
		spoil func(*world)
		// want are severity, area, and what is said, one for each finding.
		want []string
	}{
		"key of the table": {
			func(w *world) { w.desc.AttributeDefinitions[1].AttributeType = types.ScalarAttributeTypeN },
			[]string{"fault table its key is pk S, sk N, not pk S, sk S"},
		},
		"table being made":   {func(w *world) { w.desc.TableStatus = types.TableStatusCreating }, []string{"fault table the table is CREATING"}},
		"no cadence index":   {func(w *world) { index(w, 0).IndexName = aws.String("x") }, []string{"fault table the table has no such index, so that no run finds a dirty signal"}},
		"cadence index key":  {func(w *world) { index(w, 0).KeySchema = index(w, 0).KeySchema[:1] }, []string{"fault table its key is gsipk S, not gsipk S, gsisk S"}},
		"cadence projection": {func(w *world) { index(w, 0).Projection.NonKeyAttributes = []string{"dirtySince", "ttl"} }, []string{"fault table it does not project notBefore"}},
		"everything projected": {
			func(w *world) { index(w, 0).Projection = &types.Projection{ProjectionType: types.ProjectionTypeAll} },
			[]string{"note table it projects everything: each check costs one write unit more"},
		},
		"index being made":   {func(w *world) { index(w, 0).IndexStatus = types.IndexStatusCreating }, []string{"fault table the index is CREATING"}},
		"no globalId index":  {func(w *world) { index(w, 1).IndexName = aws.String("x") }, []string{"warning table the table has no such index: signals cannot be found by their globalId"}},
		"globalId index key": {func(w *world) { index(w, 1).KeySchema = index(w, 0).KeySchema }, []string{"warning table its key is gsipk S, gsisk S, not globalId S"}},
		"TTL off":            {func(w *world) { w.ttl.TimeToLiveStatus = types.TimeToLiveStatusDisabled }, []string{"warning table TTL is off"}},
		"TTL elsewhere":      {func(w *world) { w.ttl.AttributeName = aws.String("expiresAt") }, []string{`warning table TTL goes by "expiresAt", not by ttl`}},

		// By a clock three hours ahead, no run has come to its end for hours.
		"clock ahead":  {func(w *world) { w.skew = -3 * time.Hour }, []string{"fault clock its clock is 3h0m0s ahead of DynamoDB's"}},
		"clock behind": {func(w *world) { w.skew = 3 * time.Hour }, []string{"fault clock its clock is 3h0m0s behind DynamoDB's"}},
		"newer registry": {
			func(w *world) {
				w.put(signal.RegistryKey("1h"), signal.Item{"schema": signal.S("cadenceBucket"), "format": signal.N(2)})
			},
			[]string{"fault registry registry item has format 2, this release reads format 1"},
		},
		"spoiled registry": {
			func(w *world) { w.put(signal.RegistryKey("1h"), signal.Item{"schema": signal.S("cadenceBucket")}) },
			[]string{"fault registry invalid registry item: it has no format number"},
		},

		"rule gone": {func(w *world) { w.rules = nil }, []string{"fault rules its rule availability-signals-5min is gone: nothing triggers its checks", "fault stream no function of the buckets reads it"}},
		"rule disabled": {func(w *world) {
			w.rule(func(r *eventbridge.DescribeRuleOutput) { r.State = eventtypes.RuleStateDisabled })
		}, []string{"fault rules its rule availability-signals-5min is disabled, and the bucket is to be enabled"}},
		"rule's schedule": {func(w *world) {
			w.rule(func(r *eventbridge.DescribeRuleOutput) { r.ScheduleExpression = aws.String("rate(1 hour)") })
		}, []string{"fault rules its rule availability-signals-5min fires at rate(1 hour), the registry says rate(5 minutes)"}},
		"no target": {func(w *world) { w.targets = nil }, []string{"fault rules its rule availability-signals-5min has no target that is given this bucket", "fault stream no function of the buckets reads it"}},
		"target of another": {func(w *world) {
			w.targets[ruleName] = append(w.targets[ruleName], eventtypes.Target{Arn: aws.String("arn:aws:sns:x")})
		}, []string{"note rules its rule availability-signals-5min has a target of somebody else's, arn:aws:sns:x"}},
		"target twice":  {func(w *world) { w.targets[ruleName] = append(w.targets[ruleName], target("cadenceBucket::5min")) }, []string{"warning rules its rule availability-signals-5min has 2 targets for it"}},
		"no rule's ARN": {func(w *world) { w.register("5min", "") }, []string{`fault rules its registry item names no rule ("")`, "fault stream no function of the buckets reads it"}},
		"rule of a bucket that is not there": {
			func(w *world) { w.targets["left-over"] = []eventtypes.Target{target("cadenceBucket::9min")} },
			[]string{`fault rules it triggers bucket "9min", which is not registered in this table: each of its ticks fails`},
		},

		"function gone":         {func(w *world) { w.config = nil }, []string{"fault function there is no such function, and it is what the buckets' rules invoke"}},
		"another table":         {func(w *world) { w.config.Environment.Variables["AVAILABILITY_TABLE_NAME"] = "other" }, []string{`fault function it has AVAILABILITY_TABLE_NAME = "other", and is examined for "signals"`, `fault function it has AVAILABILITY_INVENTORY_TABLE_NAME = "other"`}},
		"another index":         {func(w *world) { w.config.Environment.Variables["AVAILABILITY_CADENCE_INDEX_NAME"] = "gsi1" }, []string{`fault function it has AVAILABILITY_CADENCE_INDEX_NAME = "gsi1", and is examined for "cadence-index"`}},
		"function failed":       {func(w *world) { w.config.State = lambdatypes.StateFailed }, []string{"fault function it is Failed"}},
		"runtime of a language": {func(w *world) { w.config.Runtime = lambdatypes.RuntimeNodejs22x }, []string{"fault function its runtime is nodejs22.x, which does not start a program of its own"}},
		"handler's name":        {func(w *world) { w.config.Handler = aws.String("main") }, []string{`note function its handler is "main": what is started is the package's file bootstrap nevertheless`}},
		"short time-out":        {func(w *world) { w.config.Timeout = aws.Int32(3) }, []string{"warning function its time-out of 3 s leaves a run hardly any time"}},
		"no async settings":     {func(w *world) { w.async = nil }, []string{"warning function it has no asynchronous settings"}},
		"retries":               {func(w *world) { w.async.MaximumRetryAttempts = aws.Int32(2) }, []string{"warning function failed ticks are repeated"}},
		"event age":             {func(w *world) { w.async.MaximumEventAgeInSeconds = aws.Int32(21600) }, []string{"warning function ticks that could not be delivered are kept for longer than a cadence"}},
		"no destination":        {func(w *world) { w.async.DestinationConfig = nil }, []string{"note function failed ticks go nowhere"}},
		"stopped":               {func(w *world) { w.concurrency.ReservedConcurrentExecutions = aws.Int32(0) }, []string{"fault function its reserved concurrency is 0: it is never invoked"}},
		"one for two": {
			func(w *world) {
				w.concurrency.ReservedConcurrentExecutions = aws.Int32(1)
				w.register("1h", ruleARN+"x")
				w.ran("1h", signal.FormatInstant(now), 0)
				w.rules[ruleName+"x"], w.targets[ruleName+"x"] = w.rules[ruleName], []eventtypes.Target{target("cadenceBucket::1h")}
			},
			[]string{"warning function its reserved concurrency is 1, and 2 buckets may tick at once"},
		},
		"no permission":      {func(w *world) { w.policy = nil }, []string{"fault function the rule of bucket 5min may not invoke it"}},
		"another permission": {func(w *world) { *w.policy = strings.Replace(*w.policy, "availability-*", "other-*", 1) }, []string{"fault function the rule of bucket 5min may not invoke it"}},
		"function fails": {
			func(w *world) {
				w.answer.FunctionError, w.answer.Payload = aws.String("Unhandled"), []byte(`{"errorType": "AccessDenied", "errorMessage": "read it: access denied"}`)
			},
			[]string{"fault function asked to explain a signal, it fails: AccessDenied read it: access denied"},
		},
		"source fails": {
			func(w *world) { w.answer.Payload = []byte(`{"signal": "s", "inventory": {"error": "no such table"}}`) },
			[]string{"fault function asked to explain s, its source fails: no such table"},
		},

		"stream off":       {func(w *world) { w.desc.StreamSpecification = nil }, []string{"fault stream the stream is off, and 1 signals are kept by it"}},
		"nobody reads it":  {func(w *world) { w.mappings = nil }, []string{"fault stream no function of the buckets reads it, and 1 signals are kept by it"}},
		"three readers":    {func(w *world) { w.mappings = append(w.mappings, other("a"), other("b")) }, []string{"warning stream 3 functions read it: more than two slow one another down"}},
		"mapping disabled": {func(w *world) { w.mappings[0].State = aws.String("Disabled") }, []string{"fault stream it is Disabled"}},
		"batch failed":     {func(w *world) { w.mappings[0].LastProcessingResult = aws.String("PROBLEM: Function call failed") }, []string{"fault stream its last batch failed: PROBLEM"}},
		"no item failures": {func(w *world) { w.mappings[0].FunctionResponseTypes = nil }, []string{"fault stream it has no ReportBatchItemFailures"}},
		"no dead letters":  {func(w *world) { w.mappings[0].DestinationConfig = nil }, []string{"note stream records that are given up on go nowhere"}},
		"no filter":        {func(w *world) { w.mappings[0].FilterCriteria = nil }, []string{"warning stream it has no filter: the runtime's own writes invoke the function, in vain"}},
		"signals let in":   {func(w *world) { w.mappings[0].FilterCriteria = filters("availability", "inventory::", "product") }, []string{"warning stream its filters let signals through"}},
		"inventory kept out": {
			func(w *world) { w.mappings[0].FilterCriteria = filters("productDate::", "product::") },
			[]string{"fault stream its filters keep the inventory out"},
		},
		"dates kept out": {
			func(w *world) { w.mappings[0].FilterCriteria = filters("inventory::", "product::") },
			[]string{"warning stream its filters keep productDate items out"},
		},
		"dates kept out of a stream that keeps no signals": {
			func(w *world) {
				w.seed(5, func(i signal.Item) { i["seededBy"] = signal.S("terraform:range") })
				w.mappings[0].FilterCriteria = filters("inventory::", "product::")
			},
			[]string{"note stream its filters keep productDate items out"},
		},

		"never run":     {func(w *world) { w.put(signal.RunKey("5min"), signal.Item{}) }, []string{"fault runs none of its runs has ever come to its end"}},
		"not running":   {func(w *world) { w.ran("5min", "2026-07-01T11:45:00.000Z", 0) }, []string{"fault runs no run has come to its end since 2026-07-01 11:45:00 UTC, for more than three cadences"}},
		"failed checks": {func(w *world) { w.ran("5min", "2026-07-01T12:04:00.000Z", 7) }, []string{"warning runs its last run could not check 7 signals, and did not reach 0"}},
		"disabled": {
			func(w *world) {
				w.register("5min", ruleARN, func(b *signal.Bucket) { b.Enabled = false })
				w.rule(func(r *eventbridge.DescribeRuleOutput) { r.State = eventtypes.RuleStateDisabled })
			},
			[]string{"note runs it is disabled: its signals are not checked"},
		},
		"oldest dirty": {
			func(w *world) {
				w.seed(6, func(i signal.Item) {
					i["gsisk"], i["dirtySince"] = signal.S("dirty"), signal.S("2026-07-01T11:45:00.000Z")
				})
			},
			[]string{"fault runs mockPark1/camp/1/1 2026-07-06 has been dirty since 2026-07-01 11:45:00 UTC, which is more than three cadences"},
		},

		"unregistered bucket": {func(w *world) { w.seed(6, func(i signal.Item) { i["gsipk"] = signal.S("cadenceBucket::9min::3") }) }, []string{"fault signals mockPark1/camp/1/1 2026-07-06 is in this bucket, which is not registered"}},
		"no bucket":           {func(w *world) { w.seed(6, func(i signal.Item) { i["gsipk"] = signal.S("9min") }) }, []string{"fault signals mockPark1/camp/1/1 2026-07-06 has a gsipk that is no bucket's"}},
		"never checked": {
			func(w *world) {
				for day := 6; day <= 9; day++ {
					w.seed(day, func(i signal.Item) { delete(i, "value") })
				}
			},
			[]string{"warning signals 4 signals are clean and have never been computed: they read as unknown until their first change, or the audit: "},
		},
		"quarantined": {
			func(w *world) {
				w.seed(6, func(i signal.Item) { i["gsisk"], i["notBefore"] = signal.S("dirty"), signal.N(now.UnixMilli()+1) })
			},
			[]string{"fault signals mockPark1/camp/1/1 2026-07-06 is in quarantine"},
		},
		"malformed": {func(w *world) { w.seed(6, func(i signal.Item) { i["ttl"] = signal.S("soon") }) }, []string{"fault signals mockPark1/camp/1/1 2026-07-06 has a bit that is neither dirty nor clean, or a ttl, notBefore, leaseUntil or expiry of a type"}},
		"no bit":    {func(w *world) { w.seed(6, func(i signal.Item) { i["gsisk"] = signal.S("DIRTY") }) }, []string{"fault signals mockPark1/camp/1/1 2026-07-06 has a bit that is neither dirty nor clean"}},
		"TTL is behind": {
			func(w *world) {
				w.seed(6, func(i signal.Item) {
					i["ttl"], i["expiry"] = signal.N(now.Add(-5*24*time.Hour).Unix()), signal.S("2026-06-26T12:00:00.000Z")
				})
			},
			[]string{"warning signals mockPark1/camp/1/1 2026-07-06 has been expired for more than four days and is still there"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.spoil(w)
			r := w.examine()
			for i, f := range r.Findings {
				got := string(f.Severity) + " " + string(f.Area) + " " + f.Says
				if i >= len(tt.want) || !strings.HasPrefix(got, tt.want[i]) {
					t.Errorf("found %s", got)
				}
				if f.About == "" || f.Remedy == "" {
					t.Errorf("no remedy: %+v", f)
				}
			}
			if len(r.Findings) < len(tt.want) {
				t.Errorf("%d findings, want %q", len(r.Findings), tt.want)
			}
			if bad := !strings.HasPrefix(tt.want[0], "note"); r.Bad() != bad {
				t.Errorf("bad %t, want %t", r.Bad(), bad)
			}
		})
	}
}

// Every call that is denied is found by its name, and nothing is said of what it would
// have told.
func TestDoctor_denied(t *testing.T) {
	t.Parallel()
	for call, action := range map[string]string{
		"GetItem": "dynamodb:GetItem", "BatchGetItem": "dynamodb:BatchGetItem", "PutItem": "dynamodb:PutItem", "UpdateItem": "dynamodb:UpdateItem",
		"DeleteItem": "dynamodb:DeleteItem", "Query ": "dynamodb:Query", "Query cadence-index": "dynamodb:Query", "Query globalId-index": "dynamodb:Query",
		"Scan": "dynamodb:Scan", "DescribeTable": "dynamodb:DescribeTable", "DescribeTimeToLive": "dynamodb:DescribeTimeToLive",
		"DescribeRule": "events:DescribeRule", "ListTargetsByRule": "events:ListTargetsByRule", "ListRuleNamesByTarget": "events:ListRuleNamesByTarget",
		"GetFunctionConfiguration": "lambda:GetFunctionConfiguration", "GetFunctionEventInvokeConfig": "lambda:GetFunctionEventInvokeConfig",
		"GetFunctionConcurrency": "lambda:GetFunctionConcurrency", "GetPolicy": "lambda:GetPolicy",
		"ListEventSourceMappings": "lambda:ListEventSourceMappings", "Invoke": "lambda:InvokeFunction",
	} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.denied[call] = true
			r := w.examine()
			if len(r.Findings) == 0 || !r.Bad() {
				t.Fatal("nothing was found")
			}
			for _, f := range r.Findings {
				if f.Area != doctor.AreaPermissions || f.Severity != doctor.Warning || f.Says != action+" is denied to these credentials" || f.Remedy == "" {
					t.Errorf("found %+v", f)
				}
			}
		})
	}
}

// A function that cannot be started says so in AWS's words; the remedy is ours.
func TestDoctor_functionDoesNotStart(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"RequestId: r-1 Error: fork/exec /var/task/bootstrap: exec format error":                       "its package is for another architecture",
		"RequestId: r-1 Error: Couldn't find valid bootstrap(s): [/var/task/bootstrap /opt/bootstrap]": "its package must have the program at its top, executable, as a file named bootstrap",
	} {
		w := newWorld(t)
		w.answer.FunctionError, w.answer.Payload = aws.String("Unhandled"), fmt.Appendf(nil, `{"errorType": "Runtime.InvalidEntrypoint", "errorMessage": %q}`, message)
		r := w.examine()
		if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Says, message) || !strings.HasPrefix(r.Findings[0].Remedy, want) {
			t.Errorf("%s: %+v", message, r.Findings)
		}
	}
}

// An image has its own runtime and handler.
func TestDoctor_functionOfAnImage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config.PackageType, w.config.Runtime, w.config.Handler = lambdatypes.PackageTypeImage, "", nil
	if r := w.examine(); len(r.Findings) > 0 {
		t.Errorf("%+v", r.Findings)
	}
}

// Minutes do no harm.
func TestDoctor_clockThatWillDo(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{5 * time.Minute, -5 * time.Minute} {
		w := newWorld(t)
		w.skew = skew
		for _, f := range w.examine().Findings {
			if f.Area == doctor.AreaClock {
				t.Errorf("%s: %+v", skew, f)
			}
		}
	}
}

// A clock of which nothing is known is not said to be right, nor is it a fault.
func TestDoctor_clockOfWhichNothingIsKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.skew = unknownSkew
	r := w.examine()
	if len(r.Findings) != 1 || r.Findings[0].Area != doctor.AreaClock || r.Findings[0].Severity != doctor.Note || r.Bad() {
		t.Errorf("%+v", r.Findings)
	}
}

func (w *world) rule(change func(*eventbridge.DescribeRuleOutput)) {
	r := w.rules[ruleName]
	change(&r)
	w.rules[ruleName] = r
}

func other(name string) lambdatypes.EventSourceMappingConfiguration {
	return lambdatypes.EventSourceMappingConfiguration{UUID: aws.String(name), FunctionArn: aws.String("arn:aws:lambda:ca-central-1:000000000000:function:" + name)}
}

func TestDoctor_noBuckets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, key := range []signal.Key{signal.RegistryKey("5min"), signal.RunKey("5min")} {
		w.put(key, signal.Item{})
	}
	r := w.examine()
	if !r.Bad() || len(r.Buckets) > 0 {
		t.Errorf("%+v", r)
	}
	var areas []doctor.Area
	for _, f := range r.Findings {
		areas = append(areas, f.Area)
	}
	if len(areas) == 0 || areas[0] != doctor.AreaRegistry {
		t.Errorf("%+v", r.Findings)
	}
}
