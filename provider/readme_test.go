package provider_test

import (
	"archive/zip"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// block is the block of code of a page that has something in it.
func block(t *testing.T, page, has string) string {
	t.Helper()
	for _, b := range regexp.MustCompile("(?ms)^```[a-z]+\n(.*?)^```$").FindAllStringSubmatch(string(read(t, filepath.Join("..", page))), -1) {
		if strings.Contains(b[1], has) {
			return b[1]
		}
	}
	t.Fatalf("%s has no block with %q", page, has)
	return ""
}

// do runs commands in a folder.
func do(t *testing.T, folder, commands string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", commands)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s\n%s", err, commands, out)
	}
	return string(out)
}

// The source tree makes what the pages say: the provider where terraform init looks
// for it, the operators' command, and a function with a source of its own.
func TestReadme_sourceTree(t *testing.T) {
	acctest.PreCheck(t)
	tree := checkout(t)
	t.Run("mirror", func(t *testing.T) {
		do(t, tree, "make --silent mirror")
		ws := acctest.NewWorkspaceFrom(t, tree)
		ws.Write("terraform.rc", strings.ReplaceAll(block(t, "README.md", "filesystem_mirror"), strconv.Quote("/path/to/this/tree/bin/mirror"), strconv.Quote(filepath.Join(tree, "bin/mirror"))))
		ws.Write("main.tf", `
terraform {
  required_providers {
    availability = { source = "availability-signal/availability" }
  }
}

provider "availability" {}

data "availability_runtime_package" "this" {}
`)
		ws.Init()
		ws.Run(0, "apply", "-auto-approve", "-no-color")
	})
	t.Run("operator", func(t *testing.T) {
		if out := do(t, tree, "make --silent operator && bin/operator -version"); !strings.HasPrefix(out, "availability operator ") {
			t.Errorf("it says %q", out)
		}
	})
	t.Run("custom source", func(t *testing.T) {
		if _, err := exec.LookPath("zip"); err != nil {
			t.Skip("there is no zip")
		}
		do(t, tree, block(t, "examples/custom-source/README.md", "zip custom-source.zip"))
		archive, err := zip.OpenReader(filepath.Join(tree, "custom-source.zip"))
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		if len(archive.File) != 1 || archive.File[0].Name != "bootstrap" || archive.File[0].Mode()&0o111 == 0 {
			t.Errorf("it has %d files, the first is %s", len(archive.File), archive.File[0].FileInfo())
		}
	})
}
