//go:build !unix

package main

import (
	"os"
	"os/exec"
)

// apart does nothing where there are no process groups.
func apart(*exec.Cmd) {}

func interrupt(cmd *exec.Cmd, _ bool) error { return cmd.Process.Signal(os.Interrupt) }

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
