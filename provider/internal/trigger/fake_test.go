package trigger_test

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/smithy-go"
)

// fake is EventBridge with one rule at most, by the rules that AWS documents: it
// keeps rules that have targets, ignores tags when a rule exists, and lists targets
// two at a time.
type fake struct {
	rule    *eventbridge.DescribeRuleOutput
	tags    map[string]string
	targets []types.Target

	// refuse answers a call instead of carrying it out.
	refuse func(operation string) error
	// entry fails the first entry of PutTargets and RemoveTargets.
	entry *types.PutTargetsResultEntry
	// late is how many DeleteRules still see the targets that are gone.
	late  int
	calls []string
}

// ours is a fake with a rule of the owner's and its target.
func ours(owner string) *fake {
	return &fake{
		rule:    &eventbridge.DescribeRuleOutput{Name: aws.String("rule"), Arn: aws.String("arn:rule"), State: types.RuleStateEnabled, ScheduleExpression: aws.String("rate(1 hour)")},
		tags:    map[string]string{"availability:bucket": owner},
		targets: []types.Target{{Id: aws.String("runtime"), Arn: aws.String("arn:function")}},
	}
}

func (f *fake) call(operation string) error {
	f.calls = append(f.calls, operation)
	if f.refuse == nil {
		return nil
	}
	if err := f.refuse(operation); err != nil {
		return &smithy.OperationError{ServiceID: "EventBridge", OperationName: operation, Err: err}
	}
	return nil
}

func apiError(code, message string) error {
	return &smithy.GenericAPIError{Code: code, Message: message, Fault: smithy.FaultClient}
}

func (f *fake) absent(operation string) error {
	if f.rule != nil {
		return nil
	}
	return &smithy.OperationError{ServiceID: "EventBridge", OperationName: operation, Err: apiError("ResourceNotFoundException", "Rule rule does not exist.")}
}

func (f *fake) DescribeRule(context.Context, *eventbridge.DescribeRuleInput, ...func(*eventbridge.Options)) (*eventbridge.DescribeRuleOutput, error) {
	if err := f.call("DescribeRule"); err != nil {
		return nil, err
	}
	return f.rule, f.absent("DescribeRule")
}

func (f *fake) PutRule(_ context.Context, in *eventbridge.PutRuleInput, _ ...func(*eventbridge.Options)) (*eventbridge.PutRuleOutput, error) {
	if err := f.call("PutRule"); err != nil {
		return nil, err
	}
	if f.rule == nil {
		f.tags = map[string]string{}
		for _, t := range in.Tags {
			f.tags[*t.Key] = *t.Value
		}
	}
	f.rule = &eventbridge.DescribeRuleOutput{Name: in.Name, Arn: aws.String("arn:rule"), State: in.State, ScheduleExpression: in.ScheduleExpression, Description: in.Description}
	return &eventbridge.PutRuleOutput{RuleArn: aws.String("arn:rule")}, nil
}

func (f *fake) DeleteRule(context.Context, *eventbridge.DeleteRuleInput, ...func(*eventbridge.Options)) (*eventbridge.DeleteRuleOutput, error) {
	if err := f.call("DeleteRule"); err != nil {
		return nil, err
	}
	if f.late > 0 || len(f.targets) > 0 {
		f.late--
		return nil, &smithy.OperationError{ServiceID: "EventBridge", OperationName: "DeleteRule", Err: apiError("ValidationException", "Rule can't be deleted since it has targets.")}
	}
	f.rule, f.tags = nil, nil
	return &eventbridge.DeleteRuleOutput{}, nil
}

func (f *fake) ListTargetsByRule(_ context.Context, in *eventbridge.ListTargetsByRuleInput, _ ...func(*eventbridge.Options)) (*eventbridge.ListTargetsByRuleOutput, error) {
	if err := f.call("ListTargetsByRule"); err != nil {
		return nil, err
	}
	if err := f.absent("ListTargetsByRule"); err != nil {
		return nil, err
	}
	from := 0
	if in.NextToken != nil {
		from = int((*in.NextToken)[0] - '0')
	}
	to := min(from+2, len(f.targets))
	out := &eventbridge.ListTargetsByRuleOutput{Targets: f.targets[from:to]}
	if to < len(f.targets) {
		out.NextToken = aws.String(string(rune('0' + to)))
	}
	return out, nil
}

