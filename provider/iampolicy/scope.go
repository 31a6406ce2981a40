package iampolicy

import (
	"fmt"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/pattern"
)

// scope is what a role works on.
type scope struct {
	table, inventory             tableARN
	cadenceIndex, globalIDIndex  string
	rules                        []string
	source                       inventory
	function, stream             string
	tasks                        []string
	logGroup, failureDestination string
	keys                         []string
}

// tableARN is a table's ARN in its parts.
type tableARN struct{ partition, region, account, name string }

var tablePattern = pattern.New(`^arn:(aws[a-z-]*):dynamodb:([a-z0-9-]+):([0-9]{12}):table/([a-zA-Z0-9_.-]{3,255})$`)

func parseTable(text string) (tableARN, error) {
	m := tablePattern.Parts(text)
	if m == nil {
		return tableARN{}, fmt.Errorf("%q: expected a table's ARN, such as arn:aws:dynamodb:ca-central-1:123456789012:table/signals", text)
	}
	return tableARN{m[1], m[2], m[3], m[4]}, nil
}

func (t tableARN) String() string {
	return fmt.Sprintf("arn:%s:dynamodb:%s:%s:table/%s", t.partition, t.region, t.account, t.name)
}

func (t tableARN) index(name string) []string { return []string{t.String() + "/index/" + name} }

func (t tableARN) whole() []string { return []string{t.String()} }

// ruleARNs are those of the rules of the account and region with some names.
func (t tableARN) ruleARNs(names []string) []string {
	arns := make([]string, len(names))
	for i, name := range names {
		arns[i] = fmt.Sprintf("arn:%s:events:%s:%s:rule/%s", t.partition, t.region, t.account, name)
	}
	return arns
}

// endpoint is DynamoDB as KMS knows it.
func (t tableARN) endpoint() string {
	domain := "amazonaws.com"
	if t.partition == "aws-cn" {
		domain += ".cn"
	}
	return "dynamodb." + t.region + "." + domain
}

// service is the service of an ARN.
func service(arn string) string {
	parts := strings.SplitN(arn, ":", 4)
	if len(parts) < 4 {
		return ""
	}
	return parts[2]
}
