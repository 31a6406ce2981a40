package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tool is Terraform or OpenTofu with a working directory of the demo.
type tool struct {
	command
	exe string
	// name is what the visitor types.
	name string
	// title is the name with the version.
	title string
	// configFile tells the tool where the provider is.
	configFile string
}

var errNoTool = errors.New("neither terraform nor tofu is on PATH: install Terraform 1.8 or newer, or OpenTofu 1.8 or newer")

// findTool finds Terraform, or OpenTofu where there is none.
func findTool(ctx context.Context) (*tool, error) {
	for _, name := range []string{"terraform", "tofu"} {
		exe, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		t := &tool{exe: exe, name: name}
		t.env = cleanEnvironment(os.Environ())
		cmd := exec.CommandContext(ctx, exe, "version", "-json")
		cmd.Env = t.env
		text, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("ask %s for its version: %w", name, err)
		}
		var version struct {
			Version string `json:"terraform_version"`
		}
		if err := json.Unmarshal(text, &version); err != nil {
			return nil, fmt.Errorf("read %s's version: %w", name, err)
		}
		t.title = map[string]string{"terraform": "Terraform ", "tofu": "OpenTofu "}[name] + version.Version
		return t, nil
	}
	return nil, errNoTool
}

// cleanEnvironment is an environment without the visitor's own settings of
// Terraform and of the provider.
func cleanEnvironment(environ []string) []string {
	kept := slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		return strings.HasPrefix(v, "TF_") || strings.HasPrefix(v, "AVAILABILITY_")
	})
	return append(kept, "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1")
}

// prepare writes the configuration into a directory, and has the tool use the
// provider of another without asking a registry.
func (t *tool) prepare(dir, providerDir string, variables map[string]any) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the working directory: %w", err)
	}
	if err := writeConfiguration(dir); err != nil {
		return err
	}
	text, err := json.MarshalIndent(variables, "", "  ")
	if err != nil {
		return fmt.Errorf("write the variables: %w", err)
	}
	t.dir, t.log = dir, filepath.Join(dir, t.name+".log")
	t.configFile = filepath.Join(dir, "cli.tfrc")
	t.env = append(t.env, "TF_CLI_CONFIG_FILE="+t.configFile)
	config := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n  }\n}\n", "availability-signal/availability", providerDir)
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "terraform.tfvars.json"), text, 0o600),
		os.WriteFile(t.configFile, []byte(config), 0o600),
	)
}

func (t *tool) apply(ctx context.Context) error {
	return t.run(ctx, t.exe, "apply", "-auto-approve", "-input=false", "-no-color")
}

func (t *tool) destroy(ctx context.Context) error {
	return t.run(ctx, t.exe, "destroy", "-auto-approve", "-input=false", "-no-color")
}

// emptyPlan plans, and fails if there is anything to do.
func (t *tool) emptyPlan(ctx context.Context) error {
	err := t.run(ctx, t.exe, "plan", "-detailed-exitcode", "-input=false", "-no-color")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 2 {
		return &logged{t.log, errors.New("the second plan is not empty: it would change what was only just applied")}
	}
	return err
}
