package function

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

var _ function.Function = parseSignalKey{}

type parseSignalKey struct{}

// NewParseSignalKey returns parse_signal_key.
func NewParseSignalKey() function.Function { return parseSignalKey{} }

func (parseSignalKey) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "parse_signal_key"
}

func (parseSignalKey) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Parts of a signal's partition key",
		MarkdownDescription: "Returns an object of `collection_id`, `activity_type`, `activity_id` and `product_id`, all text, from the partition key (`pk`) of a product's signals: the inverse of `signal_key`.",
		Parameters: []function.Parameter{function.StringParameter{
			Name:                "pk",
			MarkdownDescription: "The partition key, such as `availabilitySignal::mockPark1::backcountryCamp::1::1`. One that joins the last two parts by a single colon, as some data has it, is read too.",
		}},
		Return: function.ObjectReturn{AttributeTypes: partTypes()},
	}
}

func (parseSignalKey) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var pk string
	resp.Error = req.Arguments.Get(ctx, &pk)
	if resp.Error != nil {
		return
	}
	p, err := signal.ParsePK(pk)
	if err != nil {
		resp.Error = argumentError(0, err)
		return
	}
	parts := map[string]attr.Value{}
	for i, part := range []string{p.CollectionID, p.ActivityType, p.ActivityID, p.ProductID} {
		parts[partNames()[i]] = types.StringValue(part)
	}
	resp.Error = resp.Result.Set(ctx, types.ObjectValueMust(partTypes(), parts))
}

func partTypes() map[string]attr.Type {
	t := map[string]attr.Type{}
	for _, name := range partNames() {
		t[name] = types.StringType
	}
	return t
}
