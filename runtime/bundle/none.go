//go:build !bundle

package bundle

import "embed"

// Embedded returns the packages of this program, which was built without any.
func Embedded() Bundle { return New(embed.FS{}) }
