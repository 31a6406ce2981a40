package iampolicy

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	texts := func(description string) schema.SetAttribute {
		return schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: description}
	}
	index := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: description}
	}
	const runtimeOnly = " For `runtime` alone."
	resp.Schema = schema.Schema{
		MarkdownDescription: "The least that a role needs, as an IAM policy: actions, tables and indexes, and within them the items, by their partition keys, and the attributes. AWS is not asked.",
		Attributes: map[string]schema.Attribute{
			"role": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "`runtime`: the function. `writer`: an application that flips signals. `reader`: one that shows their values. " +
					"`seeder`: Terraform that creates, changes and destroys buckets and signals. `planner`: Terraform that only plans and refreshes them.",
			},
			"table_arn":            schema.StringAttribute{Required: true, MarkdownDescription: "ARN of the table of the signals and buckets."},
			"cadence_index_name":   index("Name of the table's index on `gsipk` and `gsisk`. Default: the provider's `cadence_index_name`. Not for `writer`."),
			"global_id_index_name": index("Name of the table's index on `globalId`. Default: the provider's `global_id_index_name`. Not for `writer` and `runtime`."),
			"kms_key_arns":         texts("ARNs of the customer managed keys that the tables are encrypted with. Default: none, for AWS's own keys."),
			"rule_names":           texts("Names of the buckets' rules, in which `*` stands for anything. Default: `availability-<table>-*`, as the buckets' `rule_name` is by default. For `seeder` and `planner`."),
			"inventory_table_arn":  text("ARN of the table of the inventory, and of the platform's products. Default: the signals' table." + runtimeOnly),
			"source_type":          text("Where availability comes from, as in the function's environment: `inventory-pool`, `inventory-units`, `lambda` or `http`. What an `http` source asks of IAM is its own. Default: `inventory-pool`." + runtimeOnly),
			"source_function_arn":  text("ARN of the function that estimates, with its qualifier if it is asked by one. For `runtime` with the source `lambda`, which needs it."),
			"inventory_key_prefix": text("What the partition keys of the inventory begin with. Default: that of the source's own template, `inventoryPool::` or `inventory::`." + runtimeOnly),
			"inventory_attributes": texts("Attributes of the inventory that the source reads, its key's among them. Default: those of the source." + runtimeOnly),
			"stream_arn":           text("ARN of the stream of the platform's table, for a function that keeps the signals by it. Default: none." + runtimeOnly),
			"tasks": texts("Tasks of operators that the function is to do: `explain`, `check`, `audit`, `sweep`, and `sync`, which reads the keys of both tables and seeds, changes and deletes signals. " +
				"Default: none, with which those of a signal that there is, or of a bucket, work nevertheless: they need nothing more than runs do." + runtimeOnly),
			"log_group_arn":           text("ARN of the function's log group. Default: none, where another policy lets it log." + runtimeOnly),
			"failure_destination_arn": text("ARN of the SQS queue or SNS topic that failed events of the function go to. Default: none." + runtimeOnly),
			"json":                    schema.StringAttribute{Computed: true, MarkdownDescription: "The policy, for `aws_iam_policy`, `aws_iam_role_policy` and the like. The same settings always make the same text."},
		},
	}
}
