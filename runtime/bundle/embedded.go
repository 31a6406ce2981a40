//go:build bundle

package bundle

import "embed"

//go:embed zips/arm64.zip zips/x86_64.zip
var zips embed.FS

// Embedded returns the packages of this program.
func Embedded() Bundle { return New(zips) }
