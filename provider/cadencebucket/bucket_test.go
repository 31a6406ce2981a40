package cadencebucket_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	ebtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

const (
	functionARN = "arn:aws:lambda:ca-central-1:123456789012:function:availability"
	queueARN    = "arn:aws:sqs:ca-central-1:123456789012:missed-ticks"
)

// world is what a test sees of AWS beside the provider.
type world struct {
	t     *testing.T
	table string
	db    *dynamodb.Client
	eb    *eventbridge.Client
}

func newWorld(t *testing.T) world {
	t.Helper()
	return world{t: t, table: acctest.Table(t), db: acctest.DynamoDB(t), eb: acctest.EventBridge(t)}
}

// rule is the default name of the rule of a bucket.
func (w world) rule(bucket string) string { return "availability-" + w.table + "-" + bucket }

// registryItem is a bucket's registry item as plain values, or nil.
func (w world) registryItem(bucket string) map[string]any {
	w.t.Helper()
	return w.item("cadenceBucket::"+bucket, "cadenceBucket")
}

func (w world) item(pk, sk string) map[string]any {
	w.t.Helper()
	out, err := w.db.GetItem(w.ctx(), &dynamodb.GetItemInput{TableName: &w.table, Key: key(pk, sk), ConsistentRead: aws.Bool(true)})
	if err != nil {
		w.t.Fatalf("read item: %v", err)
	}
	if out.Item == nil {
		return nil
	}
	return plainItem(w.t, out.Item)
}

func (w world) deleteItem(pk, sk string) {
	w.t.Helper()
	if _, err := w.db.DeleteItem(w.ctx(), &dynamodb.DeleteItemInput{TableName: &w.table, Key: key(pk, sk)}); err != nil {
		w.t.Fatalf("delete item: %v", err)
	}
}

// put writes an item of strings and whole numbers.
func (w world) put(item map[string]any) {
	w.t.Helper()
	av := map[string]ddbtypes.AttributeValue{}
	for name, v := range item {
		switch v := v.(type) {
		case string:
			av[name] = &ddbtypes.AttributeValueMemberS{Value: v}
		case int64:
			av[name] = &ddbtypes.AttributeValueMemberN{Value: fmt.Sprint(v)}
		}
	}
	if _, err := w.db.PutItem(w.ctx(), &dynamodb.PutItemInput{TableName: &w.table, Item: av}); err != nil {
		w.t.Fatalf("put item: %v", err)
	}
}

func (w world) set(pk, sk, attribute string, v ddbtypes.AttributeValue) {
	w.t.Helper()
	_, err := w.db.UpdateItem(w.ctx(), &dynamodb.UpdateItemInput{
		TableName: &w.table, Key: key(pk, sk), UpdateExpression: aws.String("SET #a = :v"),
		ExpressionAttributeNames:  map[string]string{"#a": attribute},
		ExpressionAttributeValues: map[string]ddbtypes.AttributeValue{":v": v},
	})
	if err != nil {
		w.t.Fatalf("update item: %v", err)
	}
}

// eventRule is a rule as a person sees it in the console.
type eventRule struct {
	Schedule, State, Description string
	Tags                         map[string]string
	Targets                      []ebtypes.Target
}

// describe reads a rule; nil if there is none.
func (w world) describe(rule string) *eventRule {
	w.t.Helper()
	out, err := w.eb.DescribeRule(w.ctx(), &eventbridge.DescribeRuleInput{Name: &rule})
	if err != nil {
		if strings.Contains(err.Error(), "ResourceNotFoundException") {
			return nil
		}
		w.t.Fatalf("describe rule: %v", err)
	}
	found := &eventRule{
		Schedule: aws.ToString(out.ScheduleExpression), State: string(out.State), Description: aws.ToString(out.Description),
		Tags: map[string]string{},
	}
	tags, err := w.eb.ListTagsForResource(w.ctx(), &eventbridge.ListTagsForResourceInput{ResourceARN: out.Arn})
	if err != nil {
		w.t.Fatalf("list tags: %v", err)
	}
	for _, t := range tags.Tags {
		found.Tags[*t.Key] = *t.Value
	}
	targets, err := w.eb.ListTargetsByRule(w.ctx(), &eventbridge.ListTargetsByRuleInput{Rule: &rule})
	if err != nil {
		w.t.Fatalf("list targets: %v", err)
	}
	found.Targets = targets.Targets
	return found
}

