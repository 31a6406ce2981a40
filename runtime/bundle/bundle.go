package bundle

import (
	"crypto/sha256"
	_ "embed" // the version is a file beside this one
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// The architectures, as Lambda calls them.
const (
	ARM64 = "arm64"
	X8664 = "x86_64"
)

// What a function that is made of a package has as handler and runtime.
const (
	Handler = "bootstrap"
	Runtime = "provided.al2023"
)

var (
	// ErrNoPackages: the program was built without packages.
	ErrNoPackages = errors.New("this program was built without the Lambda packages: take a release, or build it with make build")
	// ErrArchitecture: there is no such architecture.
	ErrArchitecture = errors.New("unknown architecture")
)

//go:embed VERSION
var version string

// Version is the release in which the packages last changed, such as 1.2.0. It is
// what their programs print by -version.
func Version() string { return strings.TrimSpace(version) }

// Architectures are those that there are packages for.
func Architectures() []string { return []string{ARM64, X8664} }

// Bundle is a set of packages.
type Bundle struct{ files fs.FS }

// New returns the packages that are files: zips/<architecture>.zip.
func New(files fs.FS) Bundle { return Bundle{files} }

// Package is the package of an architecture. The error is ErrArchitecture, or
// ErrNoPackages.
func (b Bundle) Package(architecture string) (Package, error) {
	if !slices.Contains(Architectures(), architecture) {
		return Package{}, fmt.Errorf("%w %q: expected %s", ErrArchitecture, architecture, strings.Join(Architectures(), " or "))
	}
	zip, err := fs.ReadFile(b.files, "zips/"+architecture+".zip")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Package{}, ErrNoPackages
	case err != nil:
		return Package{}, fmt.Errorf("read the Lambda package for %s: %w", architecture, err)
	}
	return Package{Architecture: architecture, Zip: zip, SHA256: sha256.Sum256(zip)}, nil
}

// Package is a Lambda package: a zip whose only file is the program.
type Package struct {
	Architecture string
	Zip          []byte
	SHA256       [sha256.Size]byte
}
