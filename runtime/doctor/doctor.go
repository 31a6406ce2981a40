package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
)

// TableAPI is what a Doctor calls of DynamoDB.
type TableAPI interface {
	dynamo.StoreAPI
	dynamo.FinderAPI
	dynamo.BatchGetAPI
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error)
}

// RulesAPI is what a Doctor calls of EventBridge.
type RulesAPI interface {
	DescribeRule(context.Context, *eventbridge.DescribeRuleInput, ...func(*eventbridge.Options)) (*eventbridge.DescribeRuleOutput, error)
	ListTargetsByRule(context.Context, *eventbridge.ListTargetsByRuleInput, ...func(*eventbridge.Options)) (*eventbridge.ListTargetsByRuleOutput, error)
	ListRuleNamesByTarget(context.Context, *eventbridge.ListRuleNamesByTargetInput, ...func(*eventbridge.Options)) (*eventbridge.ListRuleNamesByTargetOutput, error)
}

// FunctionAPI is what a Doctor calls of Lambda.
type FunctionAPI interface {
	GetFunctionConfiguration(context.Context, *lambda.GetFunctionConfigurationInput, ...func(*lambda.Options)) (*lambda.GetFunctionConfigurationOutput, error)
	GetFunctionEventInvokeConfig(context.Context, *lambda.GetFunctionEventInvokeConfigInput, ...func(*lambda.Options)) (*lambda.GetFunctionEventInvokeConfigOutput, error)
	GetFunctionConcurrency(context.Context, *lambda.GetFunctionConcurrencyInput, ...func(*lambda.Options)) (*lambda.GetFunctionConcurrencyOutput, error)
	GetPolicy(context.Context, *lambda.GetPolicyInput, ...func(*lambda.Options)) (*lambda.GetPolicyOutput, error)
	ListEventSourceMappings(context.Context, *lambda.ListEventSourceMappingsInput, ...func(*lambda.Options)) (*lambda.ListEventSourceMappingsOutput, error)
	Invoke(context.Context, *lambda.InvokeInput, ...func(*lambda.Options)) (*lambda.InvokeOutput, error)
}

// Doctor examines a table. All of its fields but Skew must be set.
type Doctor struct {
	DynamoDB  TableAPI
	Rules     RulesAPI
	Functions FunctionAPI
	// Table has the signals, Inventory the products and what is left of them; they
	// may be the same.
	Table, Inventory string
	// CadenceIndex and GlobalIDIndex are the names of Table's indexes.
	CadenceIndex, GlobalIDIndex string
	Now                         func() time.Time
	// Skew, if set, is by how much DynamoDB's clock is ahead of Now's.
	Skew operate.Skew
}

// Severity is how bad a finding is.
type Severity string

// The severities.
const (
	// Fault: something does not work.
	Fault Severity = "fault"
	// Warning: it works, and will hurt some day.
	Warning Severity = "warning"
	// Note: it is to be known.
	Note Severity = "note"
)

// Area is what a finding is about.
type Area string

// The areas, in the order in which they are examined.
const (
	AreaClock       Area = "clock"
	AreaTable       Area = "table"
	AreaPermissions Area = "permissions"
	AreaRegistry    Area = "registry"
	AreaRules       Area = "rules"
	AreaFunction    Area = "function"
	AreaStream      Area = "stream"
	AreaRuns        Area = "runs"
	AreaSignals     Area = "signals"
)

// Areas are all areas, in order.
func Areas() []Area {
	return []Area{AreaClock, AreaTable, AreaPermissions, AreaRegistry, AreaRules, AreaFunction, AreaStream, AreaRuns, AreaSignals}
}

// Finding is something that is not as it should be.
type Finding struct {
	Area     Area     `json:"area"`
	Severity Severity `json:"severity"`
	// About is the thing's name.
	About string `json:"about"`
	Says  string `json:"says"`
	// Remedy is what to do.
	Remedy string `json:"remedy"`
}

// Report is what a Doctor found.
type Report struct {
	Table    string    `json:"table"`
	At       time.Time `json:"at"`
	Findings []Finding `json:"findings"`
	Buckets  []Bucket  `json:"buckets"`
}

// exam is one examination.
type exam struct {
	*Doctor
	store  *dynamo.Store
	reader *read.Reader
	now    time.Time
	report Report
	census census
	// denied are the calls that were found to be.
	denied map[string]bool
	// rulesUnread is whether there is a rule of which it is not known what it invokes.
	rulesUnread bool
}

// Examine examines everything. What cannot be examined is a finding; the error is
// dynamo.ErrTableNotFound, or that ctx has ended.
func (d *Doctor) Examine(ctx context.Context) (Report, error) {
	x := &exam{
		Doctor: d, report: Report{Table: d.Table, Findings: []Finding{}, Buckets: []Bucket{}}, denied: map[string]bool{},
		store: dynamo.NewStore(d.DynamoDB, d.Table),
	}
	clock := x.clock(ctx)
	x.now = clock().UTC().Truncate(time.Second)
	x.report.At = x.now
	x.reader = read.New(d.DynamoDB, d.Table, read.WithConsistentReads(), read.WithClock(clock))
	if err := x.table(ctx); err != nil {
		return x.report, err
	}
	x.permissions(ctx)
	x.count(ctx)
	x.buckets(ctx)
	x.functions(ctx)
	x.streams(ctx)
	x.runs()
	x.signals()
	return x.report, context.Cause(ctx)
}

// clock is the one to judge by: DynamoDB's, if this machine's is wrong.
func (x *exam) clock(ctx context.Context) func() time.Time {
	if x.Skew == nil {
		return x.Now
	}
	skew, ok := x.Skew(ctx)
	if !ok {
		x.find(AreaClock, Note, "this machine", "whether its clock is right could not be told: DynamoDB's answer was none, or had no date", "see the findings below; compare the clock by hand")
		return x.Now
	}
	says, wrong := operate.Astray(skew)
	if !wrong {
		return x.Now
	}
	x.find(AreaClock, Fault, "this machine", "its clock is "+says+"; all that follows is judged by DynamoDB's", "set it right (NTP keeps it so); until then, no other task is done here, only with -function")
	return func() time.Time { return x.Now().Add(skew) }
}

func (x *exam) find(area Area, severity Severity, about, says, remedy string) {
	x.report.Findings = append(x.report.Findings, Finding{area, severity, about, says, remedy})
}

// failed notes a call of the Doctor's own that failed.
func (x *exam) failed(area Area, action, about string, err error) {
	if errors.Is(dynamo.Classify(err), dynamo.ErrAccessDenied) {
		x.deny(action, about)
		return
	}
	x.find(area, Warning, about, fmt.Sprintf("could not be examined: %v", err), "run the doctor again; if it stays so, see what the error names")
}

// deny notes a call that is denied, once.
func (x *exam) deny(action, about string) {
	if x.denied[action+about] {
		return
	}
	x.denied[action+about] = true
	x.find(AreaPermissions, Warning, about, action+" is denied to these credentials",
		"allow it for whoever runs the doctor; if these are the function's own, allow it for the function's role")
}

// code is AWS's word for an error.
func code(err error) string {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return api.ErrorCode()
	}
	return ""
}
