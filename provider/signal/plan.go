package signal

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// complete sets all of a plan that follows from the rest of it, and unknown what
// follows from something unknown. state is nil for a signal that is to be made.
// It returns the attributes that the signal is replaced for.
func (m *model) complete(ctx context.Context, config model, state *model, data *awsclient.Data) (replace []path.Path, diags diag.Diagnostics) {
	var was model
	if state != nil {
		was = *state
	}
	diags = m.completeTerms(ctx, config.termsModel, was.termsModel, data, m.thing())
	if diags.HasError() {
		return nil, diags
	}
	m.Expiry = config.expiryIn(data)
	// An instant can be written in more ways than one.
	if at, known := m.expiry(); known {
		if before, had := was.expiry(); had && at.Equal(before) {
			m.Expiry = was.Expiry
		}
	}
	if config.Expiry.IsNull() && !m.Expiry.Equal(was.Expiry) {
		diags.Append(zoneWarning(config.TimeZone, data)...)
	}
	made := state == nil
	if !made && !m.TableName.Equal(was.TableName) {
		replace = append(replace, path.Root("table_name"))
	}
	if made || len(replace) > 0 || !m.sameProduct(was.termsModel) || !m.Date.Equal(was.Date) {
		if m.expired(data.Now()) {
			diags.Append(expiredAtPlan(m.thing(), m.Expiry.ValueString()))
		}
		made = true
	}
	at, known := m.expiry()
	if !made && known && was.expired(data.Now()) && at.After(data.Now()) {
		replace = append(replace, path.Root("expiry"))
	}
	m.NeedsRepair = textList(nil)
	m.GlobalID = was.GlobalID
	// One that was taken over without a globalId is given one.
	if state == nil || was.GlobalID.IsNull() && !was.expired(data.Now()) {
		m.GlobalID = types.StringUnknown()
	}
	return replace, diags
}

// thing names the signal in summaries, as far as it is known.
func (m model) thing() string {
	if !m.productKnown() || m.Date.IsUnknown() {
		return "signal"
	}
	return thing(m.product().String() + " " + m.Date.ValueString())
}

// completeTerms sets what both resources derive.
func (m *termsModel) completeTerms(ctx context.Context, config, was termsModel, data *awsclient.Data, thing string) (diags diag.Diagnostics) {
	m.TableName = data.Table(config.TableName)
	switch {
	case m.TableName.IsNull():
		diags.Append(awsclient.NoTable("plan", thing))
		return diags
	case m.TableName.IsUnknown() && config.TableName.IsNull() && !was.TableName.IsNull():
		// Most likely it is the same table as ever; to take it for another one
		// would replace everything in it.
		m.TableName = was.TableName
	}
	pattern, more := completePattern(ctx, config.Pattern, was.Pattern)
	diags.Append(more...)
	m.Pattern = pattern
	return diags
}

// zoneIn is the zone of a configuration's dates; nil while it is unknown.
func zoneIn(configured types.String, data *awsclient.Data) *time.Location {
	name := configured
	if name.IsNull() {
		name = data.TimeZone
	}
	if name.IsUnknown() {
		return nil
	}
	zone, err := signal.LoadZone(name.ValueString())
	if name.IsNull() || err != nil {
		// Names are validated before this.
		return time.UTC
	}
	return zone
}

// expiryIn is a configuration's expiry, or the one that follows from its date.
func (m model) expiryIn(data *awsclient.Data) types.String {
	zone := zoneIn(m.TimeZone, data)
	d, err := signal.ParseDate(m.Date.ValueString())
	switch {
	case !m.Expiry.IsNull():
		return m.Expiry
	case zone == nil, err != nil:
		return types.StringUnknown()
	}
	return instant(signal.Expiry(d, zone))
}

// zoneWarning says what it means that no zone is given anywhere.
func zoneWarning(configured types.String, data *awsclient.Data) diag.Diagnostics {
	var diags diag.Diagnostics
	if configured.IsNull() && data.TimeZone.IsNull() {
		diags.AddAttributeWarning(path.Root("time_zone"), "No time zone is set",
			"Dates end at midnight UTC. In British Columbia that is 17:00 of the day itself: from then on it is no longer checked and may be deleted.\n\n"+
				"Set time_zone here or in the provider's configuration to the product's zone, such as America/Vancouver; if it is UTC, say so.")
	}
	return diags
}

// wanted is the signal that a plan wants. Terraform plans once more, with all that
// was unknown, before it applies: by then a plan is whole.
func (m model) wanted(ctx context.Context) (wanted, diag.Diagnostics) {
	var diags diag.Diagnostics
	ref, err := m.ref()
	at, known := m.expiry()
	p, ok := readPattern(ctx, m.Pattern)
	if err != nil || !known || !ok || ref.table == "" {
		diags.Append(unusablePlan(m.thing()))
	}
	return wanted{
		ref:   ref,
		Terms: dynamo.Terms{Bucket: m.CadenceBucket.ValueString(), Pattern: p, Expiry: at},
		start: m.start(),
	}, diags
}

// unusablePlan is what neither validation nor Terraform should let through.
func unusablePlan(thing string) diag.Diagnostic {
	return diagnose.Failure{
		Verb: "read the plan of", Thing: thing,
		What: "A part of it is unknown or cannot be used.",
		Do:   "Run terraform plan again. If that shows nothing wrong, this is a mistake in the provider: please report it.",
	}.Error()
}
