//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// apart gives a command a process group of its own.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