func (f *fake) PutTargets(_ context.Context, in *eventbridge.PutTargetsInput, _ ...func(*eventbridge.Options)) (*eventbridge.PutTargetsOutput, error) {
	if err := f.call("PutTargets"); err != nil {
		return nil, err
	}
	out := &eventbridge.PutTargetsOutput{}
	awsmiddleware.SetRequestIDMetadata(&out.ResultMetadata, "r-1")
	if f.entry != nil {
		out.FailedEntryCount, out.FailedEntries = 1, []types.PutTargetsResultEntry{*f.entry}
		return out, nil
	}
	for _, t := range in.Targets {
		f.targets = slices.DeleteFunc(f.targets, func(p types.Target) bool { return *p.Id == *t.Id })
		f.targets = append(f.targets, t)
	}
	return out, nil
}

func (f *fake) RemoveTargets(_ context.Context, in *eventbridge.RemoveTargetsInput, _ ...func(*eventbridge.Options)) (*eventbridge.RemoveTargetsOutput, error) {
	if err := f.call("RemoveTargets"); err != nil {
		return nil, err
	}
	out := &eventbridge.RemoveTargetsOutput{}
	if f.entry != nil {
		out.FailedEntryCount = 1
		return out, nil
	}
	f.targets = slices.DeleteFunc(f.targets, func(p types.Target) bool { return slices.Contains(in.Ids, *p.Id) })
	return out, nil
}

func (f *fake) ListTagsForResource(context.Context, *eventbridge.ListTagsForResourceInput, ...func(*eventbridge.Options)) (*eventbridge.ListTagsForResourceOutput, error) {
	if err := f.call("ListTagsForResource"); err != nil {
		return nil, err
	}
	out := &eventbridge.ListTagsForResourceOutput{}
	for k, v := range f.tags {
		out.Tags = append(out.Tags, types.Tag{Key: &k, Value: &v})
	}
	return out, nil
}

func (f *fake) TagResource(_ context.Context, in *eventbridge.TagResourceInput, _ ...func(*eventbridge.Options)) (*eventbridge.TagResourceOutput, error) {
	if err := f.call("TagResource"); err != nil {
		return nil, err
	}
	for _, t := range in.Tags {
		f.tags[*t.Key] = *t.Value
	}
	return &eventbridge.TagResourceOutput{}, nil
}

func (f *fake) UntagResource(_ context.Context, in *eventbridge.UntagResourceInput, _ ...func(*eventbridge.Options)) (*eventbridge.UntagResourceOutput, error) {
	if err := f.call("UntagResource"); err != nil {
		return nil, err
	}
	for _, key := range in.TagKeys {
		delete(f.tags, key)
	}
	return &eventbridge.UntagResourceOutput{}, nil
}

func (f *fake) ListRules(context.Context, *eventbridge.ListRulesInput, ...func(*eventbridge.Options)) (*eventbridge.ListRulesOutput, error) {
	if err := f.call("ListRules"); err != nil {
		return nil, err
	}
	return &eventbridge.ListRulesOutput{}, nil
}

// bus is EventBridge with many rules, of which it lists two at a time; each has the
// tag of an owner that is given, or an error.
type bus struct {
	*fake
	names  []string
	owners map[string]string
	errs   map[string]error
}

func (b *bus) ListRules(_ context.Context, in *eventbridge.ListRulesInput, _ ...func(*eventbridge.Options)) (*eventbridge.ListRulesOutput, error) {
	if err := b.errs["ListRules"+aws.ToString(in.NextToken)]; err != nil {
		return nil, err
	}
	from := 0
	if in.NextToken != nil {
		from = int((*in.NextToken)[0] - '0')
	}
	to := min(from+2, len(b.names))
	out := &eventbridge.ListRulesOutput{}
	for _, name := range b.names[from:to] {
		rule := types.Rule{Name: &name, Arn: &name}
		if name == "managed" {
			rule.ManagedBy = aws.String("pipes.amazonaws.com")
		}
		out.Rules = append(out.Rules, rule)
	}
	if to < len(b.names) {
		out.NextToken = aws.String(string(rune('0' + to)))
	}
	return out, nil
}

func (b *bus) ListTagsForResource(_ context.Context, in *eventbridge.ListTagsForResourceInput, _ ...func(*eventbridge.Options)) (*eventbridge.ListTagsForResourceOutput, error) {
	name := *in.ResourceARN
	out := &eventbridge.ListTagsForResourceOutput{Tags: []types.Tag{{Key: aws.String("team"), Value: aws.String("x")}}}
	if owner := b.owners[name]; owner != "" {
		out.Tags = append(out.Tags, types.Tag{Key: aws.String("availability:bucket"), Value: &owner})
	}
	return out, b.errs[name]
}
