package iampolicy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

func TestPolicy_validation(t *testing.T) {
	unknown := acctest.Unknown{}
	arn := tableARN("signals")
	runtime := func(more acctest.Config) acctest.Config {
		return merged(acctest.Config{"role": "runtime", "table_arn": arn}, more)
	}
	tests := map[string]struct {
		config acctest.Config
		want   []string
	}{
		"role":          {acctest.Config{"role": "admin", "table_arn": arn}, []string{`role: Invalid IAM policy document: role "admin": expected one of runtime, writer, seeder, reader, planner.`}},
		"table's name":  {acctest.Config{"role": "writer", "table_arn": "signals"}, []string{`table_arn: Invalid IAM policy document: table_arn "signals": expected a table's ARN, such as arn:aws:dynamodb:ca-central-1:123456789012:table/signals.`}},
		"another table": {acctest.Config{"role": "runtime", "table_arn": arn, "inventory_table_arn": arn + "/index/x"}, []string{`inventory_table_arn: Invalid IAM policy document: inventory_table_arn "` + arn + `/index/x": expected a table's ARN, such as arn:aws:dynamodb:ca-central-1:123456789012:table/signals.`}},
		"index":         {runtime(acctest.Config{"cadence_index_name": "*"}), []string{`cadence_index_name: Invalid IAM policy document: cadence_index_name "*": expected an index's name of 3 to 255 letters, digits, and _ . -.`}},
		"another role's": {acctest.Config{"role": "writer", "table_arn": arn, "stream_arn": arn + "/stream/x", "cadence_index_name": "cadence-index", "rule_names": []any{"x"}}, []string{
			"cadence_index_name: Invalid IAM policy document: cadence_index_name is set, but the role writer has nothing to do with it.",
			"stream_arn: Invalid IAM policy document: stream_arn is set, but the role writer has nothing to do with it.",
			"rule_names: Invalid IAM policy document: rule_names is set, but the role writer has nothing to do with it.",
		}},
		"key":            {acctest.Config{"role": "writer", "table_arn": arn, "kms_key_arns": []any{"alias/signals"}}, []string{`kms_key_arns: Invalid IAM policy document: kms_key_arns "alias/signals": expected a key's ARN, such as arn:aws:kms:ca-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab.`}},
		"rule":           {acctest.Config{"role": "planner", "table_arn": arn, "rule_names": []any{"a/b"}}, []string{`rule_names: Invalid IAM policy document: rule_names "a/b": expected a rule's name of 1 to 64 letters, digits, and _ . -, with * for anything.`}},
		"no rules":       {acctest.Config{"role": "planner", "table_arn": arn, "rule_names": []any{}}, []string{`rule_names: Invalid IAM policy document: rule_names has no entry; leave it out for the default.`}},
		"source":         {runtime(acctest.Config{"source_type": "pigeons"}), []string{`source_type: Invalid IAM policy document: source_type "pigeons": expected one of inventory-pool, inventory-units, lambda, http.`}},
		"no function":    {runtime(acctest.Config{"source_type": "lambda"}), []string{`source_function_arn: Invalid IAM policy document: source_function_arn is not set: the source lambda needs it.`}},
		"function":       {runtime(acctest.Config{"source_type": "lambda", "source_function_arn": "estimate"}), []string{`source_function_arn: Invalid IAM policy document: source_function_arn "estimate": expected a function's ARN, such as arn:aws:lambda:ca-central-1:123456789012:function:estimate.`}},
		"idle function":  {runtime(acctest.Config{"source_function_arn": functionARN("estimate")}), []string{`source_function_arn: Invalid IAM policy document: source_function_arn is set, but it is for the source lambda, and source_type is inventory-pool.`}},
		"idle prefix":    {runtime(acctest.Config{"source_type": "http", "inventory_key_prefix": "stock::"}), []string{`inventory_key_prefix: Invalid IAM policy document: inventory_key_prefix is set, but the source http does not read the inventory's table.`}},
		"empty prefix":   {runtime(acctest.Config{"inventory_key_prefix": ""}), []string{`inventory_key_prefix: Invalid IAM policy document: inventory_key_prefix "": expected what keys begin with, without *, ? and $, which IAM takes for patterns.`}},
		"wide prefix":    {runtime(acctest.Config{"inventory_key_prefix": "*"}), []string{`inventory_key_prefix: Invalid IAM policy document: inventory_key_prefix "*": expected what keys begin with, without *, ? and $, which IAM takes for patterns.`}},
		"attributes":     {runtime(acctest.Config{"inventory_attributes": []any{"p*"}}), []string{`inventory_attributes: Invalid IAM policy document: inventory_attributes "p*": expected an attribute's name, without *, ? and $, which IAM takes for patterns.`}},
		"stream":         {runtime(acctest.Config{"stream_arn": arn}), []string{`stream_arn: Invalid IAM policy document: stream_arn "` + arn + `": expected a table's stream's ARN, such as arn:aws:dynamodb:ca-central-1:123456789012:table/reservations/stream/2027-01-01T00:00:00.000.`}},
		"log group":      {runtime(acctest.Config{"log_group_arn": "/aws/lambda/availability"}), []string{`log_group_arn: Invalid IAM policy document: log_group_arn "/aws/lambda/availability": expected a log group's ARN without :* at its end, such as arn:aws:logs:ca-central-1:123456789012:log-group:/aws/lambda/availability.`}},
		"task":           {runtime(acctest.Config{"tasks": []any{"doctor"}}), []string{`tasks: Invalid IAM policy document: tasks "doctor": expected one of audit, check, explain, sweep, sync.`}},
		"another's task": {acctest.Config{"role": "reader", "table_arn": arn, "tasks": []any{"sync"}}, []string{`tasks: Invalid IAM policy document: tasks is set, but the role reader has nothing to do with it.`}},
		"failures":       {runtime(acctest.Config{"failure_destination_arn": functionARN("failed")}), []string{`failure_destination_arn: Invalid IAM policy document: failure_destination_arn "` + functionARN("failed") + `": expected the ARN of an SQS queue or of an SNS topic.`}},

		"all unknown": {acctest.Config{
			"role": unknown, "table_arn": unknown, "cadence_index_name": unknown, "global_id_index_name": unknown, "kms_key_arns": unknown, "rule_names": unknown,
			"inventory_table_arn": unknown, "source_type": unknown, "source_function_arn": unknown, "inventory_key_prefix": unknown, "inventory_attributes": unknown,
			"stream_arn": unknown, "tasks": unknown, "log_group_arn": unknown, "failure_destination_arn": unknown,
		}, nil},
		"unknown source":   {runtime(acctest.Config{"source_type": unknown, "source_function_arn": unknown}), nil},
		"unknown function": {runtime(acctest.Config{"source_type": "lambda", "source_function_arn": unknown}), nil},
		"unknown key":      {acctest.Config{"role": "writer", "table_arn": unknown, "kms_key_arns": []any{unknown}}, nil},
		"no task":          {runtime(acctest.Config{"tasks": []any{}}), nil},
		"unknown task":     {runtime(acctest.Config{"tasks": []any{unknown}}), nil},
		"no key":           {acctest.Config{"role": "writer", "table_arn": arn, "kms_key_arns": []any{}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, acctest.NewOfflineServer(t).ValidateData(typeName, tt.config)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The settings show where they should, and their order makes no difference.
func TestPolicy_settings(t *testing.T) {
	resources := func(p policy, action string) []string {
		var all []string
		for _, s := range p.Statement {
			if slices.Contains(s.Action, action) {
				all = append(all, s.Resource...)
			}
		}
		return all
	}
	p := render(t, "seeder", "signals", acctest.Config{"rule_names": []any{"signals-*", "morning"}, "cadence_index_name": "gsi1", "global_id_index_name": "gsi2"})
	if diff := cmp.Diff([]string{ruleARN("morning"), ruleARN("signals-*")}, resources(p, "events:PutRule")); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	for _, index := range []string{"gsi1", "gsi2"} {
		if !slices.Contains(resources(p, "dynamodb:Query"), tableARN("signals")+"/index/"+index) {
			t.Errorf("no query of %s in %v", index, p)
		}
	}
	// A name that is too long for a rule ends in a hash, which the policy cannot know.
	long := strings.Repeat("signals", 10)
	if diff := cmp.Diff([]string{ruleARN(("availability-" + long)[:56] + "*")}, resources(render(t, "seeder", long, nil), "events:PutRule")); diff != "" {
		t.Errorf("rules of a long name (-want +got):\n%s", diff)
	}
	p = render(t, "runtime", "signals", acctest.Config{"inventory_key_prefix": "stock::", "inventory_attributes": []any{"id", "part", "left"}})
	read := request{action: "dynamodb:Query", resource: tableARN("signals"), context: map[string][]string{
		"dynamodb:LeadingKeys": {"stock::1"}, "dynamodb:Attributes": {"id", "left", "part"}, "dynamodb:Select": {"SPECIFIC_ATTRIBUTES"},
	}}
	if !p.allows(read) || p.allows(read.with("dynamodb:LeadingKeys", "inventoryPool::1")) || p.allows(read.with("dynamodb:Attributes", "availability")) {
		t.Errorf("the inventory is not as set: %v", p)
	}
	if a, b := text(t, "seeder", "signals", acctest.Config{"rule_names": []any{"a", "b"}}), text(t, "seeder", "signals", acctest.Config{"rule_names": []any{"b", "a"}}); a != b {
		t.Errorf("the order makes a difference:\n%s\n%s", a, b)
	}
	// Each role's keys are DynamoDB's to use alone.
	const china = "arn:aws-cn:dynamodb:cn-north-1:123456789012:table/signals"
	key := "arn:aws-cn:kms:cn-north-1:123456789012:key/1234abcd"
	for _, role := range []string{"runtime", "writer", "seeder", "reader", "planner"} {
		p := render(t, role, "signals", acctest.Config{"table_arn": china, "kms_key_arns": []any{key}})
		decrypt := request{action: "kms:Decrypt", resource: key, context: map[string][]string{"kms:ViaService": {"dynamodb.cn-north-1.amazonaws.com.cn"}}}
		if !p.allows(decrypt) || p.allows(decrypt.with("kms:ViaService")) || p.allows(decrypt.with("kms:ViaService", "s3.cn-north-1.amazonaws.com.cn")) {
			t.Errorf("%s: %v", role, p)
		}
	}
}
