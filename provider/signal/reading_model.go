package signal

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/read"
)

// readingModel is what data sources say of a signal.
type readingModel struct {
	CollectionID  types.String `tfsdk:"collection_id"`
	ActivityType  types.String `tfsdk:"activity_type"`
	ActivityID    types.String `tfsdk:"activity_id"`
	ProductID     types.String `tfsdk:"product_id"`
	Date          types.String `tfsdk:"date"`
	GlobalID      types.String `tfsdk:"global_id"`
	CadenceBucket types.String `tfsdk:"cadence_bucket"`
	Value         types.String `tfsdk:"value"`
	AsOf          types.String `tfsdk:"as_of"`
	DirtySince    types.String `tfsdk:"dirty_since"`
	Expiry        types.String `tfsdk:"expiry"`
	Pending       types.Bool   `tfsdk:"pending"`
	Stale         types.Bool   `tfsdk:"stale"`
	Expired       types.Bool   `tfsdk:"expired"`
	Unknown       types.Bool   `tfsdk:"unknown"`
}

func readingOf(r read.Reading) readingModel {
	orNull := func(s string) types.String {
		if s == "" {
			return types.StringNull()
		}
		return types.StringValue(s)
	}
	return readingModel{
		CollectionID: types.StringValue(r.CollectionID), ActivityType: types.StringValue(r.ActivityType),
		ActivityID: types.StringValue(r.ActivityID), ProductID: types.StringValue(r.ProductID), Date: types.StringValue(r.Date.String()),
		GlobalID: orNull(r.GlobalID), CadenceBucket: orNull(r.Bucket), Value: orNull(r.Value),
		AsOf: instant(r.AsOf), DirtySince: instant(r.DirtySince), Expiry: instant(r.Expiry),
		Pending: types.BoolValue(r.Pending), Stale: types.BoolValue(r.Stale), Expired: types.BoolValue(r.Expired), Unknown: types.BoolValue(r.Unknown),
	}
}

// readingAttributes are the attributes of a signal that are read and never given.
func readingAttributes() map[string]schema.Attribute {
	text := func(text string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	flag := func(text string) schema.BoolAttribute {
		return schema.BoolAttribute{Computed: true, MarkdownDescription: text}
	}
	return map[string]schema.Attribute{
		"cadence_bucket": text("Name of the bucket that checks it; null if it is in none."),
		"value":          text("The cached availability: a whole number, a tier's id, or `none` where there is no inventory at all. Null if it is `unknown` or `expired`. For showing only: it must never decide a booking."),
		"as_of":          text("When the read of the inventory behind the value began, ISO 8601. Null if that is not known, as for an initial value."),
		"dirty_since":    text("When the change was made that makes it `pending`, ISO 8601; null if it is not."),
		"expiry":         text("When it expires, ISO 8601; null for never."),
		"pending":        flag("Whether something has changed that the next check will look at: the value is that of before."),
		"stale":          flag("Whether the checks are not keeping up: its bucket has not run for three cadences, is not registered, or it has been `pending` for longer than that. A value that has not changed for long is not stale."),
		"expired":        flag("Whether its date is over."),
		"unknown":        flag("Whether no value has been computed yet."),
	}
}

func readingTypes() map[string]attr.Type {
	t := map[string]attr.Type{}
	for _, name := range []string{
		"collection_id", "activity_type", "activity_id", "product_id", "date", "global_id", "cadence_bucket",
		"value", "as_of", "dirty_since", "expiry",
	} {
		t[name] = types.StringType
	}
	for _, name := range []string{"pending", "stale", "expired", "unknown"} {
		t[name] = types.BoolType
	}
	return t
}
