package iampolicy_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// function is the runtime's program, with the service around it: Lambda's runtime API.
type function struct {
	t       *testing.T
	events  chan string
	answers chan string
}

// buildFunction builds the program.
func buildFunction(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bootstrap")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-tags", "lambda.norpc,nethttpomithttp2", "-o", file, "../../runtime/cmd/bootstrap").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return file
}

// start starts the program, whose calls go through a recorder, until the end of the
// test.
func start(t *testing.T, program string, r *recorder, env map[string]string) *function {
	t.Helper()
	f := &function{t: t, events: make(chan string), answers: make(chan string, 1)}
	api := httptest.NewServer(f.routes())
	t.Cleanup(api.Close)
	cmd := exec.Command(program)
	cmd.Env = []string{"AWS_LAMBDA_RUNTIME_API=" + strings.TrimPrefix(api.URL, "http://"), "AWS_ENDPOINT_URL=" + r.url}
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		cmd.Env = append(cmd.Env, name+"="+os.Getenv(name))
	}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return f
}

func (f *function) routes() http.Handler {
	const root = "/2018-06-01/runtime/invocation/"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+root+"next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case event := <-f.events:
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", "1")
			w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(time.Minute).UnixMilli(), 10))
			w.Header().Set("Lambda-Runtime-Invoked-Function-Arn", functionARN("availability"))
			_, _ = io.WriteString(w, event)
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("POST "+root+"1/{outcome}", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		f.answers <- r.PathValue("outcome") + " " + string(body)
	})
	return mux
}

// invoke hands the program an event, and returns its answer, which must be none of
// an error.
func (f *function) invoke(event string) string {
	f.t.Helper()
	f.events <- event
	answer, ok := strings.CutPrefix(<-f.answers, "response ")
	if !ok {
		f.t.Fatalf("%s: %s", event, answer)
	}
	return answer
}