// putRule makes a rule as somebody else would, and removes it at the end.
func (w world) putRule(rule string, tags map[string]string) {
	w.t.Helper()
	in := &eventbridge.PutRuleInput{Name: &rule, ScheduleExpression: aws.String("rate(3 days)"), Description: aws.String("not yours")}
	for k, v := range tags {
		in.Tags = append(in.Tags, ebtypes.Tag{Key: &k, Value: &v})
	}
	if _, err := w.eb.PutRule(w.ctx(), in); err != nil {
		w.t.Fatalf("put rule: %v", err)
	}
	w.t.Cleanup(func() { w.deleteRule(rule) })
}

func (w world) putTarget(rule, id, arn string) {
	w.t.Helper()
	_, err := w.eb.PutTargets(w.ctx(), &eventbridge.PutTargetsInput{Rule: &rule, Targets: []ebtypes.Target{{Id: &id, Arn: &arn}}})
	if err != nil {
		w.t.Fatalf("put target: %v", err)
	}
}

func (w world) removeTarget(rule, id string) {
	w.t.Helper()
	if _, err := w.eb.RemoveTargets(w.ctx(), &eventbridge.RemoveTargetsInput{Rule: &rule, Ids: []string{id}}); err != nil {
		w.t.Fatalf("remove target: %v", err)
	}
}

// deleteRule deletes a rule and its targets, as a person does by hand.
func (w world) deleteRule(rule string) {
	w.t.Helper()
	found := w.describe(rule)
	if found == nil {
		return
	}
	for _, t := range found.Targets {
		w.removeTarget(rule, *t.Id)
	}
	if _, err := w.eb.DeleteRule(w.ctx(), &eventbridge.DeleteRuleInput{Name: &rule}); err != nil {
		w.t.Fatalf("delete rule: %v", err)
	}
}

// holdNothing holds that nothing of a bucket is left.
func (w world) holdNothing(bucket, rule string) {
	w.t.Helper()
	if item := w.registryItem(bucket); item != nil {
		w.t.Errorf("the registry item is still there: %v", item)
	}
	if found := w.describe(rule); found != nil {
		w.t.Errorf("the rule is still there: %v", found)
	}
}

// ctx outlives the test's own, so that clean-ups can use it.
func (w world) ctx() context.Context { return context.WithoutCancel(w.t.Context()) }

func key(pk, sk string) map[string]ddbtypes.AttributeValue {
	return map[string]ddbtypes.AttributeValue{
		"pk": &ddbtypes.AttributeValueMemberS{Value: pk},
		"sk": &ddbtypes.AttributeValueMemberS{Value: sk},
	}
}

func plainItem(t *testing.T, av map[string]ddbtypes.AttributeValue) map[string]any {
	t.Helper()
	m := map[string]any{}
	for name, v := range av {
		switch v := v.(type) {
		case *ddbtypes.AttributeValueMemberS:
			m[name] = v.Value
		case *ddbtypes.AttributeValueMemberN:
			m[name] = json.Number(v.Value)
		case *ddbtypes.AttributeValueMemberBOOL:
			m[name] = v.Value
		case *ddbtypes.AttributeValueMemberM:
			m[name] = plainItem(t, v.Value)
		default:
			t.Fatalf("item has a %T", v)
		}
	}
	return m
}

// arnOf matches the ARN of a rule in whatever account and region.
func arnOf(rule string) *regexp.Regexp {
	return regexp.MustCompile(`^arn:aws:events:[a-z0-9-]+:[0-9]{12}:rule/` + regexp.QuoteMeta(rule) + `$`)
}
