package signal

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// termsModel is what the configurations, plans and states of both resources have
// in common.
type termsModel struct {
	CollectionID  types.String `tfsdk:"collection_id"`
	ActivityType  types.String `tfsdk:"activity_type"`
	ActivityID    types.String `tfsdk:"activity_id"`
	ProductID     types.String `tfsdk:"product_id"`
	CadenceBucket types.String `tfsdk:"cadence_bucket"`
	Pattern       types.Object `tfsdk:"availability_estimation_pattern"`
	TimeZone      types.String `tfsdk:"time_zone"`
	InitialValue  types.String `tfsdk:"initial_value"`
	InitialState  types.String `tfsdk:"initial_state"`
	TableName     types.String `tfsdk:"table_name"`
}

// model is a signal's configuration, plan or state.
type model struct {
	termsModel
	Date     types.String `tfsdk:"date"`
	Expiry   types.String `tfsdk:"expiry"`
	GlobalID types.String `tfsdk:"global_id"`
}

func (m termsModel) product() signal.Product {
	return signal.Product{
		CollectionID: m.CollectionID.ValueString(),
		ActivityType: m.ActivityType.ValueString(),
		ActivityID:   m.ActivityID.ValueString(),
		ProductID:    m.ProductID.ValueString(),
	}
}

func (m termsModel) productKnown() bool {
	return !m.CollectionID.IsUnknown() && !m.ActivityType.IsUnknown() && !m.ActivityID.IsUnknown() && !m.ProductID.IsUnknown()
}

func (m termsModel) sameProduct(n termsModel) bool {
	return m.CollectionID.Equal(n.CollectionID) && m.ActivityType.Equal(n.ActivityType) && m.ActivityID.Equal(n.ActivityID) && m.ProductID.Equal(n.ProductID)
}

// start is how a signal starts: dirty with a value, unless it is said to be clean.
func (m termsModel) start() dynamo.Start {
	value := m.InitialValue.ValueString()
	dirty := value != ""
	if !m.InitialState.IsNull() {
		dirty = m.InitialState.ValueString() == signal.Dirty
	}
	return dynamo.Start{Value: value, Dirty: dirty}
}

// ref names one signal.
type ref struct {
	table string
	signal.ProductDate
}

// fields are what logs say of a signal.
func (r ref) fields() map[string]any {
	return map[string]any{"table": r.table, "signal": r.ProductDate.String()}
}

// wanted is a signal as the plan has it.
type wanted struct {
	ref
	dynamo.Terms
	start dynamo.Start
}

func (m model) ref() (ref, error) {
	d, err := signal.ParseDate(m.Date.ValueString())
	r := ref{table: m.TableName.ValueString(), ProductDate: signal.ProductDate{Product: m.product(), Date: d}}
	return r, errors.Join(err, r.Product.Validate())
}

// expiry is the expiry as an instant; known is false where there is none to be
// read.
func (m model) expiry() (at time.Time, known bool) {
	at, err := signal.ParseInstant(m.Expiry.ValueString())
	return at, err == nil
}

func (m model) expired(now time.Time) bool {
	at, known := m.expiry()
	return known && !at.After(now)
}

// agrees is whether a state's terms are the wanted ones.
func (m model) agrees(ctx context.Context, want wanted) bool {
	at, known := m.expiry()
	p, ok := readPattern(ctx, m.Pattern)
	return known && ok && at.Equal(want.Expiry) && m.CadenceBucket.ValueString() == want.Bucket && dynamo.SamePattern(p, want.Pattern)
}

// foreign is whose the item is, where it is not the state's signal: seeded anew,
// taken over, or no signal at all. err is the outcome of reading it.
func (m model) foreign(is dynamo.Seeded, err error) *dynamo.Holder {
	if other, ok := errors.AsType[*dynamo.NotOursError](err); ok {
		return &other.Holder
	}
	if err != nil {
		return nil
	}
	h := dynamo.Holder{Date: is.Date, Schema: signal.SchemaSignal, GlobalID: is.GlobalID, SeededBy: is.SeededBy}
	if h.Importable() && (m.GlobalID.IsNull() || m.GlobalID.ValueString() == is.GlobalID) {
		return nil
	}
	return &h
}

// observe makes a state what was read. Where that means the same, what the state
// has is kept as it is written there.
func (m *model) observe(ctx context.Context, is dynamo.Seeded) diag.Diagnostics {
	m.GlobalID = types.StringValue(is.GlobalID)
	if at, known := m.expiry(); !known || !at.Equal(is.Expiry) {
		m.Expiry = instant(is.Expiry)
	}
	return m.observeTerms(ctx, is.Bucket, is.Pattern)
}

func (m *termsModel) observeTerms(ctx context.Context, bucket string, p signal.Pattern) diag.Diagnostics {
	m.CadenceBucket = types.StringNull()
	if bucket != "" {
		m.CadenceBucket = types.StringValue(bucket)
	}
	if was, ok := readPattern(ctx, m.Pattern); ok && dynamo.SamePattern(was, p) {
		return nil
	}
	var diags diag.Diagnostics
	m.Pattern, diags = patternValue(p)
	return diags
}

// instant is null for none.
func instant(at time.Time) types.String {
	if at.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(signal.FormatInstant(at))
}
