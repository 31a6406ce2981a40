package operate

import (
	"fmt"
	"io"
)

// text writes lines until one cannot be written.
type text struct {
	w   io.Writer
	err error
}

func (t *text) line(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format+"\n", args...)
	}
}
