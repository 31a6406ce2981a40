package runtimeenvironment

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/whole"
)

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	variables := func(text string, sensitive bool) schema.MapAttribute {
		return schema.MapAttribute{Computed: true, Sensitive: sensitive, ElementType: types.StringType, MarkdownDescription: text}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Environment variables of the runtime's function, made of typed settings and checked as the function itself checks them. What is not set here is not set there, and has the function's own default. AWS is not asked.",
		Attributes: map[string]schema.Attribute{
			"table_name": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Name or ARN of the table of the signals and buckets. Default: the provider's `table_name`.",
			},
			"cadence_index_name": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Name of the table's index on `gsipk` and `gsisk`. Default: the provider's `cadence_index_name`.",
			},
			"inventory_table_name": text("Name or ARN of the table of the inventory, and of the platform's products. Default: the signals' table."),
			"log_level":            text("What is logged: `debug`, `info`, `warn` or `error`. Default: `info`."),
			"default_bucket":       text("Name of the bucket of signals that the stream seeds for dates and products whose pattern has no cadence. Default: none."),
			"default_pattern": schema.SingleNestedAttribute{
				Optional:            true,
				MarkdownDescription: "Pattern of signals that the stream seeds for dates and products that have none. Default: none.",
				Attributes: map[string]schema.Attribute{
					"estimation_mode": schema.StringAttribute{Required: true, MarkdownDescription: "`exact` for a count, `tiered` for the id of a tier."},
					"tiers": schema.ListNestedAttribute{
						Optional:            true,
						MarkdownDescription: "Tiers, for the mode `tiered` alone. Default: full 0, low 0.25, medium 0.75, high 1.",
						NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
							"id":             schema.StringAttribute{Required: true, MarkdownDescription: "Value of a signal in this tier."},
							"label":          text("For people. Default: none."),
							"max_percentage": schema.NumberAttribute{Required: true, MarkdownDescription: "Inclusive upper bound of available/capacity, as a fraction from 0 to 1."},
						}},
					},
				},
			},
			"source":              source(),
			"variables":           variables("The variables, but for those of `sensitive_variables`.", false),
			"sensitive_variables": variables("Those that hold a secret: `source.bearer_token`. They are in the state, as they are in the function's; merge them with `variables`.", true),
		},
	}
}

func text(description string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description}
}

// source has an attribute for each variable that begins with AVAILABILITY_SOURCE_,
// of the same name.
func source() schema.SingleNestedAttribute {
	number := func(description string) schema.Int64Attribute {
		return schema.Int64Attribute{CustomType: whole.Type{}, Optional: true, MarkdownDescription: description}
	}
	statuses := func(description string) schema.SetAttribute {
		return schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: description}
	}
	const inventory, remote = " For `inventory-pool` and `inventory-units`.", " For `lambda` and `http`."
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Where availability comes from. A setting of another source than `type` is an error. Default: `inventory-pool`.",
		Attributes: map[string]schema.Attribute{
			"type":           text("`inventory-pool`, `inventory-units`, `lambda` or `http`. Leave it out for a binary with a source of its own. Default: `inventory-pool`."),
			"settle_seconds": number("By how many seconds the source may lag behind what has been committed, 0 to 3600. A changed signal then takes two checks, that far apart, to be clean. Default: 0."),

			"key_template":            text("Partition key of a date's inventory, of `{collectionId}`, `{activityType}`, `{activityId}`, `{productId}` and `{date}`. Default: `inventoryPool::...` or `inventory::{collectionId}::{activityType}::{activityId}::{productId}::{date}`." + inventory),
			"partition_key_attribute": text("Name of the inventory table's partition key. Default: `pk`." + inventory),
			"sort_key_attribute":      text("Name of the inventory table's sort key. Default: `sk`." + inventory),
			"available_attribute":     text("Attribute of how much is left. Default: `availability`. For `inventory-pool`."),
			"capacity_attribute":      text("Attribute of how much there is. Default: `capacity`. For `inventory-pool`."),
			"status_attribute":        text("Attribute of a unit's status. Default: `allocationStatus`. For `inventory-units`."),
			"available_statuses":      statuses("Statuses of units that are available. Default: `available`. For `inventory-units`."),
			"retired_statuses":        statuses("Statuses of units that are no part of the capacity. Default: `retired`. For `inventory-units`."),

			"function":                  text("Name or ARN of the function that estimates. For `lambda`, which needs it."),
			"qualifier":                 text("Version or alias of the function; may be part of `function`. Default: none. For `lambda`."),
			"url":                       text("URL that answers with estimates. For `http`, which needs it."),
			"bearer_token":              schema.StringAttribute{Optional: true, Sensitive: true, MarkdownDescription: "Token that proves who asks; either this or `signing_service`. It ends up in the state, twice. For `http`."},
			"signing_service":           text("Service to sign for with SigV4, such as `execute-api` or `lambda`. For `http`."),
			"signing_region":            text("Region to sign for. Default: the function's. For `http`."),
			"timeout_seconds":           number("For how many seconds a request may take, 1 to 880; a bucket's `lease_seconds` must be 20 more at least. Default: 15." + remote),
			"attempts":                  number("How often a request is sent in all, 1 to 10. Default: 3." + remote),
			"batch_size":                number("How many signals a request asks for at most, 1 to 1000. Default: 25." + remote),
			"batch_linger_milliseconds": number("For how many milliseconds a signal waits for others to be asked for with it, 0 to 1000. Default: 10." + remote),
			"concurrency":               number("How many requests are under way at once, 1 to 100. Default: 4." + remote),
		},
	}
}
