package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	ownProvider  = "availability-signal/availability"
	idleProvider = "availability-signal/idle"
	awsProvider  = "hashicorp/aws"
	registry     = "registry.terraform.io"
)

// workspace is a folder in which terraform runs.
type workspace struct {
	dir, config string
	// env is what terraform is told beside this process's environment.
	env []string
}

// workspace makes a folder with a configuration. Providers come from a mirror of
// this run's own build, and hashicorp/aws from one found on this machine.
func (s *Suite) workspace(ctx context.Context, main string, env ...string) (*workspace, error) {
	dir, err := os.MkdirTemp(s.work, "terraform-")
	if err != nil {
		return nil, err
	}
	mirror, err := s.ownMirror(ctx)
	if err != nil {
		return nil, err
	}
	from := fmt.Sprintf("  filesystem_mirror {\n    path    = %q\n    include = [%q, %q]\n  }\n", mirror, ownProvider, idleProvider)
	if aws := awsMirror(); aws != "" {
		from += fmt.Sprintf("  filesystem_mirror {\n    path    = %q\n    include = [%q]\n  }\n", aws, awsProvider)
	}
	w := &workspace{dir: dir, config: filepath.Join(dir, "terraform.rc"), env: env}
	for name, text := range map[string]string{"terraform.rc": "disable_checkpoint = true\nprovider_installation {\n" + from + "}\n", "main.tf": main} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	_, err = w.run(ctx, "init", "-no-color")
	return w, err
}

// ownMirror is a filesystem mirror that has the provider of this source tree, and the
// one that does nothing.
func (s *Suite) ownMirror(ctx context.Context) (string, error) {
	mirror := filepath.Join(s.work, "mirror")
	if _, err := os.Stat(mirror); err == nil {
		return mirror, nil
	}
	idle, err := s.idle(ctx)
	if err != nil {
		return "", err
	}
	return mirror, errors.Join(offer(mirror, ownProvider, s.provider()), offer(mirror, idleProvider, idle))
}

// offer puts a provider's program into a mirror.
func offer(mirror, source, program string) error {
	const version = "0.0.1"
	_, name, _ := strings.Cut(source, "/")
	path := filepath.Join(mirror, registry, source, version, runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-"+name+"_v"+version)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	return os.WriteFile(path, binary, 0o755)
}

// awsMirror is a folder that has hashicorp/aws for this machine: the one that
// AVAILABILITY_AWS_MIRROR names, or one where such folders are kept; "" for none.
func awsMirror() string {
	of := func(dir string) bool {
		found, err := filepath.Glob(filepath.Join(dir, registry, awsProvider, "*", runtime.GOOS+"_"+runtime.GOARCH))
		return err == nil && len(found) > 0
	}
	if named := os.Getenv("AVAILABILITY_AWS_MIRROR"); named != "" && of(named) {
		return named
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "/root"
	}
	for _, root := range []string{home, "/usr", "/opt", "/var", "/srv"} {
		for _, between := range []string{"", "*", "*/*", "*/*/*", ".*/*"} {
			found, err := filepath.Glob(filepath.Join(root, between, registry, awsProvider))
			if err != nil {
				continue
			}
			for _, dir := range found {
				if dir = strings.TrimSuffix(dir, "/"+registry+"/"+awsProvider); of(dir) {
					return dir
				}
			}
		}
	}
	return ""
}

// spent is what a run of terraform took.
type spent struct {
	seconds float64
	// mib is the most resident memory of the largest provider process.
	mib float64
}

// run runs terraform to its end.
func (w *workspace) run(ctx context.Context, args ...string) (spent, error) {
	cmd := exec.CommandContext(ctx, "terraform", args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+w.config, "TF_IN_AUTOMATION=1", "TF_LOG=", "CHECKPOINT_DISABLE=1")
	cmd.Env = append(cmd.Env, w.env...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return spent{}, err
	}
	watching := watch(cmd.Process.Pid)
	err := cmd.Wait()
	took := spent{seconds: time.Since(began).Seconds(), mib: watching.stop()}
	// A plan with changes ends with 2.
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return took, &terraformError{strings.Join(args, " "), exit.ExitCode(), out.String()}
	}
	return took, err
}

// terraformError is that terraform has failed.
type terraformError struct {
	args   string
	code   int
	output string
}

// Error is what terraform says of its errors, without the plan of thousands of
// resources before.
func (e *terraformError) Error() string {
	const most = 4000
	output := e.output
	if at := strings.Index(output, "\nError:"); at >= 0 {
		output = output[at+1:]
	}
	return fmt.Sprintf("terraform %s ends with %d:\n%s", e.args, e.code, output[:min(len(output), most)])
}

func (w *workspace) apply(ctx context.Context) (spent, error) {
	return w.run(ctx, "apply", "-auto-approve", "-no-color")
}

// plan is one that finds nothing to do, or an error.
func (w *workspace) plan(ctx context.Context) (spent, error) {
	return w.run(ctx, "plan", "-detailed-exitcode", "-no-color")
}

func (w *workspace) destroy(ctx context.Context) (spent, error) {
	return w.run(ctx, "destroy", "-auto-approve", "-no-color")
}

// stateBytes is the size of the state.
func (w *workspace) stateBytes() (int64, error) {
	info, err := os.Stat(filepath.Join(w.dir, "terraform.tfstate"))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// watcher looks at the memory of the provider processes that another has started.
type watcher struct {
	quit chan struct{}
	done sync.WaitGroup
	most float64
}

func watch(parent int) *watcher {
	w := &watcher{quit: make(chan struct{})}
	w.done.Go(func() {
		every := time.NewTicker(20 * time.Millisecond)
		defer every.Stop()
		for {
			for _, pid := range providersOf(parent) {
				// One that has just ended is not there any more.
				if mib, err := residentPeak(pid); err == nil {
					w.most = max(w.most, mib)
				}
			}
			select {
			case <-w.quit:
				return
			case <-every.C:
			}
		}
	})
	return w
}

func (w *watcher) stop() float64 {
	close(w.quit)
	w.done.Wait()
	return w.most
}

// providersOf are the children of a process that are Terraform providers.
func providersOf(parent int) []int {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	if err != nil {
		return nil
	}
	var pids []int
	for _, path := range tasks {
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for _, field := range strings.Fields(string(b)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				continue
			}
			if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && strings.Contains(filepath.Base(exe), "terraform-provider-") {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
