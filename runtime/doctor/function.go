package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/bundle"
	runtime "github.com/availability-signal/terraform-provider-availability/runtime/lambda"
	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// functions examines each function that a bucket's rule invokes.
func (x *exam) functions(ctx context.Context) {
	of := map[string][]Bucket{}
	for _, b := range x.report.Buckets {
		for _, arn := range b.Functions {
			of[arn] = append(of[arn], b)
		}
	}
	for _, arn := range slices.Sorted(maps.Keys(of)) {
		x.function(ctx, arn, of[arn])
	}
}

func (x *exam) function(ctx context.Context, arn string, buckets []Bucket) {
	about := arn
	if _, name, ok := strings.Cut(arn, ":function:"); ok {
		about = "function " + name
	}
	config, err := x.Functions.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: &arn})
	if code(err) == "ResourceNotFoundException" {
		x.find(AreaFunction, Fault, about, "there is no such function, and it is what the buckets' rules invoke", "deploy it, or correct the target's arn of the buckets")
		return
	}
	if err != nil {
		x.failed(AreaFunction, "lambda:GetFunctionConfiguration", about, err)
	} else {
		x.settings(about, config)
	}
	x.async(ctx, arn, about, buckets)
	stopped := x.concurrency(ctx, arn, about, len(buckets))
	x.policy(ctx, arn, about, buckets)
	x.strays(ctx, arn, about)
	if !stopped {
		x.selfTest(ctx, arn, about)
	}
}

func (x *exam) settings(about string, c *lambda.GetFunctionConfigurationOutput) {
	if c.State == types.StateFailed || c.State == types.StateInactive {
		x.find(AreaFunction, Fault, about, fmt.Sprintf("it is %s: %s", c.State, aws.ToString(c.StateReason)), "deploy it again")
	}
	var env map[string]string
	if c.Environment != nil {
		env = c.Environment.Variables
	}
	for _, setting := range []struct{ name, want, byDefault string }{
		{runtime.EnvTable, x.Table, ""},
		{runtime.EnvIndex, x.CadenceIndex, "cadence-index"},
		{runtime.EnvInventory, x.Inventory, env[runtime.EnvTable]},
	} {
		got := env[setting.name]
		if got == "" {
			got = setting.byDefault
		}
		if got != setting.want {
			x.find(AreaFunction, Fault, about, fmt.Sprintf("it has %s = %q, and is examined for %q", setting.name, got, setting.want), "correct the function's environment, or the options of the doctor")
		}
	}
	// An image brings its own.
	if c.PackageType != types.PackageTypeImage {
		if is := string(c.Runtime); !strings.HasPrefix(is, "provided") {
			x.find(AreaFunction, Fault, about, fmt.Sprintf("its runtime is %s, which does not start a program of its own", is), fmt.Sprintf("runtime = %q, as availability_runtime_package has it", bundle.Runtime))
		}
		if is := aws.ToString(c.Handler); is != bundle.Handler {
			x.find(AreaFunction, Note, about, fmt.Sprintf("its handler is %q: what is started is the package's file %s nevertheless", is, bundle.Handler), fmt.Sprintf("handler = %q, as availability_runtime_package has it", bundle.Handler))
		}
	}
	if timeout := aws.ToInt32(c.Timeout); timeout > 0 && timeout < 10 {
		x.find(AreaFunction, Warning, about, fmt.Sprintf("its time-out of %d s leaves a run hardly any time", timeout), "a minute or more: longer than the source ever takes")
	}
}

