package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// printer writes what a visitor reads: scenes with the time since the start, and
// below each what it showed.
type printer struct {
	w     io.Writer
	began time.Time
	// terminal is whether a line can be written over.
	terminal bool
	// open is how much of an unfinished progress line there is.
	open int
	// shown is when progress was last written to something else than a terminal.
	shown time.Time
}

const (
	indent = "        "
	// quiet is the time between two signs of progress in a log.
	quiet = 20 * time.Second
)

func newPrinter(f *os.File) *printer {
	info, err := f.Stat()
	return &printer{w: f, began: time.Now(), terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// scene begins a scene with a sentence about it.
func (p *printer) scene(name, format string, args ...any) {
	p.clear()
	since := time.Since(p.began).Round(time.Second)
	fmt.Fprintf(p.w, "\n%3d:%02d  %s\n", int(since.Minutes()), int(since.Seconds())%60, name)
	p.line(format, args...)
	p.shown = time.Now()
}

// line writes a line below a scene.
func (p *printer) line(format string, args ...any) {
	p.clear()
	fmt.Fprintln(p.w, strings.TrimRight(indent+fmt.Sprintf(format, args...), " "))
}

// lines writes some.
func (p *printer) lines(lines []string) {
	for _, l := range lines {
		p.line("%s", l)
	}
}

// last writes the line that is to be remembered.
func (p *printer) last(line string) {
	p.clear()
	fmt.Fprintf(p.w, "\n%s\n", line)
}

// progress writes what is going on over what it wrote before; into a log, only
// every now and then.
func (p *printer) progress(format string, args ...any) {
	text := indent + fmt.Sprintf(format, args...)
	if p.terminal {
		pad := max(0, p.open-utf8.RuneCountInString(text))
		fmt.Fprint(p.w, "\r", text, strings.Repeat(" ", pad))
		p.open = utf8.RuneCountInString(text)
		return
	}
	if time.Since(p.shown) >= quiet {
		fmt.Fprintln(p.w, text)
		p.shown = time.Now()
	}
}

// clear removes the progress line.
func (p *printer) clear() {
	if p.open > 0 {
		fmt.Fprint(p.w, "\r", strings.Repeat(" ", p.open), "\r")
		p.open = 0
	}
}

// failure writes an error and, where it has one, the end of a log.
func (p *printer) failure(err error) {
	p.clear()
	fmt.Fprintf(p.w, "\nFAILED  %v\n", err)
	if l, ok := logOf(err); ok {
		fmt.Fprintf(p.w, "\n--- end of %s\n%s\n---\n", l.name, l.tail())
	}
}
