package record

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Kept is what is kept of the runs, so that a row can be measured again without
// the others.
type Kept struct {
	Rows []Row
	Full *Full `json:",omitempty"`
}

// ReadKept reads the file of it; one that is not there has nothing.
func ReadKept(path string) (Kept, error) {
	var k Kept
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return k, err
	}
	return k, json.Unmarshal(b, &k)
}

// Add puts rows in the place of those of their ids, in the order of ids.
func (k *Kept) Add(ids []string, rows ...Row) {
	for _, r := range rows {
		if i := slices.IndexFunc(k.Rows, func(old Row) bool { return old.ID == r.ID }); i >= 0 {
			k.Rows[i] = r
			continue
		}
		k.Rows = append(k.Rows, r)
	}
	slices.SortStableFunc(k.Rows, func(a, b Row) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
}

// Write writes the file, in a folder that it makes where there is none.
func (k *Kept) Write(path string) error {
	b, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}
