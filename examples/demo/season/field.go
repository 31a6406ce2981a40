package season

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// field is a value of a JSON document and where it is, so that every complaint
// names the file and the field.
type field struct {
	file, path string
	value      any
}

// readText reads a file without the byte order mark that some editors begin it with.
func readText(folder fs.FS, file string) ([]byte, error) {
	text, err := fs.ReadFile(folder, file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), nil
}

// readJSON reads a file that must hold one JSON value.
func readJSON(folder fs.FS, file string) (field, error) {
	text, err := readText(folder, file)
	if err != nil {
		return field{}, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err = d.Decode(&value); err == nil {
		if _, rest := d.Token(); !errors.Is(rest, io.EOF) {
			err = errors.New("something follows the end of the document")
		}
	}
	if err != nil {
		offset := d.InputOffset()
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			offset = syntax.Offset
		} else if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			offset = int64(len(text))
		}
		line := 1 + bytes.Count(text[:min(int(offset), len(text))], []byte("\n"))
		return field{}, fmt.Errorf("%s line %d: not valid JSON: %w", file, line, err)
	}
	return field{file: file, value: value}, nil
}

func (f field) wrong(format string, args ...any) error {
	where := f.file
	if f.path != "" {
		where += ": " + f.path
	}
	return fmt.Errorf("%s: %w", where, fmt.Errorf(format, args...))
}

// absent is whether the field is missing or null.
func (f field) absent() bool { return f.value == nil }

func (f field) get(name string) field {
	m, _ := f.value.(map[string]any)
	path := name
	if f.path != "" {
		path = f.path + "." + name
	}
	return field{f.file, path, m[name]}
}

func (f field) object() error {
	if _, ok := f.value.(map[string]any); !ok {
		return f.wrong("expected an object")
	}
	return nil
}

func (f field) list() ([]field, error) {
	l, ok := f.value.([]any)
	if !ok {
		return nil, f.wrong("expected a list")
	}
	fields := make([]field, len(l))
	for i, v := range l {
		fields[i] = field{f.file, fmt.Sprintf("%s[%d]", f.path, i), v}
	}
	return fields, nil
}

func (f field) text() (string, error) {
	s, ok := f.value.(string)
	if !ok || s == "" {
		return "", f.wrong("expected text")
	}
	return s, nil
}

// id is text, or a whole number that some items have instead.
func (f field) id() (string, error) {
	if n, ok := f.value.(json.Number); ok {
		if _, err := n.Int64(); err == nil {
			return n.String(), nil
		}
	}
	s, err := f.text()
	if err != nil {
		return "", f.wrong("expected text or a whole number")
	}
	if reason := signal.ValidatePart(s); reason != "" {
		return "", f.wrong("%q %s", s, reason)
	}
	return s, nil
}

func (f field) date() (signal.Date, error) {
	s, err := f.text()
	if err != nil {
		return signal.Date{}, f.wrong("expected a date as YYYY-MM-DD")
	}
	d, err := signal.ParseDate(s)
	if err != nil {
		return signal.Date{}, f.wrong("%w", err)
	}
	return d, nil
}

// amount is a whole number of at least 0.
func (f field) amount() (int64, error) {
	n, ok := f.value.(json.Number)
	if !ok {
		return 0, f.wrong("expected a whole number")
	}
	i, err := strconv.ParseInt(n.String(), 10, 32)
	if err != nil || i < 0 {
		return 0, f.wrong("%s: expected a whole number from 0 to 2147483647", n)
	}
	return i, nil
}

// attribute is the field as an item's attribute.
func (f field) attribute() signal.Value { return attribute(f.value) }

func attribute(v any) signal.Value {
	switch v := v.(type) {
	case string:
		return signal.S(v)
	case json.Number:
		return signal.Decimal(v.String())
	case bool:
		return signal.Bool(v)
	case map[string]any:
		m := map[string]signal.Value{}
		for name, e := range v {
			m[name] = attribute(e)
		}
		return signal.M(m)
	case []any:
		l := make([]signal.Value, len(v))
		for i, e := range v {
			l[i] = attribute(e)
		}
		return signal.L(l...)
	}
	return signal.Null()
}
