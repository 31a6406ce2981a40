package served

import (
	"encoding/json"
	"fmt"
	"reflect"

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

// encode makes of one of the SDK's outputs what JSON is written from.
func encode(v reflect.Value) any {
	if v.Type() == attributeType() {
		return attribute(v.Interface().(types.AttributeValue))
	}
	switch v.Kind() {
	case reflect.Pointer:
		return encode(v.Elem())
	case reflect.Struct:
		fields := map[string]any{}
		for i := range v.NumField() {
			field, value := v.Type().Field(i), v.Field(i)
			if !field.IsExported() || field.Type == reflect.TypeFor[middleware.Metadata]() || absent(value) {
				continue
			}
			fields[field.Name] = encode(value)
		}
		return fields
	case reflect.Map:
		entries := make(map[string]any, v.Len())
		for it := v.MapRange(); it.Next(); {
			entries[it.Key().String()] = encode(it.Value())
		}
		return entries
	case reflect.Slice:
		entries := make([]any, v.Len())
		for i := range entries {
			entries[i] = encode(v.Index(i))
		}
		return entries
	}
	return v.Interface()
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
