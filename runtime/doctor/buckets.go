package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Bucket is a bucket's health.
type Bucket struct {
	Name     string `json:"name"`
	Schedule string `json:"schedule"`
	Enabled  bool   `json:"enabled"`
	// LastRun is when its last run that came to its end did.
	LastRun   time.Time `json:"lastRun,omitzero"`
	Failed    int64     `json:"failed"`
	Remaining int64     `json:"remaining"`
	// Signals and Dirty are how many it has now, of those that have not expired.
	Signals     int       `json:"signals"`
	Dirty       int       `json:"dirty"`
	OldestDirty time.Time `json:"oldestDirty,omitzero"`
	// Functions are the ARNs that its rule invokes for it.
	Functions []string `json:"functions,omitempty"`

	ruleARN  string
	interval time.Duration
	stale    bool
	// unread is whether its runs could not be read.
	unread bool
}

// buckets examines each registered bucket, its rule and that rule's targets.
func (x *exam) buckets(ctx context.Context) {
	for _, name := range slices.Sorted(maps.Keys(x.census.registered)) {
		b, err := signal.ParseBucket(x.census.registered[name])
		switch {
		case errors.Is(err, signal.ErrFormat):
			x.find(AreaRegistry, Fault, "bucket "+name, err.Error(), "install that release of the function, the provider and this command")
			continue
		case err != nil:
			x.find(AreaRegistry, Fault, "bucket "+name, err.Error(), "apply availability_cadence_bucket again: it mends its registry item")
			continue
		}
		health := Bucket{Name: name, Schedule: b.ScheduleExpression, Enabled: b.Enabled, ruleARN: b.RuleARN, interval: b.Cadence.Duration()}
		if is, err := x.reader.Bucket(ctx, name); err != nil {
			x.failed(AreaRuns, "dynamodb:BatchGetItem", x.Table, err)
			health.unread = true
		} else {
			health.LastRun, health.stale, health.interval = is.LastRunAt, is.Stale(x.now), is.Interval()
			health.Failed, health.Remaining = is.Counts["failed"], is.Counts["remaining"]
		}
		x.rule(ctx, b, &health)
		x.report.Buckets = append(x.report.Buckets, health)
	}
	if x.census.complete && len(x.census.registered) == 0 {
		x.find(AreaRegistry, Warning, x.Table, "no bucket is registered in this table: nothing is ever checked", "apply an availability_cadence_bucket, or give the right table")
	}
}

const applyBucket = "apply availability_cadence_bucket again: it puts back what is its own"

func (x *exam) rule(ctx context.Context, b signal.Bucket, health *Bucket) {
	about := "bucket " + b.Name
	_, name, ok := strings.Cut(b.RuleARN, ":rule/")
	if !ok {
		x.find(AreaRules, Fault, about, fmt.Sprintf("its registry item names no rule (%q)", b.RuleARN), applyBucket)
		return
	}
	rule, err := x.Rules.DescribeRule(ctx, &eventbridge.DescribeRuleInput{Name: &name})
	if code(err) == "ResourceNotFoundException" {
		x.find(AreaRules, Fault, about, fmt.Sprintf("its rule %s is gone: nothing triggers its checks", name), applyBucket)
		return
	}
	if err != nil {
		x.failed(AreaRules, "events:DescribeRule", "rule "+name, err)
		x.rulesUnread = true
		return
	}
	if disabled := rule.State == types.RuleStateDisabled; disabled == b.Enabled {
		is, want := "enabled", "disabled"
		if disabled {
			is, want = want, is
		}
		x.find(AreaRules, Fault, about, fmt.Sprintf("its rule %s is %s, and the bucket is to be %s", name, is, want), applyBucket+"; to stop a bucket for good, set enabled = false")
	}
	if got := aws.ToString(rule.ScheduleExpression); got != b.ScheduleExpression {
		x.find(AreaRules, Fault, about, fmt.Sprintf("its rule %s fires at %s, the registry says %s", name, got, b.ScheduleExpression), applyBucket)
	}
	targets, err := x.targets(ctx, name)
	if err != nil {
		x.failed(AreaRules, "events:ListTargetsByRule", "rule "+name, err)
		x.rulesUnread = true
		return
	}
	for _, t := range targets {
		switch of, err := bucketOf(aws.ToString(t.Input)); {
		case err != nil:
			x.find(AreaRules, Note, about, fmt.Sprintf("its rule %s has a target of somebody else's, %s", name, aws.ToString(t.Arn)), "nothing, if that is meant")
		case of != b.Name:
			x.find(AreaRules, Fault, about, fmt.Sprintf("its rule %s triggers bucket %q instead", name, of), applyBucket)
		default:
			health.Functions = append(health.Functions, aws.ToString(t.Arn))
		}
	}
	switch len(health.Functions) {
	case 0:
		x.find(AreaRules, Fault, about, fmt.Sprintf("its rule %s has no target that is given this bucket: nothing is checked when it fires", name), applyBucket)
	case 1:
	default:
		x.find(AreaRules, Warning, about, fmt.Sprintf("its rule %s has %d targets for it: each tick runs that often, of which one drains the bucket", name, len(health.Functions)), "remove all but one")
	}
}

func (x *exam) targets(ctx context.Context, rule string) ([]types.Target, error) {
	var targets []types.Target
	in := &eventbridge.ListTargetsByRuleInput{Rule: &rule}
	for {
		out, err := x.Rules.ListTargetsByRule(ctx, in)
		if err != nil {
			return nil, err
		}
		targets = append(targets, out.Targets...)
		if aws.ToString(out.NextToken) == "" {
			return targets, nil
		}
		in.NextToken = out.NextToken
	}
}

// bucketOf is the bucket that a target's constant input names.
func bucketOf(input string) (string, error) {
	var event struct {
		CadenceBucket string `json:"cadenceBucket"`
	}
	if err := json.Unmarshal([]byte(input), &event); err != nil {
		return "", err
	}
	return signal.ParseBucketID(event.CadenceBucket)
}
