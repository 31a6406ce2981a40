package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// WriteFile writes the zip to a file, whose directory it makes. A file that is it
// already stays untouched; any other is replaced as a whole or not at all.
func (p Package) WriteFile(path string) error {
	if present, err := os.ReadFile(path); err == nil && bytes.Equal(present, p.Zip) {
		return nil
	}
	if err := p.replace(path); err != nil {
		return fmt.Errorf("write the Lambda package for %s: %w", p.Architecture, err)
	}
	return nil
}

func (p Package) replace(path string) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary.Name())
		}
	}()
	_, written := temporary.Write(p.Zip)
	if err := errors.Join(written, temporary.Chmod(0o644), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
