package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What a child process of the benchmarks is told by its environment.
const (
	envChild = "AVAILABILITY_BENCH_CHILD"
	envTask  = "AVAILABILITY_BENCH_TASK"
	envOut   = "AVAILABILITY_BENCH_OUT"
)

// The children there are.
const (
	paceChild = "pace"
	seedChild = "seed"
)

// child runs a part of the suite in a process of its own, and reads what it found.
func (s *Suite) child(ctx context.Context, name string, task, found any) error {
	text, err := json.Marshal(task)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.work, name+"-")
	if err != nil {
		return err
	}
	out := filepath.Join(dir, "found.json")
	cmd := exec.CommandContext(ctx, s.Self)
	cmd.Env = append(os.Environ(), envChild+"="+name, envTask+"="+string(text), envOut+"="+out)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s in a process of its own: %w\n%s", name, err, said.String())
	}
	b, err := os.ReadFile(out)
	if err != nil {
		return fmt.Errorf("%s in a process of its own: %w\n%s", name, err, said.String())
	}
	return json.Unmarshal(b, found)
}

// Child is what a program does first that runs the suite: it does a part if it was
// started for one, and then it does not return, or says that it was not.
func Child(ctx context.Context) (was bool) {
	name := os.Getenv(envChild)
	switch name {
	case "":
		return false
	case paceChild:
		inBubble(func(t *testing.T) {
			conclude(t.Context(), drainBeside)
		})
	case seedChild:
		conclude(ctx, seedMany)
	}
	return true
}

// conclude does a task and writes what was found to the file that waits for it. An
// error ends the process.
func conclude[T, F any](ctx context.Context, do func(context.Context, T) (F, error)) {
	var task T
	err := json.Unmarshal([]byte(os.Getenv(envTask)), &task)
	var found F
	if err == nil {
		found, err = do(ctx, task)
	}
	var b []byte
	if err == nil {
		b, err = json.Marshal(found)
	}
	if err == nil {
		err = os.WriteFile(os.Getenv(envOut), b, 0o600)
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
