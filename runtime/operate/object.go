package operate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Object reads a JSON object's fields by their exact names. Unlike json.Unmarshal,
// it refuses a field that is there twice, and anything after the object's end.
func Object(text []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("it is no JSON object")
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, errors.New("it is no JSON object")
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, errors.New("it is no JSON object")
		}
		field := name.(string) //nolint:forcetypeassert // a key of a JSON object is text
		if _, twice := fields[field]; twice {
			return nil, fmt.Errorf("it has the field %.64q twice", field)
		}
		fields[field] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, errors.New("it is no JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it goes on after the object's end")
	}
	return fields, nil
}
