// Command mutate breaks the protocol's code in one place at a time and looks
// whether the tests notice: every condition, comparison, order of two steps and
// consistent read. It lists the mutants that no test has noticed.
//
//	go run ./.ci/mutate [-match REGEXP] [-list] [-quick] [-j N] [PACKAGE FOLDER...]
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// known is where mutants are listed that no test can notice, with the reason.
const known = ".ci/mutate/equivalent.txt"

func main() {
	if err := mutate(); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func mutate() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	match := flag.String("match", "", "only mutants whose name this regular expression finds")
	list := flag.Bool("list", false, "list the mutants and test none")
	jobs := flag.Int("j", 2, "how many mutants to test at once")
	quick := flag.Bool("quick", false, "leave out the explorations of all interleavings: more survive")
	flag.Parse()
	folders := flag.Args()
	if len(folders) == 0 {
		folders = slices.Sorted(maps.Keys(testers()))
	}
	wanted, err := regexp.Compile(*match)
	if err != nil {
		return fmt.Errorf("-match: %w", err)
	}
	reasons, err := readReasons(known)
	if err != nil {
		return err
	}
	var sum tally
	for _, folder := range folders {
		if _, ok := testers()[folder]; !ok {
			return fmt.Errorf("nothing says what tests %s", folder)
		}
		mutants, err := mutantsOf(folder)
		if err != nil {
			return err
		}
		if *list {
			for _, m := range mutants {
				fmt.Println(m.name)
			}
			continue
		}
		t := trial{folder: folder, mutants: mutants, reasons: reasons, wanted: wanted, quick: *quick}
		if err := t.run(ctx, *jobs, &sum); err != nil {
			return err
		}
	}
	if *list {
		return nil
	}
	return sum.report()
}

// trial is the mutants of a folder under test.
type trial struct {
	folder  string
	mutants []mutant
	reasons map[string]string
	wanted  *regexp.Regexp
	quick   bool
}

// run tests the mutants, so many at once, and adds to a sum.
func (t trial) run(ctx context.Context, jobs int, sum *tally) error {
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	numbers := map[string]int{}
	for i, m := range t.mutants {
		numbers[m.name] = i + 1
	}
	for _, name := range slices.Sorted(maps.Keys(t.reasons)) {
		if _, ok := numbers[name]; !ok && strings.HasPrefix(name, t.folder+"/") {
			return fmt.Errorf("%s lists what is no mutant any more, strike it off: %s", known, name)
		}
	}
	began := time.Now()
	lab, err := build(ctx, dir, t.folder, t.mutants, numbers, jobs, t.quick)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d mutants, %d tests, surveyed in %v\n", t.folder, len(t.mutants), len(lab.tests), time.Since(began).Round(time.Second))
	at := places(t.mutants)
	err = inParallel(ctx, jobs, len(t.mutants), func(i int) error {
		m := t.mutants[i]
		if !t.wanted.MatchString(m.name) {
			return nil
		}
		if _, ok := t.reasons[m.name]; ok {
			sum.add(m, excused)
			return nil
		}
		v, err := lab.test(ctx, i+1, at[i])
		if err == nil {
			sum.add(m, v)
		}
		return err
	})
	fmt.Printf("%s: %v\n", t.folder, time.Since(began).Round(time.Second))
	return err
}

// inParallel does things by their numbers, so many at once, until one fails.
func inParallel(ctx context.Context, jobs, n int, do func(int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					stop(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// tally is what became of the mutants. Its zero value is ready.
type tally struct {
	mu        sync.Mutex
	count     map[verdict]int
	survivors []string
}

func (t *tally) add(m mutant, v verdict) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count == nil {
		t.count = map[verdict]int{}
	}
	t.count[v]++
	if v == survived || v == unmet {
		t.survivors = append(t.survivors, m.name)
		fmt.Printf("%s: %s\n", v, m.name)
	}
}

func (t *tally) report() error {
	total := t.count[killed] + t.count[excused] + len(t.survivors)
	fmt.Printf("%d mutants: %d killed, %d equivalent by %s, %d survived\n", total, t.count[killed], t.count[excused], known, len(t.survivors))
	if len(t.survivors) > 0 {
		return fmt.Errorf("no test notices:\n  %s", strings.Join(t.survivors, "\n  "))
	}
	return nil
}

// readReasons reads the mutants that no test can notice. Each is a line of its
// name, and one of its reason, indented.
func readReasons(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	reasons, name := map[string]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "  "):
			if name == "" {
				return nil, fmt.Errorf("%s: a reason of nothing: %q", path, line)
			}
			reasons[name] = strings.TrimSpace(line)
			name = ""
		case name != "":
			return nil, fmt.Errorf("%s: no reason for %q", path, name)
		default:
			name = line
		}
	}
	return reasons, nil
}
