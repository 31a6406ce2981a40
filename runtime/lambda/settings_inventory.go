package lambda

import (
	"slices"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

func (r *settingsReader) pool() source.PoolLayout {
	l := source.DefaultPoolLayout()
	r.keys(&l.Keys)
	r.attr(envAvailableAttr, &l.AvailableAttr)
	r.attr(envCapacityAttr, &l.CapacityAttr)
	r.differ(
		named{envHashAttr, l.HashAttr},
		named{envRangeAttr, l.RangeAttr},
		named{envAvailableAttr, l.AvailableAttr},
		named{envCapacityAttr, l.CapacityAttr},
	)
	return l
}

func (r *settingsReader) units() source.UnitLayout {
	l := source.DefaultUnitLayout()
	r.keys(&l.Keys)
	r.attr(envStatusAttr, &l.StatusAttr)
	r.statuses(envAvailable, &l.Available)
	r.statuses(envRetired, &l.Retired)
	r.differ(
		named{envHashAttr, l.HashAttr},
		named{envRangeAttr, l.RangeAttr},
		named{envStatusAttr, l.StatusAttr},
	)
	for _, status := range l.Retired {
		if slices.Contains(l.Available, status) {
			r.fault(envRetired, "has %q, which %s has too: a unit is one of them at most", status, envAvailable)
		}
	}
	return l
}

func (r *settingsReader) keys(k *source.Keys) {
	if v := r.getenv(envKeyTemplate); v != "" {
		t, err := source.ParseTemplate(v)
		if err != nil {
			r.fault(envKeyTemplate, "is %q: %w; expected one such as %s", v, err, source.DefaultPoolKey)
		}
		k.Partition = t
	}
	r.attr(envHashAttr, &k.HashAttr)
	r.attr(envRangeAttr, &k.RangeAttr)
}

// longestAttr is DynamoDB's limit, in bytes, for the names of key attributes.
const longestAttr = 255

func (r *settingsReader) attr(name string, to *string) {
	v := r.getenv(name)
	switch {
	case v == "":
		return
	case len(v) > longestAttr, strings.TrimSpace(v) != v:
		r.fault(name, "is %q: expected an attribute's name of 1 to %d bytes, without spaces around it", v, longestAttr)
	}
	*to = v
}

type named struct{ name, value string }

// differ reports two variables that name the same attribute.
func (r *settingsReader) differ(attrs ...named) {
	for i, a := range attrs {
		for _, b := range attrs[:i] {
			if a.value == b.value {
				r.fault(a.name, "is %q, and so is %s: expected two attributes", a.value, b.name)
			}
		}
	}
}

// statuses reads a list that is separated by commas.
func (r *settingsReader) statuses(name string, to *[]string) {
	v := r.getenv(name)
	if v == "" {
		return
	}
	*to = strings.Split(v, ",")
	for i, status := range *to {
		status = strings.TrimSpace(status)
		(*to)[i] = status
		if status == "" {
			r.fault(name, "is %q: expected statuses separated by commas, such as available,released", v)
			return
		}
	}
}
