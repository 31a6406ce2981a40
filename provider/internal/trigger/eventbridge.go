package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
)

// API is what an EventBridge calls of the SDK.
type API interface {
	DescribeRule(context.Context, *eventbridge.DescribeRuleInput, ...func(*eventbridge.Options)) (*eventbridge.DescribeRuleOutput, error)
	PutRule(context.Context, *eventbridge.PutRuleInput, ...func(*eventbridge.Options)) (*eventbridge.PutRuleOutput, error)
	DeleteRule(context.Context, *eventbridge.DeleteRuleInput, ...func(*eventbridge.Options)) (*eventbridge.DeleteRuleOutput, error)
	ListTargetsByRule(context.Context, *eventbridge.ListTargetsByRuleInput, ...func(*eventbridge.Options)) (*eventbridge.ListTargetsByRuleOutput, error)
	PutTargets(context.Context, *eventbridge.PutTargetsInput, ...func(*eventbridge.Options)) (*eventbridge.PutTargetsOutput, error)
	RemoveTargets(context.Context, *eventbridge.RemoveTargetsInput, ...func(*eventbridge.Options)) (*eventbridge.RemoveTargetsOutput, error)
	ListTagsForResource(context.Context, *eventbridge.ListTagsForResourceInput, ...func(*eventbridge.Options)) (*eventbridge.ListTagsForResourceOutput, error)
	TagResource(context.Context, *eventbridge.TagResourceInput, ...func(*eventbridge.Options)) (*eventbridge.TagResourceOutput, error)
	UntagResource(context.Context, *eventbridge.UntagResourceInput, ...func(*eventbridge.Options)) (*eventbridge.UntagResourceOutput, error)
	ListRules(context.Context, *eventbridge.ListRulesInput, ...func(*eventbridge.Options)) (*eventbridge.ListRulesOutput, error)
}

// EventBridge keeps triggers as scheduled rules of the default bus.
type EventBridge struct{ api API }

// NewEventBridge returns the triggers of an account and region.
func NewEventBridge(api API) *EventBridge { return &EventBridge{api: api} }

// Get reads an owner's trigger. The error is ErrNotFound, ErrForeign, or one of
// the reading.
func (e *EventBridge) Get(ctx context.Context, name, owner string) (Found, error) {
	rule, tags, err := e.own(ctx, name, owner)
	if err != nil {
		return Found{}, err
	}
	targets, err := e.targets(ctx, name)
	if err != nil {
		return Found{}, err
	}
	found := Found{
		ARN:         aws.ToString(rule.Arn),
		Schedule:    aws.ToString(rule.ScheduleExpression),
		Enabled:     rule.State != types.RuleStateDisabled,
		Description: aws.ToString(rule.Description),
		Tags:        others(tags),
		Marked:      tags[TagManagedBy] == managedBy,
	}
	for _, t := range targets {
		if aws.ToString(t.Id) == TargetID {
			found.Target = targetOf(t)
		}
	}
	return found, nil
}

// Put makes a trigger as it should be, or changes its owner's present one to
// that. Somebody else's of that name is ErrForeign and stays as it is.
func (e *EventBridge) Put(ctx context.Context, s Spec) (Outcome, error) {
	present, tags, err := e.own(ctx, s.Name, s.Owner)
	exists := err == nil
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Outcome{}, err
	}
	wanted := s.tags()
	in := &eventbridge.PutRuleInput{
		Name:               &s.Name,
		ScheduleExpression: &s.Schedule,
		State:              types.RuleStateDisabled,
		// What is left out would keep its old value on some engines.
		Description: &s.Description,
	}
	if s.Enabled {
		in.State = types.RuleStateEnabled
	}
	if exists {
		// PutRule ignores the tags of a rule that exists.
		if err := e.retag(ctx, *present.Arn, tags, wanted); err != nil {
			return Outcome{}, err
		}
	} else {
		in.Tags = tagList(wanted)
	}
	out, err := e.api.PutRule(ctx, in)
	if err != nil {
		// Whatever the last sending was answered, an earlier one may have been
		// carried out and its answer lost.
		return Outcome{Made: !exists}, fmt.Errorf("put rule %q: %w", s.Name, classify(err))
	}
	return Outcome{ARN: aws.ToString(out.RuleArn), Made: !exists}, e.putTarget(ctx, s)
}

