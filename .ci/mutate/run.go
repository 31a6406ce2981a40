package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// verdict is what became of a mutant.
type verdict string

const (
	killed   verdict = "killed"
	survived verdict = "SURVIVED"
	// excused mutants are listed as such that no test can notice.
	excused verdict = "excused"
)

// explorations are the tests that explore the protocol's interleavings. They find
// much, and take long.
const explorations = "everyInterleaving|everyMutant"

// suite is tests of a package.
type suite struct {
	folder string
	args   []string
	slow   bool
}

// suites are what tests a folder's code, the fastest first.
func suites() map[string][]suite {
	return map[string][]suite{
		"runtime/protocol": {
			{folder: "runtime/protocol", args: []string{"-test.skip", explorations}},
			{folder: "runtime/flip"},
			{folder: "runtime/dynamo"},
			{folder: "runtime/read"},
			{folder: "runtime/stream"},
			{folder: "runtime/check"},
			{folder: "runtime/protocol", args: []string{"-test.run", explorations}, slow: true},
		},
		"runtime/dynamo": {{folder: "runtime/dynamo"}, {folder: "runtime/flip"}, {folder: "runtime/read"}, {folder: "runtime/stream"}},
		"runtime/check":  {{folder: "runtime/check"}},
	}
}

// laboratory is a folder's tests, built with all of its mutants.
type laboratory struct {
	dir    string
	suites []suite
	// took is how long each suite takes where nothing is broken. A mutant that
	// takes much longer never ends.
	took []time.Duration
}

// build makes the laboratory of a folder.
func build(ctx context.Context, dir, folder string, mutants []mutant, numbers map[string]int) (laboratory, error) {
	overlay, err := writeOverlay(dir, folder, mutants, numbers)
	if err != nil {
		return laboratory{}, err
	}
	lab := laboratory{dir: dir, suites: suites()[folder]}
	lab.took = make([]time.Duration, len(lab.suites))
	for _, s := range lab.suites {
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", lab.binary(s), "./"+s.folder)
		if out, err := cmd.CombinedOutput(); err != nil {
			return lab, fmt.Errorf("build the tests of %s: %w\n%s", s.folder, err, out)
		}
	}
	return lab, nil
}

func (l laboratory) binary(s suite) string {
	return filepath.Join(l.dir, strings.ReplaceAll(s.folder, "/", "-")+".test")
}

// holds runs the tests as no mutant, all of which must pass.
func (l laboratory) holds(ctx context.Context, quick bool) error {
	for i, s := range l.suites {
		if quick && s.slow {
			continue
		}
		began := time.Now()
		if out, err := l.command(ctx, s, 0, time.Hour).CombinedOutput(); err != nil {
			return fmt.Errorf("the tests of %s fail as it is: %w\n%s", s.folder, err, out)
		}
		l.took[i] = time.Since(began)
	}
	return nil
}

// test runs the tests as a mutant, until one of them fails.
func (l laboratory) test(ctx context.Context, number int, quick bool) (verdict, error) {
	for i, s := range l.suites {
		if quick && s.slow {
			continue
		}
		err := l.command(ctx, s, number, 10*time.Second+5*l.took[i]).Run()
		if _, failed := errors.AsType[*exec.ExitError](err); failed {
			return killed, nil
		}
		if err != nil {
			return "", err
		}
	}
	return survived, nil
}

func (l laboratory) command(ctx context.Context, s suite, number int, limit time.Duration) *exec.Cmd {
	args := append([]string{"-test.short", "-test.failfast", "-test.timeout", limit.String()}, s.args...)
	cmd := exec.CommandContext(ctx, l.binary(s), args...)
	cmd.Dir = s.folder
	cmd.Env = append(os.Environ(), "TF_ACC=", fmt.Sprintf("%s=%d", mutantEnv, number))
	return cmd
}

// writeOverlay writes a folder's files with their mutants, for the go command to
// take instead.
func writeOverlay(dir, folder string, mutants []mutant, numbers map[string]int) (string, error) {
	byFile := map[string][]mutant{}
	for _, m := range mutants {
		byFile[m.file] = append(byFile[m.file], m)
	}
	replace := map[string]string{}
	put := func(file, text string) error {
		original, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		replace[original] = filepath.Join(dir, filepath.Base(file))
		return os.WriteFile(replace[original], []byte(text), 0o644)
	}
	for file, of := range byFile {
		source, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if err := put(file, instrument(source, of, numbers)); err != nil {
			return "", err
		}
	}
	if err := put(filepath.Join(folder, "mutant_on.go"), fmt.Sprintf(selector, packageName(folder))); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}