// async examines what becomes of an event that fails: EventBridge invokes
// asynchronously, so that these settings, not the target's, decide.
func (x *exam) async(ctx context.Context, arn, about string, buckets []Bucket) {
	shortest := time.Duration(0)
	for _, b := range buckets {
		if b.interval > 0 && (shortest == 0 || b.interval < shortest) {
			shortest = b.interval
		}
	}
	age := max(time.Minute, shortest)
	remedy := fmt.Sprintf("aws_lambda_function_event_invoke_config with maximum_retry_attempts = 0, maximum_event_age_in_seconds = %d and an on-failure destination", int(age.Seconds()))
	c, err := x.Functions.GetFunctionEventInvokeConfig(ctx, &lambda.GetFunctionEventInvokeConfigInput{FunctionName: &arn})
	if code(err) == "ResourceNotFoundException" {
		x.find(AreaFunction, Warning, about, "it has no asynchronous settings: AWS repeats a failed tick twice, for up to six hours, beside the ticks that come anyway", remedy)
		return
	}
	if err != nil {
		x.failed(AreaFunction, "lambda:GetFunctionEventInvokeConfig", about, err)
		return
	}
	if c.MaximumRetryAttempts == nil || *c.MaximumRetryAttempts > 0 {
		x.find(AreaFunction, Warning, about, "failed ticks are repeated, beside the ticks that come anyway", remedy)
	}
	if c.MaximumEventAgeInSeconds == nil || time.Duration(*c.MaximumEventAgeInSeconds)*time.Second > age {
		x.find(AreaFunction, Warning, about, "ticks that could not be delivered are kept for longer than a cadence: after an outage, they all come at once", remedy)
	}
	if c.DestinationConfig == nil || c.DestinationConfig.OnFailure == nil || aws.ToString(c.DestinationConfig.OnFailure.Destination) == "" {
		x.find(AreaFunction, Note, about, "failed ticks go nowhere: only the log and the metrics tell", remedy)
	}
}

// concurrency says whether the function is stopped by it.
func (x *exam) concurrency(ctx context.Context, arn, about string, buckets int) (stopped bool) {
	c, err := x.Functions.GetFunctionConcurrency(ctx, &lambda.GetFunctionConcurrencyInput{FunctionName: &arn})
	switch {
	case err != nil:
		x.failed(AreaFunction, "lambda:GetFunctionConcurrency", about, err)
	case c.ReservedConcurrentExecutions == nil:
	case *c.ReservedConcurrentExecutions == 0:
		x.find(AreaFunction, Fault, about, "its reserved concurrency is 0: it is never invoked", fmt.Sprintf("reserve at least %d, one for each bucket, or none at all", buckets))
		return true
	case int(*c.ReservedConcurrentExecutions) < buckets:
		x.find(AreaFunction, Warning, about, fmt.Sprintf("its reserved concurrency is %d, and %d buckets may tick at once", *c.ReservedConcurrentExecutions, buckets), fmt.Sprintf("reserve at least %d, and more if a stream invokes it too", buckets))
	}
	return false
}

// policy examines whether the rules may invoke the function.
func (x *exam) policy(ctx context.Context, arn, about string, buckets []Bucket) {
	out, err := x.Functions.GetPolicy(ctx, &lambda.GetPolicyInput{FunctionName: &arn})
	var statements []statement
	switch {
	case code(err) == "ResourceNotFoundException":
	case err != nil:
		x.failed(AreaFunction, "lambda:GetPolicy", about, err)
		return
	default:
		var policy struct{ Statement []statement }
		if err := json.Unmarshal([]byte(aws.ToString(out.Policy)), &policy); err != nil {
			x.failed(AreaFunction, "lambda:GetPolicy", about, err)
			return
		}
		statements = policy.Statement
	}
	for _, b := range buckets {
		if !slices.ContainsFunc(statements, func(s statement) bool { return s.allows(b.ruleARN) }) {
			x.find(AreaFunction, Fault, about, fmt.Sprintf("the rule of bucket %s may not invoke it", b.Name),
				fmt.Sprintf("aws_lambda_permission with principal = \"events.amazonaws.com\" and source_arn = %q", b.ruleARN))
		}
	}
}

// statement is what is read of a function's policy.
type statement struct {
	Effect    string
	Principal json.RawMessage
	Condition map[string]map[string]json.RawMessage
}

