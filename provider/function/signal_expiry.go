package function

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

var _ function.Function = signalExpiry{}

type signalExpiry struct{}

// NewSignalExpiry returns signal_expiry.
func NewSignalExpiry() function.Function { return signalExpiry{} }

func (signalExpiry) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "signal_expiry"
}

func (signalExpiry) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "When a signal expires by default",
		MarkdownDescription: "Returns the instant at which the day after a date begins in a time zone, in UTC with milliseconds, such as `2026-07-02T07:00:00.000Z`: the default expiry of that date's signal. " +
			"The zone data is the provider's own, not the machine's.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "date", MarkdownDescription: "The calendar date, `YYYY-MM-DD`."},
			function.StringParameter{Name: "time_zone", MarkdownDescription: "The IANA time zone of the product, such as `America/Vancouver` or `UTC`."},
		},
		Return: function.StringReturn{},
	}
}

func (signalExpiry) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var date, name string
	resp.Error = req.Arguments.Get(ctx, &date, &name)
	if resp.Error != nil {
		return
	}
	d, err := signal.ParseDate(date)
	if err != nil {
		resp.Error = argumentError(0, err)
		return
	}
	zone, err := signal.LoadZone(name)
	if err != nil {
		resp.Error = argumentError(1, err)
		return
	}
	resp.Error = resp.Result.Set(ctx, signal.FormatInstant(signal.Expiry(d, zone)))
}