// Delete removes an owner's trigger; one that is not there is no error. The error
// is ErrForeign, or ErrInUse where others added targets to it and force is not
// set: it is then as it was, but for what the *InUseError says.
func (e *EventBridge) Delete(ctx context.Context, name, owner string, force bool) error {
	_, _, err := e.own(ctx, name, owner)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	// A target that was just removed, or one that somebody just added, can still
	// keep the rule.
	const attempts = 5
	for attempt := 1; ; attempt++ {
		if err := e.removeTargets(ctx, name, force); err != nil {
			if inUse, ok := errors.AsType[*InUseError](err); ok {
				inUse.Removed = attempt > 1
			}
			return err
		}
		_, err := e.api.DeleteRule(ctx, &eventbridge.DeleteRuleInput{Name: &name})
		if err == nil {
			return nil
		}
		kept := hasTargets(err)
		err = fmt.Errorf("delete rule %q: %w", name, classify(err))
		switch {
		case errors.Is(err, ErrNotFound):
			return nil
		case !kept || attempt == attempts:
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(attempt) * 100 * time.Millisecond):
		}
	}
}

// own reads a rule and its tags, and holds that it is the owner's.
func (e *EventBridge) own(ctx context.Context, name, owner string) (*eventbridge.DescribeRuleOutput, map[string]string, error) {
	rule, err := e.api.DescribeRule(ctx, &eventbridge.DescribeRuleInput{Name: &name})
	if err != nil {
		return nil, nil, fmt.Errorf("read rule %q: %w", name, classify(err))
	}
	tags, err := e.tags(ctx, name, rule.Arn)
	if err != nil {
		return nil, nil, err
	}
	if tags[TagOwner] != ownerValue(owner) || aws.ToString(rule.ManagedBy) != "" {
		return nil, nil, &ForeignError{Name: name, ARN: aws.ToString(rule.Arn), Owner: tags[TagOwner], ManagedBy: aws.ToString(rule.ManagedBy)}
	}
	return rule, tags, nil
}

func (e *EventBridge) tags(ctx context.Context, name string, arn *string) (map[string]string, error) {
	out, err := e.api.ListTagsForResource(ctx, &eventbridge.ListTagsForResourceInput{ResourceARN: arn})
	if err != nil {
		return nil, fmt.Errorf("read tags of rule %q: %w", name, classify(err))
	}
	tags := make(map[string]string, len(out.Tags))
	for _, t := range out.Tags {
		tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return tags, nil
}

func (e *EventBridge) targets(ctx context.Context, name string) ([]types.Target, error) {
	var targets []types.Target
	in := &eventbridge.ListTargetsByRuleInput{Rule: &name}
	for {
		out, err := e.api.ListTargetsByRule(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("list targets of rule %q: %w", name, classify(err))
		}
		targets = append(targets, out.Targets...)
		if aws.ToString(out.NextToken) == "" {
			return targets, nil
		}
		in.NextToken = out.NextToken
	}
}

func (e *EventBridge) putTarget(ctx context.Context, s Spec) error {
	target := types.Target{
		Id:    aws.String(TargetID),
		Arn:   &s.Target.ARN,
		Input: &s.Target.Input,
		RetryPolicy: &types.RetryPolicy{
			MaximumEventAgeInSeconds: aws.Int32(int32(s.Target.MaximumEventAge)),
			MaximumRetryAttempts:     aws.Int32(int32(s.Target.MaximumRetryAttempts)),
		},
	}
	if s.Target.DeadLetterARN != "" {
		target.DeadLetterConfig = &types.DeadLetterConfig{Arn: &s.Target.DeadLetterARN}
	}
	out, err := e.api.PutTargets(ctx, &eventbridge.PutTargetsInput{Rule: &s.Name, Targets: []types.Target{target}})
	if err == nil && out.FailedEntryCount > 0 {
		failed := types.PutTargetsResultEntry{TargetId: target.Id}
		if len(out.FailedEntries) > 0 {
			failed = out.FailedEntries[0]
		}
		err = entryError("PutTargets", failed.TargetId, failed.ErrorCode, failed.ErrorMessage, out.ResultMetadata)
	}
	if err != nil {
		return fmt.Errorf("put target of rule %q: %w", s.Name, classify(err))
	}
	return nil
}

// removeTargets removes the trigger's own target, and with force all others.
// Without, others are ErrInUse and nothing is removed.
func (e *EventBridge) removeTargets(ctx context.Context, name string, force bool) error {
	targets, err := e.targets(ctx, name)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var ids, foreign []string
	for _, t := range targets {
		ids = append(ids, aws.ToString(t.Id))
		if aws.ToString(t.Id) != TargetID {
			foreign = append(foreign, fmt.Sprintf("%s (%s)", aws.ToString(t.Id), aws.ToString(t.Arn)))
		}
	}
	if len(foreign) > 0 && !force {
		return &InUseError{Name: name, Targets: foreign}
	}
	if len(ids) == 0 {
		return nil
	}
	out, err := e.api.RemoveTargets(ctx, &eventbridge.RemoveTargetsInput{Rule: &name, Ids: ids})
	if err == nil && out.FailedEntryCount > 0 {
		failed := types.RemoveTargetsResultEntry{TargetId: &ids[0]}
		if len(out.FailedEntries) > 0 {
			failed = out.FailedEntries[0]
		}
		err = entryError("RemoveTargets", failed.TargetId, failed.ErrorCode, failed.ErrorMessage, out.ResultMetadata)
	}
	if err = classify(err); err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("remove targets of rule %q: %w", name, err)
	}
	return nil
}

