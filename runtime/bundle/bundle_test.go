package bundle_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/availability-signal/terraform-provider-availability/runtime/bundle"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The most that a package may have: it is downloaded and unpacked at every cold
// start, and the providers of all platforms carry two.
const (
	mostProgramBytes = 9_000_000
	mostZipBytes     = 3_500_000
)

// Two clean checkouts make the same packages, byte by byte, and they are what a
// function needs: small, with a program of the right architecture that starts, and
// time zones that know of British Columbia's end of clock changes.
func TestPackages(t *testing.T) {
	one, other := made(t, "zips"), made(t, "zips")
	for _, architecture := range bundle.Architectures() {
		t.Run(architecture, func(t *testing.T) {
			p, err := bundle.New(os.DirFS(filepath.Join(one, "runtime/bundle"))).Package(architecture)
			if err != nil {
				t.Fatal(err)
			}
			again, err := bundle.New(os.DirFS(filepath.Join(other, "runtime/bundle"))).Package(architecture)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(p.Zip, again.Zip) || p.SHA256 != again.SHA256 {
				t.Error("two builds in two folders differ")
			}
			program := unpack(t, p)
			t.Logf("program %d bytes, zip %d bytes", len(program), len(p.Zip))
			if architecture == bundle.ARM64 && (len(program) > mostProgramBytes || len(p.Zip) > mostZipBytes) {
				t.Errorf("the program has %d bytes, the zip %d; they may have %d and %d", len(program), len(p.Zip), mostProgramBytes, mostZipBytes)
			}
			if !bytes.Contains(program, []byte(signal.ZoneVersion())) {
				t.Errorf("it has not the time zones of %s", signal.ZoneVersion())
			}
			if bytes.Contains(program, []byte(one)) {
				t.Error("it has the name of the folder in which it was built")
			}
			if native := map[string]string{"arm64": bundle.ARM64, "amd64": bundle.X8664}[runtime.GOARCH]; runtime.GOOS == "linux" && native == architecture {
				holdVersion(t, program)
			}
		})
	}
}

func holdVersion(t *testing.T, program []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), bundle.Handler)
	if err := os.WriteFile(file, program, 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), file, "-version").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^availability runtime ` + regexp.QuoteMeta(bundle.Version()) + `, time zone data (2026[b-z]|202[7-9][a-z]|20[3-9]\d[a-z])\n$`)
	if !want.Match(out) {
		t.Errorf("it says %q", out)
	}
}

// made makes a target in a copy of the source, and returns its folder.
func made(t *testing.T, target string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "GNUmakefile", "main.go", ".ci/pack", "provider", "runtime"} {
		copyTree(t, filepath.Join("../..", name), filepath.Join(dir, name))
	}
	cmd := exec.CommandContext(t.Context(), "make", "--silent", target)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make %s: %v\n%s", target, err, out)
	}
	return dir
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".zip" && filepath.Base(filepath.Dir(path)) == "zips" {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file := filepath.Join(to, relative)
		return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o644))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// unpack returns the only file of a package, as Lambda wants it.
func unpack(t *testing.T, p bundle.Package) []byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(p.Zip), int64(len(p.Zip)))
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.File) != 1 || archive.File[0].Name != "bootstrap" || archive.File[0].Mode() != 0o755 {
		t.Fatalf("it has %d files, the first is %s, %s", len(archive.File), archive.File[0].Name, archive.File[0].Mode())
	}
	file, err := archive.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	program, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func TestBundle_errors(t *testing.T) {
	one := bundle.New(fstest.MapFS{"zips/arm64.zip": {Data: []byte("zip")}})
	if _, err := one.Package("arm"); !errors.Is(err, bundle.ErrArchitecture) || err.Error() != `unknown architecture "arm": expected arm64 or x86_64` {
		t.Errorf("error %v", err)
	}
	if _, err := one.Package("x86_64"); !errors.Is(err, bundle.ErrNoPackages) || !strings.Contains(err.Error(), "make build") {
		t.Errorf("error %v", err)
	}
}

func TestPackage_writeFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a/b/runtime.zip")
	p := bundle.Package{Architecture: bundle.ARM64, Zip: []byte("new")}
	write := func() fs.FileInfo {
		t.Helper()
		if err := p.WriteFile(file); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(file)
		if err != nil || string(content) != "new" {
			t.Fatalf("it has %q, %v", content, err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := write()
	if second := write(); !os.SameFile(first, second) || !second.ModTime().Equal(first.ModTime()) {
		t.Error("the same file was written again")
	}
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	write()
	if err := p.WriteFile(dir); err == nil || !strings.HasPrefix(err.Error(), "write the Lambda package for arm64: ") {
		t.Errorf("over a folder: %v", err)
	}
	for _, folder := range []string{dir, filepath.Dir(file)} {
		left, err := filepath.Glob(filepath.Join(folder, ".*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}
