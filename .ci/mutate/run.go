package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// verdict is what became of a mutant.
type verdict string

const (
	killed   verdict = "killed"
	survived verdict = "survived"
	// unmet mutants are in code that no test comes to.
	unmet verdict = "unmet"
	// excused mutants are listed as such that no test can notice.
	excused verdict = "excused"
)

// explorations are the tests that explore the protocol's interleavings. They find
// much, and take long.
var explorations = regexp.MustCompile("everyInterleaving|everyMutant")

// testers are the folders whose tests are to notice what is broken in a folder.
func testers() map[string][]string {
	return map[string][]string{
		"runtime/protocol": {"runtime/protocol", "runtime/flip", "runtime/dynamo", "runtime/read", "runtime/stream", "runtime/check", "runtime/operate", "provider/iampolicy"},
		"runtime/dynamo":   {"runtime/dynamo", "runtime/flip", "runtime/read", "runtime/stream"},
		"runtime/check":    {"runtime/check"},
	}
}

// leisurely is a test that is run by itself, after those that are faster.
const leisurely = 300 * time.Millisecond

// test is one of a folder's tests.
type test struct {
	folder, name string
	// took is how long it takes where nothing is broken, and met the places that
	// it meets then.
	took time.Duration
	met  map[int]bool
}

// laboratory is tests, built with all the mutants of a folder.
type laboratory struct {
	dir string
	// tests are the fastest first.
	tests []test
}

// build makes the laboratory of a folder, and runs each test as no mutant, all of
// which must pass.
func build(ctx context.Context, dir, folder string, mutants []mutant, numbers map[string]int, jobs int, quick bool) (laboratory, error) {
	lab := laboratory{dir: dir}
	overlay, err := writeOverlay(dir, folder, mutants, numbers)
	if err != nil {
		return lab, err
	}
	for _, tester := range testers()[folder] {
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", lab.binary(tester), "./"+tester)
		if out, err := cmd.CombinedOutput(); err != nil {
			return lab, fmt.Errorf("build the tests of %s: %w\n%s", tester, err, out)
		}
		cmd = exec.CommandContext(ctx, lab.binary(tester), "-test.list", ".")
		cmd.Dir = tester
		names, err := cmd.Output()
		if err != nil {
			return lab, fmt.Errorf("list the tests of %s: %w", tester, err)
		}
		for name := range strings.Lines(string(names)) {
			name = strings.TrimSpace(name)
			if strings.HasPrefix(name, "Benchmark") || quick && explorations.MatchString(name) {
				continue
			}
			lab.tests = append(lab.tests, test{folder: tester, name: name})
		}
	}
	if err := inParallel(ctx, jobs, len(lab.tests), func(i int) error { return lab.survey(ctx, i) }); err != nil {
		return lab, err
	}
	slices.SortStableFunc(lab.tests, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	return lab, nil
}

func (l laboratory) binary(folder string) string {
	return filepath.Join(l.dir, strings.ReplaceAll(folder, "/", "-")+".test")
}

// survey runs a test as it is, and keeps which places it meets.
func (l laboratory) survey(ctx context.Context, i int) error {
	t := &l.tests[i]
	notes := filepath.Join(l.dir, fmt.Sprintf("notes-%d", i))
	cmd := l.command(ctx, 0, time.Hour, *t)
	cmd.Env = append(cmd.Env, notesEnv+"="+notes)
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s of %s fails as it is: %w\n%s", t.name, t.folder, err, out)
	}
	t.took, t.met = time.Since(began), map[int]bool{}
	text, err := os.ReadFile(notes)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(text)) {
		place, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			return err
		}
		t.met[place] = true
	}
	return nil
}

// test runs the tests that meet a mutant as that, until one of them fails.
func (l laboratory) test(ctx context.Context, number, place int) (verdict, error) {
	v := unmet
	for _, tests := range l.meeting(place) {
		v = survived
		limit := 6 * time.Second
		for _, t := range tests {
			limit += 5 * t.took
		}
		err := l.command(ctx, number, limit, tests...).Run()
		if _, failed := errors.AsType[*exec.ExitError](err); failed {
			return killed, ctx.Err()
		}
		if err != nil {
			return "", err
		}
	}
	return v, nil
}

// meeting is the tests that meet a place: those of a folder that are fast at once,
// the others one by one.
func (l laboratory) meeting(place int) (groups [][]test) {
	fast := map[string]int{}
	for _, t := range l.tests {
		if !t.met[place] {
			continue
		}
		if at, ok := fast[t.folder]; ok && t.took < leisurely {
			groups[at] = append(groups[at], t)
			continue
		}
		if t.took < leisurely {
			fast[t.folder] = len(groups)
		}
		groups = append(groups, []test{t})
	}
	return groups
}

// command runs tests of a folder.
func (l laboratory) command(ctx context.Context, number int, limit time.Duration, tests ...test) *exec.Cmd {
	names := make([]string, len(tests))
	for i, t := range tests {
		names[i] = t.name
	}
	cmd := exec.CommandContext(ctx, l.binary(tests[0].folder),
		"-test.short", "-test.failfast", "-test.timeout", limit.String(), "-test.run", "^("+strings.Join(names, "|")+")$")
	cmd.Dir = tests[0].folder
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
