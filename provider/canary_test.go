package provider_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// Secrets that the provider is given never come to light: not in what Terraform
// prints, nor in its logs at their most talkative, its plan or its state.
func TestProvider_secretsStaySecret(t *testing.T) {
	acctest.PreCheck(t)
	if os.Getenv("AWS_ENDPOINT_URL") == "" {
		t.Skip("gives credentials that only a local AWS takes")
	}
	terraform, err := exec.LookPath("terraform")
	if err != nil {
		t.Fatalf("needs terraform: %v", err)
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "terraform-provider-availability"), "..").CombinedOutput(); err != nil {
		t.Fatalf("build the provider: %v\n%s", err, out)
	}
	secrets := map[string]string{"access_key": "CANARYACCESSKEY", "secret_key": "canary-secret-key", "token": "canary-session-token"}
	const ephemeral = `
variable "access_key" {
  type      = string
  ephemeral = true
}
variable "secret_key" {
  type      = string
  ephemeral = true
}
variable "token" {
  type      = string
  ephemeral = true
}
`
	tests := map[string]struct {
		variables, settings string
		environment         map[string]string
	}{
		"environment": {environment: map[string]string{
			"AWS_ACCESS_KEY_ID": secrets["access_key"], "AWS_SECRET_ACCESS_KEY": secrets["secret_key"], "AWS_SESSION_TOKEN": secrets["token"],
		}},
		"configuration": {
			variables: ephemeral,
			settings:  "access_key = var.access_key\n  secret_key = var.secret_key\n  token = var.token",
			environment: map[string]string{
				"TF_VAR_access_key": secrets["access_key"], "TF_VAR_secret_key": secrets["secret_key"], "TF_VAR_token": secrets["token"],
			},
		},
		"role": {
			variables: ephemeral,
			settings:  fmt.Sprintf("access_key = var.access_key\n  secret_key = var.secret_key\n  token = var.token\n  assume_role = { role_arn = %q }", "arn:aws:iam::000000000000:role/planner"),
			environment: map[string]string{
				"TF_VAR_access_key": secrets["access_key"], "TF_VAR_secret_key": secrets["secret_key"], "TF_VAR_token": secrets["token"],
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			table := acctest.Table(t)
			folder := t.TempDir()
			write := func(file, content string) string {
				file = filepath.Join(folder, file)
				if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				return file
			}
			write("main.tf", fmt.Sprintf(`
terraform {
  required_providers {
    availability = { source = "availability-signal/availability" }
  }
}
%s
provider "availability" {
  table_name = %q
  %s
}

resource "availability_cadence_bucket" "test" {
  name    = "5min"
  cadence = { minutes = 5 }
  target  = { arn = "arn:aws:lambda:ca-central-1:123456789012:function:availability" }
}

data "availability_cadence_bucket" "test" {
  name = availability_cadence_bucket.test.name
}
`, tt.variables, table, tt.settings))
			rc := write("terraform.rc", fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"availability-signal/availability\" = %q\n  }\n  direct {}\n}\n", bin))
			logs := filepath.Join(folder, "trace.log")
			run := func(args ...string) []byte {
				t.Helper()
				cmd := exec.Command(terraform, args...)
				cmd.Dir = folder
				cmd.Env = append(os.Environ(), "TF_LOG=TRACE", "TF_LOG_PATH="+logs, "TF_CLI_CONFIG_FILE="+rc, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1")
				for variable, v := range tt.environment {
					cmd.Env = append(cmd.Env, variable+"="+v)
				}
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("terraform %s: %v\n%s", strings.Join(args, " "), err, out)
				}
				write("printed-by-"+args[0], string(out))
				return out
			}
			run("plan", "-input=false", "-out=the.plan")
			run("show", "-json", "the.plan")
			run("apply", "-input=false", "the.plan")
			run("state", "pull")
			run("destroy", "-input=false", "-auto-approve")

			files := 0
			err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				files++
				content, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				for _, part := range append(unzipped(content), content) {
					for what, secret := range secrets {
						if at := bytes.Index(part, []byte(secret)); at >= 0 {
							t.Errorf("%s is in %s: ...%q", what, filepath.Base(file), part[max(0, at-100):at])
						}
					}
				}
				return nil
			})
			if err != nil || files < 7 {
				t.Errorf("looked into %d files: %v", files, err)
			}
			if trace, err := os.ReadFile(logs); err != nil || !bytes.Contains(trace, []byte("created cadence bucket")) {
				t.Errorf("the trace does not have the provider's own lines: %v", err)
			}
		})
	}
}

// unzipped is the files of an archive, which a plan is; none for what is no archive.
func unzipped(content []byte) [][]byte {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil
	}
	var files [][]byte
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			continue
		}
		file, _ := io.ReadAll(r)
		_ = r.Close()
		files = append(files, file)
	}
	return files
}
