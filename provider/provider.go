// Package provider is the Terraform provider availability: its configuration,
// and the list of what it offers.
package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/availability-signal/terraform-provider-availability/provider/cadencebucket"
	providerfunction "github.com/availability-signal/terraform-provider-availability/provider/function"
	"github.com/availability-signal/terraform-provider-availability/provider/iampolicy"
	"github.com/availability-signal/terraform-provider-availability/provider/runtimeenvironment"
	"github.com/availability-signal/terraform-provider-availability/provider/runtimepackage"
	"github.com/availability-signal/terraform-provider-availability/provider/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/bundle"
)

var (
	_ provider.ProviderWithActions        = (*availability)(nil)
	_ provider.ProviderWithFunctions      = (*availability)(nil)
	_ provider.ProviderWithListResources  = (*availability)(nil)
	_ provider.ProviderWithValidateConfig = (*availability)(nil)
)

type availability struct {
	version string
	now     func() time.Time
	sleep   func(context.Context, time.Duration) error
	bundle  bundle.Bundle
}

// Option changes what a provider takes from its surroundings.
type Option func(*availability)

// WithClock sets the clock, instead of the machine's.
func WithClock(now func() time.Time) Option {
	return func(p *availability) { p.now = now }
}

// WithSleep sets how a range waits before it sends again what the table has turned
// down, instead of by the machine's clock.
func WithSleep(sleep func(ctx context.Context, d time.Duration) error) Option {
	return func(p *availability) { p.sleep = sleep }
}

// WithBundle sets the Lambda packages, instead of those embedded in the program.
func WithBundle(b bundle.Bundle) Option {
	return func(p *availability) { p.bundle = b }
}

// New returns the constructor of the provider of that version.
func New(version string, opts ...Option) func() provider.Provider {
	return func() provider.Provider {
		p := &availability{version: version, now: time.Now, bundle: bundle.Embedded()}
		for _, opt := range opts {
			opt(p)
		}
		return p
	}
}

func (p *availability) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "availability"
	resp.Version = p.version
}

func (p *availability) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		cadencebucket.NewResource,
		signal.NewResource,
		signal.NewRangeResource,
	}
}

func (p *availability) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		cadencebucket.NewDataSource,
		iampolicy.NewDataSource,
		runtimeenvironment.NewDataSource,
		runtimepackage.NewDataSource(p.bundle),
		signal.NewDataSource,
		signal.NewSignalsDataSource,
	}
}

func (p *availability) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		cadencebucket.NewListResource,
		signal.NewListResource,
	}
}

func (p *availability) Actions(context.Context) []func() action.Action {
	return []func() action.Action{
		signal.NewMarkDirtyAction,
	}
}

func (p *availability) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		providerfunction.NewParseSignalKey,
		providerfunction.NewScheduleExpression,
		providerfunction.NewSignalExpiry,
		providerfunction.NewSignalKey,
	}
}
