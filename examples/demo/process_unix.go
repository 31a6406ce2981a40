//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// apart gives a command a process group of its own.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt interrupts a command that is apart: it alone, or its whole group.
func interrupt(cmd *exec.Cmd, whole bool) error {
	if whole {
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
	}
	return cmd.Process.Signal(os.Interrupt)
}

// kill ends a command that is apart, and all that it has started.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
