package runtimeenvironment

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// render is a known value as the text of its variable.
func render(v tftypes.Value) (string, error) {
	switch typ := v.Type(); {
	case typ.Is(tftypes.String):
		var text string
		err := v.As(&text)
		if err == nil && text == "" {
			err = errors.New("is empty; leave it out for the default")
		}
		return text, err
	case typ.Is(tftypes.Number):
		var n big.Float
		err := v.As(&n)
		return n.Text('f', -1), err
	case typ.Is(tftypes.Set{}):
		return renderList(v)
	}
	pattern, err := renderJSON(v)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(pattern)
	return string(text), err
}

// renderList is statuses as a list that is separated by commas.
func renderList(v tftypes.Value) (string, error) {
	var elements []tftypes.Value
	if err := v.As(&elements); err != nil {
		return "", err
	}
	if len(elements) == 0 {
		return "", errors.New("has no entry; leave it out for the default")
	}
	texts := make([]string, len(elements))
	for i, element := range elements {
		if err := element.As(&texts[i]); err != nil || texts[i] == "" || strings.ContainsRune(texts[i], ',') || strings.TrimSpace(texts[i]) != texts[i] {
			return "", fmt.Errorf("has %q: expected statuses without commas and without spaces around them", texts[i])
		}
	}
	slices.Sort(texts)
	return strings.Join(texts, ","), nil
}

// renderJSON is an object, with names as items have them, a list, a text or a number,
// as JSON has it.
func renderJSON(v tftypes.Value) (any, error) {
	switch typ := v.Type(); {
	case typ.Is(tftypes.Object{}):
		attributes, object := map[string]tftypes.Value{}, map[string]any{}
		if err := v.As(&attributes); err != nil {
			return nil, err
		}
		for name, a := range attributes {
			if a.IsNull() {
				continue
			}
			value, err := renderJSON(a)
			if err != nil {
				return nil, err
			}
			object[camelCase(name)] = value
		}
		return object, nil
	case typ.Is(tftypes.List{}):
		var elements []tftypes.Value
		if err := v.As(&elements); err != nil {
			return nil, err
		}
		list := make([]any, len(elements))
		for i, element := range elements {
			value, err := renderJSON(element)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	case typ.Is(tftypes.Number):
		text, err := render(v)
		return json.Number(text), err
	}
	var text *string
	err := v.As(&text)
	return text, err
}

// camelCase is an attribute's name as items have it: maxPercentage for
// max_percentage.
func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}
