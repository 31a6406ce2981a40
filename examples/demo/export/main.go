// Export makes a folder for the demo of a platform's own items: export FOLDER, in
// which products.json and pools.json are what `aws dynamodb scan` printed.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: export FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "export: %v\n", err)
		os.Exit(1)
	}
}

// run writes season.json and morning.csv, and says what it has left out.
func run(folder string, out, problems io.Writer) error {
	products, err := scanned(filepath.Join(folder, "products.json"))
	if err != nil {
		return err
	}
	pools, err := scanned(filepath.Join(folder, "pools.json"))
	if err != nil {
		return err
	}
	made, skipped := convert(products, pools)
	for _, s := range skipped {
		fmt.Fprintln(problems, s)
	}
	text, err := json.MarshalIndent(map[string]any{"products": made.products}, "", " ")
	if err != nil {
		return fmt.Errorf("write %s: %w", season.File, err)
	}
	if err := os.WriteFile(filepath.Join(folder, season.File), text, 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, season.MorningFile), made.morning(), 0o600); err != nil {
		return err
	}
	// The demo refuses what cannot be used, and so does this.
	s, err := season.Load(os.DirFS(folder))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d products, %d dates, %d bookings: make demo DATA=%s\n", len(s.Products), len(s.Days()), len(s.Morning), folder)
	return nil
}

// scanned are the items that a scan printed, with their attributes as plain values.
func scanned(file string) ([]map[string]any, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var scan struct {
		Items []map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &scan); err != nil {
		return nil, fmt.Errorf("%s: expected what aws dynamodb scan prints: %w", file, err)
	}
	items := make([]map[string]any, len(scan.Items))
	for i, item := range scan.Items {
		items[i] = map[string]any{}
		for name, value := range item {
			if items[i][name], err = plain(value); err != nil {
				return nil, fmt.Errorf("%s: item %d: %s: %w", file, i, name, err)
			}
		}
	}
	return items, nil
}

// plain is an attribute value without its type.
func plain(value map[string]json.RawMessage) (any, error) {
	for kind, raw := range value {
		switch kind {
		case "S":
			var s string
			err := json.Unmarshal(raw, &s)
			return s, err
		case "N":
			var n json.Number
			err := json.Unmarshal(raw, &n)
			return n, err
		case "M":
			var m map[string]map[string]json.RawMessage
			if err := json.Unmarshal(raw, &m); err != nil {
				return nil, err
			}
			out := map[string]any{}
			for name, v := range m {
				var err error
				if out[name], err = plain(v); err != nil {
					return nil, err
				}
			}
			return out, nil
		case "L":
			var l []map[string]json.RawMessage
			if err := json.Unmarshal(raw, &l); err != nil {
				return nil, err
			}
			out := make([]any, len(l))
			for i, v := range l {
				var err error
				if out[i], err = plain(v); err != nil {
					return nil, err
				}
			}
			return out, nil
		}
	}
	// No other type is in what the demo reads.
	return nil, nil
}
