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

// stopped says that a task ended before its end, and that it can be repeated.
func (t *text) stopped(why, done string) {
	t.line("stopped: %s", why)
	t.line("what is said above was done, and stands; the rest was not %s: run it again, once the cause is gone", done)
}

func (t *text) line(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format+"\n", args...)
	}
}
