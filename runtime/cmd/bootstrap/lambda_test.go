package main_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// build builds the bootstrap for this machine, and returns its path. Another
// release's may take its place.
func build(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("AVAILABILITY_BOOTSTRAP"); path != "" {
		return path
	}
	return buildPackage(t, ".")
}

func buildPackage(t *testing.T, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bootstrap")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-tags", "lambda.norpc,nethttpomithttp2", "-ldflags", "-X main.version=v1.2.3", "-o", path, pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// lambda is the service around a running bootstrap: its Runtime API.
type lambda struct {
	t           *testing.T
	invocations chan invocation
	answers     chan answer
	ended       chan struct{}
	process     *os.Process
	log         logFile
}

type invocation struct {
	event    string
	deadline time.Time
}

// answer is what a bootstrap made of an invocation.
type answer struct {
	body         string
	ErrorMessage string `json:"errorMessage"`
	ErrorType    string `json:"errorType"`
}

// start starts a bootstrap with no environment but this, until the test is over.
func start(t *testing.T, bootstrap string, env map[string]string) *lambda {
	t.Helper()
	l := &lambda{t: t, invocations: make(chan invocation), answers: make(chan answer, 1), ended: make(chan struct{})}
	api := httptest.NewServer(l.routes())
	t.Cleanup(api.Close)

	cmd := exec.Command(bootstrap)
	cmd.Env = []string{"AWS_LAMBDA_RUNTIME_API=" + strings.TrimPrefix(api.URL, "http://")}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	l.log = logFile{t, filepath.Join(t.TempDir(), "log")}
	file, err := os.OpenFile(l.log.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd.Stdout, cmd.Stderr = file, file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l.process = cmd.Process
	go func() {
		_ = cmd.Wait()
		close(l.ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-l.ended
	})
	return l
}

func (l *lambda) routes() http.Handler {
	const root = "/2018-06-01/runtime/"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+root+"invocation/next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case i := <-l.invocations:
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", "request-1")
			w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(i.deadline.UnixMilli(), 10))
			w.Header().Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:ca-central-1:000000000000:function:availability")
			_, _ = io.WriteString(w, i.event)
		case <-r.Context().Done():
		case <-l.ended:
		}
	})
	answered := func(failed bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			a := answer{body: string(body)}
			if err == nil && failed {
				err = json.Unmarshal(body, &a)
			}
			if err != nil {
				a.ErrorMessage = "the answer cannot be read: " + err.Error()
			}
			w.WriteHeader(http.StatusAccepted)
			l.answers <- a
		}
	}
	mux.HandleFunc("POST "+root+"invocation/request-1/response", answered(false))
	mux.HandleFunc("POST "+root+"invocation/request-1/error", answered(true))
	return mux
}

// invoke sends an event that has a minute, and returns what came of it.
func (l *lambda) invoke(event string) answer {
	l.t.Helper()
	return l.invokeFor(event, time.Minute)
}

func (l *lambda) invokeFor(event string, timeout time.Duration) answer {
	l.t.Helper()
	a, err := l.try(event, timeout)
	if err != nil {
		l.t.Fatalf("%v:\n%s", err, l.log.String())
	}
	return a
}

var errEnded = errors.New("the bootstrap has ended")

// try sends an event to a bootstrap that may be killed meanwhile: then the error is
// errEnded.
func (l *lambda) try(event string, timeout time.Duration) (answer, error) {
	select {
	case l.invocations <- invocation{event, time.Now().Add(timeout)}:
	case <-l.ended:
		return answer{}, errEnded
	case <-time.After(time.Minute):
		return answer{}, errors.New("the bootstrap does not ask for an event")
	}
	select {
	case a := <-l.answers:
		return a, nil
	case <-l.ended:
		return answer{}, errEnded
	case <-time.After(timeout + time.Minute):
		return answer{}, errors.New("no answer")
	}
}

// kill ends the bootstrap as kill -9 does, and returns when it is gone.
func (l *lambda) kill() {
	_ = l.process.Kill()
	<-l.ended
}

// lines are those of the log.
func (l *lambda) lines() []map[string]any {
	l.t.Helper()
	var lines []map[string]any
	for line := range strings.Lines(l.log.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			l.t.Errorf("log line %q is not JSON", line)
		}
		lines = append(lines, fields)
	}
	return lines
}

// logged is the lines of the log with that message.
func (l *lambda) logged(message string) []map[string]any {
	l.t.Helper()
	return slices.DeleteFunc(l.lines(), func(fields map[string]any) bool { return fields["msg"] != message })
}

// lambdaEnv is the variables that Lambda sets.
func lambdaEnv(more map[string]string) map[string]string {
	env := map[string]string{
		"AWS_REGION": "ca-central-1", "AWS_ACCESS_KEY_ID": "canary-key", "AWS_SECRET_ACCESS_KEY": "canary-secret",
	}
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"} {
		if v, ok := os.LookupEnv(name); ok {
			env[name] = v
		}
	}
	for name, value := range more {
		env[name] = value
	}
	return env
}

// logFile is what a bootstrap has logged. In a file each line is there before the
// answer that follows it; through a pipe it may come later.
type logFile struct {
	t    *testing.T
	path string
}

func (f logFile) String() string {
	f.t.Helper()
	text, err := os.ReadFile(f.path)
	if err != nil {
		f.t.Error(err)
	}
	return string(text)
}
