package acctest

import (
	"context"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/availability-signal/terraform-provider-availability/provider"
)

// Config is a resource's or provider's configuration as Go values: strings,
// bools, ints, maps, slices, nil and Unknown. What is left out is null.
type Config = map[string]any

// Unknown is a value that is not known before apply.
type Unknown struct{}

// Action is what a plan does.
type Action string

// The actions.
const (
	NoOp    Action = "no-op"
	Create  Action = "create"
	Update  Action = "update"
	Replace Action = "replace"
)

// Driver drives one resource through the provider's protocol, by the rules by
// which Terraform does it, but without starting Terraform: taint, replacement and
// consistency of plan and result included. It is for tests of many short cases.
type Driver struct {
	t        *testing.T
	typeName string
	server   tfprotov6.ProviderServer
	settings *tfprotov6.Schema
	schema   *tfprotov6.Schema

	state    tftypes.Value
	identity *tfprotov6.ResourceIdentityData
	private  []byte
	tainted  bool
	warnings []string
}

// NewDriver returns the driver of a resource that does not exist yet, with a
// provider of those settings.
func NewDriver(t *testing.T, typeName string, settings Config, opts ...provider.Option) *Driver {
	t.Helper()
	PreCheck(t)
	d := NewOfflineDriver(t, typeName, opts...)
	if errs := d.Configure(settings); len(errs) > 0 {
		t.Fatalf("configure provider: %s", strings.Join(errs, "\n"))
	}
	return d
}

// NewOfflineDriver returns a driver whose provider is not configured: it can
// validate, and needs no AWS.
func NewOfflineDriver(t *testing.T, typeName string, opts ...provider.Option) *Driver {
	t.Helper()
	server, err := Factories(opts...)["availability"]()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	d := &Driver{t: t, typeName: typeName, server: server, settings: schemas.Provider, schema: schemas.ResourceSchemas[typeName]}
	if d.schema == nil {
		t.Fatalf("the provider has no resource %s", typeName)
	}
	d.Forget()
	return d
}

