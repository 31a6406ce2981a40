package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// assets are the season and the configuration beside this file, so that the demo
// finds them wherever it is started.
//
//go:embed data/season.json data/morning.csv data/after.json terraform/*.tf
var assets embed.FS

// dataFolder is the folder of the season to show: dir, or the demo's own.
func dataFolder(dir string) (fs.FS, error) {
	if dir == "" {
		return fs.Sub(assets, "data")
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("read the folder that DATA names: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("DATA names %s, which is a file: expected a folder with season.json and morning.csv", dir)
	}
	return os.DirFS(dir), nil
}

// writeConfiguration puts the configuration's files into a directory.
func writeConfiguration(dir string) error {
	files, err := fs.Glob(assets, "terraform/*.tf")
	if err != nil {
		return err
	}
	for _, name := range files {
		text, err := assets.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600); err != nil {
			return fmt.Errorf("write the configuration: %w", err)
		}
	}
	return nil
}
