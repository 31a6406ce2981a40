package guides_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	ebtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// local keeps what makes functions and roles on the local AWS.
func local(t *testing.T) {
	t.Helper()
	if os.Getenv("AWS_ENDPOINT_URL") == "" {
		t.Skip("makes functions and roles, on the local AWS alone")
	}
}

func callerAccount(t *testing.T) string {
	t.Helper()
	local(t)
	return "000000000000"
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func holdRule(t *testing.T, rules *eventbridge.Client, name string, want bool) {
	t.Helper()
	_, err := rules.DescribeRule(t.Context(), &eventbridge.DescribeRuleInput{Name: &name})
	if err != nil && !isA[*ebtypes.ResourceNotFoundException](err) {
		t.Fatal(err)
	}
	if (err == nil) != want {
		t.Errorf("rule %s is there: %t, want %t", name, err == nil, want)
	}
}

// newFunction creates the runtime's function, with those settings, and returns its
// name.
func newFunction(t *testing.T, g *guide, settings map[string]string) string {
	t.Helper()
	name := acctest.Name("availability")
	client := acctest.Lambda(t)
	_, err := client.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: &name, Runtime: lambdatypes.RuntimeProvidedal2023, Handler: aws.String("bootstrap"),
		Architectures: []lambdatypes.Architecture{lambdatypes.Architecture(acctest.Architecture())},
		Code:          &lambdatypes.FunctionCode{ZipFile: g.function()}, Role: aws.String("arn:aws:iam::000000000000:role/availability"),
		Timeout:     aws.Int32(60),
		Environment: &lambdatypes.Environment{Variables: settings},
	})
	if err != nil && !isA[*lambdatypes.ResourceConflictException](err) {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := client.DeleteFunction(context.WithoutCancel(t.Context()), &lambda.DeleteFunctionInput{FunctionName: &name})
		if err != nil && !isA[*lambdatypes.ResourceNotFoundException](err) {
			t.Error(err)
		}
	})
	return name
}

// tick invokes a function as a rule's target does.
func tick(t *testing.T, function, input string) {
	t.Helper()
	out, err := acctest.Lambda(t).Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &function, Payload: []byte(input)})
	if err != nil {
		t.Fatal(err)
	}
	if out.FunctionError != nil {
		t.Fatalf("the function failed: %s\n%s", *out.FunctionError, out.Payload)
	}
}

// onlyInput is the constant input of a rule's one target.
func onlyInput(t *testing.T, rule string) string {
	t.Helper()
	out, err := acctest.EventBridge(t).ListTargetsByRule(t.Context(), &eventbridge.ListTargetsByRuleInput{Rule: &rule})
	if err != nil || len(out.Targets) != 1 {
		t.Fatalf("targets of rule %s: %v, %v", rule, out, err)
	}
	return aws.ToString(out.Targets[0].Input)
}

// stringItem is an item of string attributes, given as names and values.
func stringItem(pairs ...string) map[string]types.AttributeValue {
	item := map[string]types.AttributeValue{}
	for i := 0; i < len(pairs); i += 2 {
		item[pairs[i]] = &types.AttributeValueMemberS{Value: pairs[i+1]}
	}
	return item
}

func hash(name string) types.KeySchemaElement {
	return types.KeySchemaElement{AttributeName: &name, KeyType: types.KeyTypeHash}
}

func sort(name string) types.KeySchemaElement {
	return types.KeySchemaElement{AttributeName: &name, KeyType: types.KeyTypeRange}
}