// allows is whether it lets a rule invoke the function.
func (s statement) allows(rule string) bool {
	if s.Effect != "Allow" || !strings.Contains(string(s.Principal), "events.amazonaws.com") && !strings.Contains(string(s.Principal), `"*"`) {
		return false
	}
	for _, condition := range s.Condition {
		for name, raw := range condition {
			if !strings.EqualFold(name, "aws:SourceArn") {
				continue
			}
			var one string
			var many []string
			if json.Unmarshal(raw, &one) == nil {
				many = []string{one}
			} else if json.Unmarshal(raw, &many) != nil {
				return false
			}
			return slices.ContainsFunc(many, func(pattern string) bool { return matches(pattern, rule) })
		}
	}
	return true
}

// matches is whether a text is of a pattern in which * stands for anything.
func matches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}

// strays finds rules that have the function run a bucket which is not registered.
func (x *exam) strays(ctx context.Context, arn, about string) {
	if !x.census.complete {
		return
	}
	in := &eventbridge.ListRuleNamesByTargetInput{TargetArn: &arn}
	for {
		out, err := x.Rules.ListRuleNamesByTarget(ctx, in)
		if err != nil {
			x.failed(AreaRules, "events:ListRuleNamesByTarget", about, err)
			return
		}
		for _, rule := range out.RuleNames {
			targets, err := x.targets(ctx, rule)
			if err != nil {
				x.failed(AreaRules, "events:ListTargetsByRule", "rule "+rule, err)
				continue
			}
			for _, t := range targets {
				name, err := bucketOf(aws.ToString(t.Input))
				if err != nil || x.census.registered[name] != nil {
					continue
				}
				x.find(AreaRules, Fault, "rule "+rule, fmt.Sprintf("it triggers bucket %q, which is not registered in this table: each of its ticks fails", name),
					fmt.Sprintf("delete the rule, or apply availability_cadence_bucket %q, which takes it over", name))
			}
		}
		if aws.ToString(out.NextToken) == "" {
			return
		}
		in.NextToken = out.NextToken
	}
}

// selfTest has the function explain a signal: what it may not read, and what is
// wrong with its settings or its source, shows in that.
func (x *exam) selfTest(ctx context.Context, arn, about string) {
	if x.census.one == (signal.Key{}) {
		return
	}
	event, err := json.Marshal(operate.Task{Task: operate.TaskExplain, Signal: x.census.one.String()})
	if err != nil {
		x.failed(AreaFunction, "lambda:InvokeFunction", about, err)
		return
	}
	out, err := x.Functions.Invoke(ctx, &lambda.InvokeInput{FunctionName: &arn, Payload: event})
	if err != nil {
		x.failed(AreaFunction, "lambda:InvokeFunction", about, err)
		return
	}
	if out.FunctionError != nil {
		var failed struct{ ErrorMessage, ErrorType string }
		_ = json.Unmarshal(out.Payload, &failed) // Without it, there is less to say.
		x.find(AreaFunction, Fault, about, fmt.Sprintf("asked to explain a signal, it fails: %s %s", failed.ErrorType, failed.ErrorMessage), mend(failed.ErrorType, failed.ErrorMessage))
		return
	}
	var e operate.Explanation
	if err := json.Unmarshal(out.Payload, &e); err == nil && e.Inventory != nil && e.Inventory.Error != "" {
		x.find(AreaFunction, Fault, about, fmt.Sprintf("asked to explain %s, its source fails: %s", e.Signal, e.Inventory.Error), "correct what the error names: a setting of the source, a permission of the function's role, or the data of that date")
	}
}

// mend is what to do about a function that fails.
func mend(kind, message string) string {
	switch {
	case kind != "Runtime.InvalidEntrypoint":
		return "correct what the error names: a setting, or a permission of the function's role"
	case strings.Contains(strings.ToLower(message), "exec format error"):
		return "its package is for another architecture: take architectures and package from one availability_runtime_package, or build the package for the function's architecture"
	}
	return fmt.Sprintf("its package must have the program at its top, executable, as a file named %s: availability_runtime_package has it so", bundle.Handler)
}
