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
	"sync"
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
		"runtime/dynamo":   {"runtime/dynamo", "runtime/flip", "runtime/read", "runtime/stream", "runtime/operate"},
		"runtime/check":    {"runtime/check", "runtime/operate"},
	}
}

const (
	// leisurely is a test that is run by itself, after those that are faster.
	leisurely = 300 * time.Millisecond
	// proven is how many of those that have noticed most are run before all others.
	proven = 5
)

// failed finds the tests that failed.
var failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// test is one of a folder's tests.
type test struct {
	folder, name string
	// took is how long it takes where nothing is broken, and met the places that
	// it meets then.
	took time.Duration
	met  map[int]bool
	// kills is how many mutants it was the first to notice.
	kills int
}

// laboratory is tests, built with all the mutants of a folder.
type laboratory struct {
	dir string
	mu  sync.Mutex
	// tests are the fastest first.
	tests []test
}

// build makes the laboratory of a folder, and runs each test as no mutant, all of
// which must pass.
func build(ctx context.Context, dir, folder string, mutants []mutant, numbers map[string]int, jobs int, quick bool) (*laboratory, error) {
	lab := &laboratory{dir: dir}
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

func (l *laboratory) binary(folder string) string {
	return filepath.Join(l.dir, strings.ReplaceAll(folder, "/", "-")+".test")
}

// survey runs a test as it is, and keeps which places it meets.
func (l *laboratory) survey(ctx context.Context, i int) error {
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
func (l *laboratory) test(ctx context.Context, number, place int) (verdict, error) {
	v := unmet
	for _, tests := range l.meeting(place) {
		v = survived
		limit := 6 * time.Second
		for _, t := range tests {
			limit += 5 * t.took
		}
		out, err := l.command(ctx, number, limit, tests...).CombinedOutput()
		if _, ended := errors.AsType[*exec.ExitError](err); ended {
			l.credit(tests[0].folder, out)
			return killed, ctx.Err()
		}
		if err != nil {
			return "", err
		}
	}
	return v, nil
}

// credit takes note of which test has noticed a mutant. One that never ended names
// none.
func (l *laboratory) credit(folder string, out []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range failed.FindAllSubmatch(out, 1) {
		for i := range l.tests {
			if l.tests[i].folder == folder && l.tests[i].name == string(name[1]) {
				l.tests[i].kills++
			}
		}
	}
}

// meeting is the tests that meet a place: the few fast ones that have noticed most,
// then those of a folder that are fast at once, and the others one by one.
func (l *laboratory) meeting(place int) (groups [][]test) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var fast, slow []test
	for _, t := range l.tests {
		switch {
		case !t.met[place]:
		case t.took < leisurely:
			fast = append(fast, t)
		default:
			slow = append(slow, t)
		}
	}
	slices.SortStableFunc(fast, func(a, b test) int { return cmp.Compare(b.kills, a.kills) })
	first := min(proven, len(fast))
	for first > 0 && fast[first-1].kills == 0 {
		first--
	}
	groups = append(byFolder(fast[:first]), byFolder(fast[first:])...)
	for _, t := range slow {
		groups = append(groups, []test{t})
	}
	return groups
}

// byFolder puts together those that one command can run.
func byFolder(tests []test) (groups [][]test) {
	at := map[string]int{}
	for _, t := range tests {
		i, ok := at[t.folder]
		if !ok {
			i = len(groups)
			at[t.folder], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

// command runs tests of a folder.
func (l *laboratory) command(ctx context.Context, number int, limit time.Duration, tests ...test) *exec.Cmd {
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
