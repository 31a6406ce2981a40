package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Defaults are the terms of signals for whose dates and products the platform has
// none.
type Defaults struct {
	// Pattern is nil for none.
	Pattern *signal.Pattern
	// Bucket is the name of a bucket, or "" for none.
	Bucket string
}

// ParseDefaultPattern reads a pattern from a setting: JSON in the form that items
// have it, such as {"estimationMode": "tiered", "cadence": {"minutes": 5}}. The
// bucket is the one that its cadence names, "" if it has none.
func ParseDefaultPattern(text string) (p signal.Pattern, bucket string, err error) {
	v, err := jsonValue([]byte(text))
	if err != nil {
		return p, "", err
	}
	if p, err = signal.ParsePattern(v); err != nil {
		return p, "", err
	}
	bucket, err = bucketOf(v)
	return p, bucket, err
}

// bucketOf is the bucket that a pattern's cadence names, or "" if it has none.
func bucketOf(pattern signal.Value) (string, error) {
	fields, _ := pattern.Fields()
	v, ok := fields["cadence"]
	if !ok || v.IsNull() {
		return "", nil
	}
	c, err := signal.ParseCadence(v)
	if err != nil {
		return "", err
	}
	name, err := c.BucketName()
	if err != nil {
		return "", fmt.Errorf("%w: its cadence neither is a duration nor has a bucket's name for its id or label", signal.ErrBucketName)
	}
	return name, nil
}

// jsonValue reads plain JSON as an attribute's value.
func jsonValue(text []byte) (signal.Value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return signal.Value{}, fmt.Errorf("it is no JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return signal.Value{}, errors.New("it is more than one JSON value")
	}
	return valueOf(v), nil
}

func valueOf(v any) signal.Value {
	switch v := v.(type) {
	case string:
		return signal.S(v)
	case json.Number:
		return signal.Decimal(v.String())
	case bool:
		return signal.Bool(v)
	case []any:
		l := make([]signal.Value, len(v))
		for i, e := range v {
			l[i] = valueOf(e)
		}
		return signal.L(l...)
	case map[string]any:
		m := make(map[string]signal.Value, len(v))
		for name, e := range v {
			m[name] = valueOf(e)
		}
		return signal.M(m)
	}
	return signal.Null()
}
