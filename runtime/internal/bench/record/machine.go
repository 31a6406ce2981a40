package record

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// Machine is where a run was made.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory string `json:"memory"`
	System string `json:"system"`
	// Versions are those of what was measured and measured by.
	Versions []string `json:"versions"`
	// Load is the machine's load average before the run: above 0, something else
	// was running.
	Load string `json:"load"`
}

// ThisMachine describes the machine, as far as it tells.
func ThisMachine(versions ...string) Machine {
	m := Machine{
		CPU: field("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(),
		Memory:   field("/proc/meminfo", "MemTotal"),
		System:   runtime.GOOS + "/" + runtime.GOARCH,
		Versions: append([]string{runtime.Version()}, versions...),
		Load:     Load(),
	}
	if m.CPU == "" {
		m.CPU = runtime.GOARCH
	}
	return m
}

// String is the machine in a line, with the versions.
func (m Machine) String() string {
	return fmt.Sprintf("%d × %s, %s, with %s", m.Cores, m.CPU, m.System, strings.Join(m.Versions, ", "))
}

// Load is the machine's load average.
func Load() string { return strings.Join(words("/proc/loadavg", 3), " ") }

// ownLoad is more than the rows before this one, in the same run, have left behind.
const ownLoad = 3

// busy is whether something else was running.
func (r Row) busy() bool {
	first, _, _ := strings.Cut(r.Load, " ")
	load, err := strconv.ParseFloat(first, 64)
	return err == nil && load > ownLoad
}

// CommandVersion is the first line that a command prints, without what the shell
// adds; "" if it cannot be run.
func CommandVersion(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line)
}

func field(path, name string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func words(path string, n int) []string {
	b, err := os.ReadFile(path)
	if err != nil {
		return []string{"unknown"}
	}
	all := strings.Fields(string(b))
	return all[:min(n, len(all))]
}
