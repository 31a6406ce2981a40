package main

import (
	"errors"
	"os"
	"strings"
)

// tailLines is how much of a log is shown when something has failed.
const tailLines = 40

// logged is an error about which a log file says more.
type logged struct {
	name string
	err  error
}

func (l *logged) Error() string { return l.err.Error() }

func (l *logged) Unwrap() error { return l.err }

// tail is the end of the log.
func (l *logged) tail() string {
	text, err := os.ReadFile(l.name)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}

// runtimeFault is an error that the function's log may explain.
type runtimeFault struct{ error }

func logOf(err error) (*logged, bool) { return errors.AsType[*logged](err) }
