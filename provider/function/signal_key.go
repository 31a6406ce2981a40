// Package function is the provider's functions. They are pure: the same arguments
// give the same result everywhere, and no setting of the provider is seen.
package function

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

var _ function.Function = signalKey{}

type signalKey struct{}

// NewSignalKey returns signal_key.
func NewSignalKey() function.Function { return signalKey{} }

func (signalKey) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "signal_key"
}

func (signalKey) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	part := func(name, what string) function.Parameter {
		return function.StringParameter{
			Name:                name,
			MarkdownDescription: "Id of the " + what + "; a number is accepted. It must not be empty, contain `::` or control characters, or begin or end with `:`.",
		}
	}
	resp.Definition = function.Definition{
		Summary:             "Partition key of a product's signals",
		MarkdownDescription: "Returns the partition key (`pk`) of the signals of a product, such as `availabilitySignal::mockPark1::backcountryCamp::1::1`. The sort key (`sk`) is the date.",
		Parameters: []function.Parameter{
			part("collection_id", "collection"), part("activity_type", "activity's type"),
			part("activity_id", "activity"), part("product_id", "product"),
		},
		Return: function.StringReturn{},
	}
}

func (signalKey) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var p signal.Product
	parts := []*string{&p.CollectionID, &p.ActivityType, &p.ActivityID, &p.ProductID}
	resp.Error = req.Arguments.Get(ctx, parts[0], parts[1], parts[2], parts[3])
	if resp.Error != nil {
		return
	}
	if err := p.Validate(); err != nil {
		resp.Error = function.NewFuncError(sentence(err))
		if part, ok := errors.AsType[*signal.PartError](err); ok {
			for i, name := range partNames() {
				if name == part.Part {
					resp.Error = argumentError(int64(i), err)
				}
			}
		}
		return
	}
	resp.Error = resp.Result.Set(ctx, p.PK())
}

// partNames are the parts of a key as they are called in Terraform, in order.
func partNames() []string {
	return []string{"collection_id", "activity_type", "activity_id", "product_id"}
}
