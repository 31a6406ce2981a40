package function

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/schedule"
)

var _ function.Function = scheduleExpression{}

type scheduleExpression struct{}

// NewScheduleExpression returns schedule_expression.
func NewScheduleExpression() function.Function { return scheduleExpression{} }

func (scheduleExpression) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "schedule_expression"
}

func (scheduleExpression) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "EventBridge's expression of a cadence",
		MarkdownDescription: "Returns the schedule expression of a cadence as EventBridge takes it, with its singular and plural: `rate(1 minute)`, `rate(5 minutes)`.",
		Parameters: []function.Parameter{function.MapParameter{
			Name: "cadence", ElementType: types.NumberType,
			MarkdownDescription: "Exactly one of `minutes`, `hours` and `days`, a whole number from 1; at most a year. Those that are null count as left out.",
		}},
		Return: function.StringReturn{},
	}
}

func (scheduleExpression) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var units types.Map
	resp.Error = req.Arguments.Get(ctx, &units)
	if resp.Error != nil {
		return
	}
	cadence, known, err := cadenceOf(units)
	switch {
	case err != nil:
		resp.Error = argumentError(0, err)
		return
	case !known:
		resp.Error = resp.Result.Set(ctx, types.StringUnknown())
		return
	}
	expression, err := cadence.Expression()
	if err != nil {
		resp.Error = argumentError(0, err)
		return
	}
	resp.Error = resp.Result.Set(ctx, expression)
}

// cadenceOf reads a map of units; known is false if one of them is unknown.
func cadenceOf(units types.Map) (c schedule.Cadence, known bool, err error) {
	fields := map[string]*int64{"minutes": &c.Minutes, "hours": &c.Hours, "days": &c.Days}
	known = true
	for _, unit := range slices.Sorted(maps.Keys(units.Elements())) {
		field := fields[unit]
		if field == nil {
			return c, false, fmt.Errorf("unknown unit %q: expected exactly one of minutes, hours and days, such as { minutes = 5 }", unit)
		}
		n, ok := units.Elements()[unit].(types.Number)
		switch {
		case !ok || n.IsUnknown():
			known = false
			continue
		case n.IsNull():
			continue
		}
		whole, exact := n.ValueBigFloat().Int64()
		if exact != 0 && n.ValueBigFloat().IsInt() && whole > 0 {
			return c, false, fmt.Errorf("%s: expected at most a year, got %s", unit, n.ValueBigFloat().Text('g', -1))
		}
		if exact != 0 || whole < 1 {
			return c, false, fmt.Errorf("%s: expected a whole number of at least 1, got %s", unit, n.ValueBigFloat().Text('f', -1))
		}
		*field = whole
	}
	return c, known, nil
}
