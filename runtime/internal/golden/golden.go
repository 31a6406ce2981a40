// Package golden has items as they stand in tables of every release's: they are
// the contract between releases and with other languages. What reads or writes
// them otherwise needs a new format, and a folder of its own here; the files of an
// old one are never changed.
package golden

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// files are items in DynamoDB's own JSON.
//
//go:embed format1
var files embed.FS

// Names are the items of format 1 that there are.
func Names(t testing.TB) []string {
	t.Helper()
	paths, err := fs.Glob(files, "format1/*.json")
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = path[len("format1/") : len(path)-len(".json")]
	}
	return names
}

// Item is an item of format 1, such as signal-seeded.
func Item(t testing.TB, name string) signal.Item {
	t.Helper()
	item, err := read(fmt.Sprintf("format1/%s.json", name))
	if err != nil {
		t.Fatal(err)
	}
	return item
}

func read(path string) (signal.Item, error) {
	text, err := files.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var item map[string]typed
	if err := json.Unmarshal(text, &item); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return itemOf(item), nil
}

// typed is a value in DynamoDB's JSON, of the types that these items have.
type typed struct {
	S    *string
	N    *string
	BOOL *bool
	M    map[string]typed
	L    []typed
}

func itemOf(m map[string]typed) signal.Item {
	item := signal.Item{}
	for name, v := range m {
		item[name] = v.value()
	}
	return item
}

func (v typed) value() signal.Value {
	switch {
	case v.S != nil:
		return signal.S(*v.S)
	case v.N != nil:
		return signal.Decimal(*v.N)
	case v.BOOL != nil:
		return signal.Bool(*v.BOOL)
	case v.M != nil:
		return signal.M(itemOf(v.M))
	}
	l := make([]signal.Value, len(v.L))
	for i, e := range v.L {
		l[i] = e.value()
	}
	return signal.L(l...)
}
