// Package provider is the Terraform provider availability: its configuration,
// and the list of what it offers.
package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/availability-signal/terraform-provider-availability/provider/cadencebucket"
	"github.com/availability-signal/terraform-provider-availability/provider/signal"
)

var _ provider.ProviderWithValidateConfig = (*availability)(nil)

type availability struct {
	version string
	now     func() time.Time
}

// Option changes what a provider takes from its surroundings.
type Option func(*availability)

// WithClock sets the clock, instead of the machine's.
func WithClock(now func() time.Time) Option {
	return func(p *availability) { p.now = now }
}

// New returns the constructor of the provider of that version.
func New(version string, opts ...Option) func() provider.Provider {
	return func() provider.Provider {
		p := &availability{version: version, now: time.Now}
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

func (p *availability) DataSources(context.Context) []func() datasource.DataSource { return nil }