// retag makes the tags as wanted. AWS's own stay.
func (e *EventBridge) retag(ctx context.Context, arn string, present, wanted map[string]string) error {
	var surplus []string
	for key := range present {
		if _, ok := wanted[key]; !ok && !strings.HasPrefix(key, "aws:") {
			surplus = append(surplus, key)
		}
	}
	if len(surplus) > 0 {
		slices.Sort(surplus)
		if _, err := e.api.UntagResource(ctx, &eventbridge.UntagResourceInput{ResourceARN: &arn, TagKeys: surplus}); err != nil {
			return fmt.Errorf("remove tags of %q: %w", arn, classify(err))
		}
	}
	missing := maps.Clone(wanted)
	maps.DeleteFunc(missing, func(key, value string) bool {
		v, ok := present[key]
		return ok && v == value
	})
	if len(missing) > 0 {
		if _, err := e.api.TagResource(ctx, &eventbridge.TagResourceInput{ResourceARN: &arn, Tags: tagList(missing)}); err != nil {
			return fmt.Errorf("tag %q: %w", arn, classify(err))
		}
	}
	return nil
}

func (s Spec) tags() map[string]string {
	tags := map[string]string{}
	maps.Copy(tags, s.Tags)
	tags[TagOwner], tags[TagManagedBy] = ownerValue(s.Owner), managedBy
	return tags
}

// ownerValue fits into a tag, which takes 256 characters.
func ownerValue(owner string) string { return Shorten(owner, 256) }

// others is the tags beside the trigger's own and AWS's.
func others(tags map[string]string) map[string]string {
	tags = maps.Clone(tags)
	maps.DeleteFunc(tags, func(key, _ string) bool {
		return strings.HasPrefix(key, TagPrefix) || strings.HasPrefix(key, "aws:")
	})
	return tags
}

func tagList(tags map[string]string) []types.Tag {
	list := make([]types.Tag, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, types.Tag{Key: &key, Value: aws.String(tags[key])})
	}
	return list
}

func targetOf(t types.Target) *Target {
	target := &Target{
		ARN:                  aws.ToString(t.Arn),
		MaximumEventAge:      DefaultMaximumEventAge,
		MaximumRetryAttempts: DefaultMaximumRetryAttempts,
		Input:                aws.ToString(t.Input),
	}
	if t.DeadLetterConfig != nil {
		target.DeadLetterARN = aws.ToString(t.DeadLetterConfig.Arn)
	}
	if policy := t.RetryPolicy; policy != nil {
		if policy.MaximumEventAgeInSeconds != nil {
			target.MaximumEventAge = int64(*policy.MaximumEventAgeInSeconds)
		}
		if policy.MaximumRetryAttempts != nil {
			target.MaximumRetryAttempts = int64(*policy.MaximumRetryAttempts)
		}
	}
	return target
}

// SameInput says whether two constant inputs are the same JSON.
func SameInput(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return a == b
	}
	return reflect.DeepEqual(x, y)
}

func entryError(operation string, id, code, message *string, metadata middleware.Metadata) error {
	requestID, _ := awsmiddleware.GetRequestIDMetadata(metadata)
	failed := &EntryError{ID: aws.ToString(id), Code: aws.ToString(code), Message: aws.ToString(message), requestID: requestID}
	if failed.Code == "" {
		failed.Code = "FailedEntry"
	}
	return &smithy.OperationError{ServiceID: eventbridge.ServiceID, OperationName: operation, Err: failed}
}
