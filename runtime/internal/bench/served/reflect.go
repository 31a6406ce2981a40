package served

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

func attributeType() reflect.Type { return reflect.TypeFor[types.AttributeValue]() }

// decode reads one of the SDK's inputs, whose fields are named as in the request.
func decode(raw json.RawMessage, into reflect.Value) error {
	if into.Type() == attributeType() {
		v, err := parseAttribute(raw)
		if err != nil {
			return err
		}
		into.Set(reflect.ValueOf(v))
		return nil
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return decode(raw, into.Elem())
	case reflect.Struct:
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(raw, &fields); err != nil {
			return err
		}
		for name, raw := range fields {
			field := into.FieldByName(name)
			if !field.IsValid() || !field.CanSet() {
				return fmt.Errorf("no field %q in %s", name, into.Type())
			}
			if err := decode(raw, field); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	case reflect.Map:
		var entries map[string]json.RawMessage
		if err := json.Unmarshal(raw, &entries); err != nil {
			return err
		}
		into.Set(reflect.MakeMapWithSize(into.Type(), len(entries)))
		return decodeMap(entries, into)
	case reflect.Slice:
		var entries []json.RawMessage
		if err := json.Unmarshal(raw, &entries); err != nil {
			return err
		}
		into.Set(reflect.MakeSlice(into.Type(), len(entries), len(entries)))
		return decodeList(entries, into)
	}
	return json.Unmarshal(raw, into.Addr().Interface())
}

func decodeMap(entries map[string]json.RawMessage, into reflect.Value) error {
	for name, raw := range entries {
		v := reflect.New(into.Type().Elem()).Elem()
		if err := decode(raw, v); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		into.SetMapIndex(reflect.ValueOf(name), v)
	}
	return nil
}

func decodeList(entries []json.RawMessage, into reflect.Value) error {
	for i, raw := range entries {
		if err := decode(raw, into.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// encode adds one of the SDK's outputs to JSON.
func encode(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Interface:
		return attribute(b, v.Interface().(types.AttributeValue))
	case reflect.Pointer:
		return encode(b, v.Elem())
	case reflect.Struct:
		return fields(b, v)
	case reflect.Map:
		if item, ok := v.Interface().(map[string]types.AttributeValue); ok {
			return attributes(b, item)
		}
		b = append(b, '{')
		for it := v.MapRange(); it.Next(); {
			b = encode(name(b, it.Key().String()), it.Value())
		}
		return append(b, '}')
	case reflect.Slice:
		b = append(b, '[')
		for i := range v.Len() {
			b = encode(next(b), v.Index(i))
		}
		return append(b, ']')
	case reflect.String:
		return text(b, v.String())
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Float64:
		return strconv.AppendFloat(b, v.Float(), 'f', -1, 64)
	}
	return strconv.AppendInt(b, v.Int(), 10)
}

func fields(b []byte, v reflect.Value) []byte {
	b = append(b, '{')
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		if !field.IsExported() || field.Type == reflect.TypeFor[middleware.Metadata]() || absent(value) {
			continue
		}
		b = encode(name(b, field.Name), value)
	}
	return append(b, '}')
}

func attributes(b []byte, item map[string]types.AttributeValue) []byte {
	b = append(b, '{')
	for n, v := range item {
		b = attribute(name(b, n), v)
	}
	return append(b, '}')
}

// next separates what follows from what was before, if that was not a beginning.
func next(b []byte) []byte {
	if last := b[len(b)-1]; last == '{' || last == '[' {
		return b
	}
	return append(b, ',')
}

func name(b []byte, n string) []byte { return append(text(next(b), n), ':') }

// text adds a text; most need no escapes.
func text(b []byte, s string) []byte {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == '"' || s[i] == '\\' || s[i] >= utf8.RuneSelf {
			quoted, _ := json.Marshal(s) // A text can always be written.
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// absent is what an answer leaves out.
func absent(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		return v.IsNil()
	case reflect.String:
		return v.Len() == 0
	}
	return false
}
