package runtimeenvironment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/lambda"
)

// environment is a configuration as environment variables.
type environment struct {
	variables map[string]string
	// unknown are those whose values are not known yet.
	unknown map[string]bool
	// settings are what the variables are called in the configuration.
	settings map[string]setting
}

// read makes a configuration into environment variables, without a look at what they
// mean.
func read(config tftypes.Value) (environment, diag.Diagnostics) {
	e := environment{variables: map[string]string{}, unknown: map[string]bool{}, settings: map[string]setting{}}
	var diags diag.Diagnostics
	attributes := map[string]tftypes.Value{}
	if err := config.As(&attributes); err != nil {
		diags.AddError(invalid, diagnose.Sentence(err))
		return e, diags
	}
	for name, v := range attributes {
		if name == "variables" || name == "sensitive_variables" {
			continue
		}
		if name != "source" {
			diags.Append(e.add(setting(name), v)...)
			continue
		}
		if !v.IsKnown() {
			e.unknown[sourceType.variable()] = true
		}
		nested := map[string]tftypes.Value{}
		if v.IsNull() || !v.IsKnown() || v.As(&nested) != nil {
			continue
		}
		for name, v := range nested {
			diags.Append(e.add(setting("source."+name), v)...)
		}
	}
	return e, diags
}

func (e environment) add(s setting, v tftypes.Value) (diags diag.Diagnostics) {
	e.settings[s.variable()] = s
	switch {
	case v.IsNull():
		return nil
	case !v.IsFullyKnown():
		e.unknown[s.variable()] = true
		return nil
	}
	text, err := render(v)
	if err != nil {
		diags.AddAttributeError(s.path(), invalid, fmt.Sprintf("%s %s.", s, err))
		return diags
	}
	e.variables[s.variable()] = text
	return nil
}

// check is what the function would say of the variables, in the words of the
// configuration. Of what is unknown, or belongs together with it, nothing is said.
func (e environment) check() (diags diag.Diagnostics) {
	// A name may begin with another one: the longer goes first.
	variables := make([]string, 0, len(e.settings))
	for variable := range e.settings {
		variables = append(variables, variable)
	}
	slices.SortFunc(variables, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var words []string
	for _, variable := range variables {
		words = append(words, variable, string(e.settings[variable]))
	}
	plain := strings.NewReplacer(words...)
	for _, fault := range lambda.CheckSettings(func(name string) string { return e.variables[name] }) {
		said := fault.Variable + " " + fault.Reason.Error()
		if e.open(said) {
			continue
		}
		diags.AddAttributeError(e.settings[fault.Variable].path(), invalid, plain.Replace(said)+".")
	}
	return diags
}

// open is whether a text speaks of a variable that is not known yet.
func (e environment) open(said string) bool {
	for variable := range e.unknown {
		if strings.Contains(said, variable) {
			return true
		}
	}
	return false
}

// split is the variables that hold no secret, and those that do.
func (e environment) split() (open, secret map[string]string) {
	open, secret = map[string]string{}, map[string]string{}
	for variable, value := range e.variables {
		if variable == bearerToken.variable() {
			secret[variable] = value
		} else {
			open[variable] = value
		}
	}
	return open, secret
}