// Configure validates the provider's settings and configures it with them, as
// every run of Terraform does. It returns the errors.
func (d *Driver) Configure(settings Config) []string {
	d.t.Helper()
	config := d.encode(Value(d.t, d.settings.ValueType(), settings))
	validated, err := d.server.ValidateProviderConfig(d.t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
	if err != nil {
		d.t.Fatal(err)
	}
	if errs := errorsOf(validated.Diagnostics); len(errs) > 0 {
		return errs
	}
	configured, err := d.server.ConfigureProvider(d.t.Context(), &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.11.4", Config: config})
	if err != nil {
		d.t.Fatal(err)
	}
	return errorsOf(configured.Diagnostics)
}

// Validate returns the errors of a configuration, each as
// "<attribute path>: <summary>: <detail>" or, without path, the latter two.
func (d *Driver) Validate(config Config) []string {
	d.t.Helper()
	resp, err := d.server.ValidateResourceConfig(d.t.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: d.typeName, Config: d.encode(Value(d.t, d.schema.ValueType(), config)),
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return errorsOf(resp.Diagnostics)
}

// Refresh reads the resource, as every plan does first. It returns the errors.
func (d *Driver) Refresh() []string {
	d.t.Helper()
	if d.state.IsNull() {
		return nil
	}
	resp, err := d.server.ReadResource(d.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: d.typeName, CurrentState: d.encode(d.state), CurrentIdentity: d.identity, Private: d.private,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	if errs := errorsOf(resp.Diagnostics); len(errs) > 0 {
		return errs
	}
	d.warn(resp.Diagnostics)
	d.state, d.identity, d.private = d.decode(resp.NewState), resp.NewIdentity, resp.Private
	if d.state.IsNull() {
		d.Forget()
	}
	return nil
}

// Plan refreshes, then returns what a plan of that configuration would do, and
// its planned values by name.
func (d *Driver) Plan(config Config) (action Action, planned map[string]any, errs []string) {
	d.t.Helper()
	if errs := d.Refresh(); len(errs) > 0 {
		return "", nil, errs
	}
	p, errs := d.plan(config, d.state)
	if len(errs) > 0 {
		return "", nil, errs
	}
	return p.action, fields(d.t, p.value), nil
}

// Apply refreshes, plans and applies, as terraform apply does. It returns the
// errors.
func (d *Driver) Apply(config Config) []string {
	d.t.Helper()
	return d.ApplyContext(d.t.Context(), config)
}

// ApplyContext is Apply with a context of the apply's own, to be cancelled.
func (d *Driver) ApplyContext(ctx context.Context, config Config) []string {
	d.t.Helper()
	if errs := d.Validate(config); len(errs) > 0 {
		return errs
	}
	if errs := d.Refresh(); len(errs) > 0 {
		return errs
	}
	return d.applyChange(ctx, config)
}

// ApplyUnrefreshed is Apply with -refresh=false.
func (d *Driver) ApplyUnrefreshed(config Config) []string {
	d.t.Helper()
	return d.applyChange(d.t.Context(), config)
}

func (d *Driver) applyChange(ctx context.Context, config Config) []string {
	d.t.Helper()
	p, errs := d.plan(config, d.state)
	if len(errs) > 0 {
		return errs
	}
	if p.action == NoOp && !d.tainted {
		return nil
	}
	if p.action == Replace || d.tainted {
		if errs := d.destroy(ctx); len(errs) > 0 {
			return errs
		}
		if p, errs = d.plan(config, d.state); len(errs) > 0 {
			return errs
		}
	}
	return d.apply(ctx, config, p)
}

// Destroy refreshes and destroys. It returns the errors.
func (d *Driver) Destroy() []string {
	d.t.Helper()
	return d.DestroyContext(d.t.Context())
}

// DestroyContext is Destroy with a context of the destroy's own, to be cancelled.
func (d *Driver) DestroyContext(ctx context.Context) []string {
	d.t.Helper()
	if errs := d.Refresh(); len(errs) > 0 || d.state.IsNull() {
		return errs
	}
	return d.destroy(ctx)
}

// DestroyUnrefreshed is Destroy with -refresh=false.
func (d *Driver) DestroyUnrefreshed() []string {
	d.t.Helper()
	if d.state.IsNull() {
		return nil
	}
	return d.destroy(d.t.Context())
}

// State is the values of the state by name; nil where there is none.
func (d *Driver) State() map[string]any {
	d.t.Helper()
	if d.state.IsNull() {
		return nil
	}
	return fields(d.t, d.state)
}

// Tainted says whether the next apply replaces the resource because its creation
// failed.
func (d *Driver) Tainted() bool { return d.tainted }

// Forget drops the state, as a configuration does that never had it.
func (d *Driver) Forget() {
	d.state = tftypes.NewValue(d.schema.ValueType(), nil)
	d.identity, d.private, d.tainted = nil, nil, false
}

// Import imports the resource by an id, and reads it as Terraform then does.
func (d *Driver) Import(id string) []string {
	d.t.Helper()
	return d.importState(&tfprotov6.ImportResourceStateRequest{TypeName: d.typeName, ID: id})
}

func (d *Driver) importState(req *tfprotov6.ImportResourceStateRequest) []string {
	d.t.Helper()
	resp, err := d.server.ImportResourceState(d.t.Context(), req)
	if err != nil {
		d.t.Fatal(err)
	}
	if errs := errorsOf(resp.Diagnostics); len(errs) > 0 {
		return errs
	}
	imported := resp.ImportedResources[0]
	d.state, d.identity, d.private, d.tainted = d.decode(imported.State), imported.Identity, imported.Private, false
	if errs := d.Refresh(); len(errs) > 0 {
		return errs
	}
	if d.state.IsNull() {
		return []string{"Cannot import non-existent remote object"}
	}
	return nil
}

type plannedChange struct {
	action   Action
	value    tftypes.Value
	identity *tfprotov6.ResourceIdentityData
	private  []byte
}

func (d *Driver) plan(config Config, prior tftypes.Value) (plannedChange, []string) {
	d.t.Helper()
	configured := Value(d.t, d.schema.ValueType(), config)
	proposed := proposedNew(d.schema.Block.Attributes, prior, configured)
	resp, err := d.server.PlanResourceChange(d.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: d.typeName, PriorState: d.encode(prior), ProposedNewState: d.encode(proposed), Config: d.encode(configured),
		PriorIdentity: d.identity, PriorPrivate: d.private,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	if errs := errorsOf(resp.Diagnostics); len(errs) > 0 {
		return plannedChange{}, errs
	}
	d.warn(resp.Diagnostics)
	p := plannedChange{action: Update, value: d.decode(resp.PlannedState), identity: resp.PlannedIdentity, private: resp.PlannedPrivate}
	switch {
	case prior.IsNull():
		p.action = Create
	case p.value.Equal(prior):
		p.action = NoOp
	default:
		for _, path := range resp.RequiresReplace {
			if !sameAt(prior, p.value, path) {
				p.action = Replace
			}
		}
	}
	return p, nil
}

func (d *Driver) apply(ctx context.Context, config Config, p plannedChange) []string {
	d.t.Helper()
	prior := d.state
	resp, err := d.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: d.typeName, PriorState: d.encode(prior), PlannedState: d.encode(p.value), PlannedIdentity: p.identity, PlannedPrivate: p.private,
		Config: d.encode(Value(d.t, d.schema.ValueType(), config)),
	})
	if err != nil {
		d.t.Fatal(err)
	}
	errs := errorsOf(resp.Diagnostics)
	d.warn(resp.Diagnostics)
	d.state, d.identity, d.private = d.decode(resp.NewState), resp.NewIdentity, resp.Private
	d.tainted = prior.IsNull() && len(errs) > 0 && !d.state.IsNull()
	if len(errs) == 0 {
		d.holdConsistent(p.value)
	}
	return errs
}

// holdConsistent is Terraform's rule that what was known in the plan is what the
// state says, and that all of it is known.
func (d *Driver) holdConsistent(planned tftypes.Value) {
	d.t.Helper()
	if !d.state.IsFullyKnown() {
		d.t.Errorf("the state has unknown values: %v", fields(d.t, d.state))
	}
	diffs, err := planned.Diff(d.state)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, diff := range diffs {
		if !unknownAbove(planned, diff.Path) && (diff.Value1 == nil || diff.Value1.IsFullyKnown()) {
			d.t.Errorf("inconsistent result after apply at %s: planned %v, got %v", diff.Path, diff.Value1, diff.Value2)
		}
	}
}

// unknownAbove is whether a path is inside of something that is unknown.
func unknownAbove(v tftypes.Value, path *tftypes.AttributePath) bool {
	for path = path.WithoutLastStep(); path != nil && len(path.Steps()) > 0; path = path.WithoutLastStep() {
		if found, _, err := tftypes.WalkAttributePath(v, path); err == nil {
			return !found.(tftypes.Value).IsKnown()
		}
	}
	return false
}

func (d *Driver) destroy(ctx context.Context) []string {
	d.t.Helper()
	none := tftypes.NewValue(d.schema.ValueType(), nil)
	planned, err := d.server.PlanResourceChange(d.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: d.typeName, PriorState: d.encode(d.state), ProposedNewState: d.encode(none), Config: d.encode(none), PriorPrivate: d.private,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	if errs := errorsOf(planned.Diagnostics); len(errs) > 0 {
		return errs
	}
	resp, err := d.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: d.typeName, PriorState: d.encode(d.state), PlannedState: d.encode(none), Config: d.encode(none), PlannedPrivate: planned.PlannedPrivate,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.warn(resp.Diagnostics)
	d.state, d.private = d.decode(resp.NewState), resp.Private
	if d.state.IsNull() {
		d.Forget()
	}
	return errorsOf(resp.Diagnostics)
}

// Warnings are the warnings since they were last asked for.
func (d *Driver) Warnings() []string {
	w := d.warnings
	d.warnings = nil
	return w
}

func (d *Driver) warn(diagnostics []*tfprotov6.Diagnostic) {
	d.warnings = append(d.warnings, messages(diagnostics, tfprotov6.DiagnosticSeverityWarning)...)
}

func (d *Driver) encode(v tftypes.Value) *tfprotov6.DynamicValue {
	d.t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		d.t.Fatal(err)
	}
	return &encoded
}

func (d *Driver) decode(v *tfprotov6.DynamicValue) tftypes.Value {
	d.t.Helper()
	decoded, err := v.Unmarshal(d.schema.ValueType())
	if err != nil {
		d.t.Fatal(err)
	}
	return decoded
}

// proposedNew is what Terraform proposes: the configuration, and where that has
// nothing and the provider may compute, what there was.
func proposedNew(attributes []*tfprotov6.SchemaAttribute, prior, config tftypes.Value) tftypes.Value {
	if config.IsNull() || !config.IsKnown() {
		return config
	}
	priors, configs, proposed := map[string]tftypes.Value{}, map[string]tftypes.Value{}, map[string]tftypes.Value{}
	if !prior.IsNull() && prior.IsKnown() {
		_ = prior.As(&priors)
	}
	_ = config.As(&configs)
	for _, a := range attributes {
		was, ok := priors[a.Name]
		if !ok {
			was = tftypes.NewValue(configs[a.Name].Type(), nil)
		}
		switch now := configs[a.Name]; {
		case now.IsNull() && a.Computed:
			proposed[a.Name] = was
		case a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			proposed[a.Name] = proposedNew(a.NestedType.Attributes, was, now)
		case a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeList:
			proposed[a.Name] = proposedList(a.NestedType.Attributes, was, now)
		default:
			proposed[a.Name] = now
		}
	}
	return tftypes.NewValue(config.Type(), proposed)
}

func proposedList(attributes []*tfprotov6.SchemaAttribute, prior, config tftypes.Value) tftypes.Value {
	if config.IsNull() || !config.IsKnown() {
		return config
	}
	var was, now []tftypes.Value
	if !prior.IsNull() && prior.IsKnown() {
		_ = prior.As(&was)
	}
	_ = config.As(&now)
	for i, element := range now {
		before := tftypes.NewValue(element.Type(), nil)
		if i < len(was) {
			before = was[i]
		}
		now[i] = proposedNew(attributes, before, element)
	}
	return tftypes.NewValue(config.Type(), now)
}

func sameAt(a, b tftypes.Value, path *tftypes.AttributePath) bool {
	x, _, errX := tftypes.WalkAttributePath(a, path)
	y, _, errY := tftypes.WalkAttributePath(b, path)
	if errX != nil || errY != nil {
		return errX != nil && errY != nil
	}
	return x.(tftypes.Value).Equal(y.(tftypes.Value))
}

// Value turns Go values into a value of a type.
func Value(t *testing.T, typ tftypes.Type, v any) tftypes.Value {
	t.Helper()
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(typ, nil)
	case Unknown:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	case int:
		// As Terraform converts it.
		if typ.Is(tftypes.String) {
			return tftypes.NewValue(typ, strconv.Itoa(v))
		}
		return tftypes.NewValue(typ, big.NewFloat(float64(v)))
	case float64:
		return tftypes.NewValue(typ, big.NewFloat(v))
	case string, bool:
		return tftypes.NewValue(typ, v)
	case []any:
		var elements []tftypes.Value
		for _, e := range v {
			elements = append(elements, Value(t, elementType(typ), e))
		}
		return tftypes.NewValue(typ, elements)
	case Config:
		elements := map[string]tftypes.Value{}
		object, isObject := typ.(tftypes.Object)
		for name, e := range v {
			elementOf := elementType(typ)
			if isObject {
				if elementOf = object.AttributeTypes[name]; elementOf == nil {
					t.Fatalf("there is no attribute %q", name)
				}
			}
			elements[name] = Value(t, elementOf, e)
		}
		if isObject {
			for name, missing := range object.AttributeTypes {
				if _, ok := v[name]; !ok {
					elements[name] = tftypes.NewValue(missing, nil)
				}
			}
		}
		return tftypes.NewValue(typ, elements)
	}
	t.Fatalf("a configuration has no %T", v)
	return tftypes.Value{}
}

func elementType(typ tftypes.Type) tftypes.Type {
	switch typ := typ.(type) {
	case tftypes.List:
		return typ.ElementType
	case tftypes.Set:
		return typ.ElementType
	case tftypes.Map:
		return typ.ElementType
	}
	return nil
}

// fields is the inverse of Value: a value's attributes, those that are null left
// out.
func fields(t *testing.T, v tftypes.Value) map[string]any {
	t.Helper()
	m, _ := plain(t, v).(map[string]any)
	return m
}

func plain(t *testing.T, v tftypes.Value) any {
	t.Helper()
	if v.IsNull() {
		return nil
	}
	if !v.IsKnown() {
		return Unknown{}
	}
	into := func(dst any) {
		if err := v.As(dst); err != nil {
			t.Fatal(err)
		}
	}
	switch typ := v.Type(); {
	case typ.Is(tftypes.String):
		var s string
		into(&s)
		return s
	case typ.Is(tftypes.Bool):
		var b bool
		into(&b)
		return b
	case typ.Is(tftypes.Number):
		var n big.Float
		into(&n)
		if whole, exact := n.Int64(); exact == big.Exact {
			return int(whole)
		}
		f, _ := n.Float64()
		return f
	case typ.Is(tftypes.List{}), typ.Is(tftypes.Set{}), typ.Is(tftypes.Tuple{}):
		var elements []tftypes.Value
		into(&elements)
		list := []any{}
		for _, e := range elements {
			list = append(list, plain(t, e))
		}
		return list
	default:
		var elements map[string]tftypes.Value
		into(&elements)
		m := map[string]any{}
		for name, e := range elements {
			if p := plain(t, e); p != nil {
				m[name] = p
			}
		}
		return m
	}
}

func errorsOf(diagnostics []*tfprotov6.Diagnostic) []string {
	return messages(diagnostics, tfprotov6.DiagnosticSeverityError)
}

func messages(diagnostics []*tfprotov6.Diagnostic, severity tfprotov6.DiagnosticSeverity) []string {
	var texts []string
	for _, d := range diagnostics {
		if d.Severity != severity {
			continue
		}
		text := d.Summary + ": " + d.Detail
		if d.Attribute != nil && len(d.Attribute.Steps()) > 0 {
			text = pathText(d.Attribute) + ": " + text
		}
		texts = append(texts, text)
	}
	return texts
}

func pathText(path *tftypes.AttributePath) string {
	var parts []string
	for _, step := range path.Steps() {
		switch s := step.(type) {
		case tftypes.AttributeName:
			parts = append(parts, string(s))
		case tftypes.ElementKeyString:
			parts = append(parts, string(s))
		case tftypes.ElementKeyInt:
			parts = append(parts, fmt.Sprint(int(s)))
		}
	}
	return strings.Join(parts, ".")
}
