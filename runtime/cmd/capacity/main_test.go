package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	main "github.com/availability-signal/terraform-provider-availability/runtime/cmd/capacity"
)

func TestRun_refusesWhatIsNoPlatform(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-signals=0"}, "signals is 0: it must be 1 or more"},
		{[]string{"-signals=-5"}, "signals is -5"},
		{[]string{"-signals=NaN"}, "signals is NaN"},
		{[]string{"-bookings=Inf"}, "bookings is +Inf: it must be 0 or more, and at most 1,000,000,000,000"},
		{[]string{"-signals=1e300"}, "signals is 1e+300"},
		{[]string{"-signals=10M"}, `invalid value "10M" for flag -signals`},
		{[]string{"-active=11000000"}, "active is 11,000,000, and there are 10,000,000 signals"},
		{[]string{"-cadence=0.5"}, "cadence is 0.5: it must be 1 or more"},
		{[]string{"-item=500000"}, "an item cannot be larger"},
		{[]string{"-memory=64"}, "memory is 64: it must be 128 or more"},
		{[]string{"-flip=never"}, `flip is "never": it must be coalesced`},
		// As make passes on SIGNALS='10 000' BUCKETS=5.
		{[]string{"-signals=10", "000", "-buckets=5"}, `"000 -buckets=5" is no setting`},
	} {
		var out, problems bytes.Buffer
		if code := main.Run(tt.args, &out, &problems); code != 2 || !strings.Contains(problems.String(), tt.want) || out.Len() > 0 {
			t.Errorf("%v: exit %d with %q and %q, want 2 and %q", tt.args, code, out.String(), problems.String(), tt.want)
		}
	}
}

func TestRun_reckons(t *testing.T) {
	var out, problems bytes.Buffer
	if code := main.Run([]string{"-signals=1000", "-buckets=1", "-all-cadence=1"}, &out, &problems); code != 0 || problems.Len() > 0 {
		t.Fatalf("exit %d: %s", code, problems.String())
	}
	for _, want := range []string{"1,000 signals in 1 bucket of ", "cadence index: ALL"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
}

// What the help lists, make knows, in the letters that the help says.
func TestRun_helpNamesWhatMakeTakes(t *testing.T) {
	var out, problems bytes.Buffer
	if code := main.Run([]string{"-h"}, &out, &problems); code != 0 {
		t.Fatalf("exit %d", code)
	}
	makefile, err := os.ReadFile("../../../GNUmakefile")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(makefile), "\nCAPACITY = ")
	list, _, _ := strings.Cut(rest, "\n\n")
	var told []string
	for _, name := range strings.Fields(strings.ReplaceAll(list, "\\", "")) {
		told = append(told, strings.ReplaceAll(strings.ToLower(name), "_", "-"))
	}
	var shown []string
	for _, m := range regexp.MustCompile(`(?m)^  -([a-z-]+)`).FindAllStringSubmatch(problems.String(), -1) {
		shown = append(shown, m[1])
	}
	slices.Sort(told)
	slices.Sort(shown)
	if !slices.Equal(told, shown) {
		t.Errorf("make takes %v, and the help shows %v", told, shown)
	}
}

// A setting that is misspelt would leave the example's number in its place.
func TestMake_refusesWhatIsNoSetting(t *testing.T) {
	for setting, want := range map[string]string{
		"SIGNAL=5":    "capacity has no SIGNAL: HELP=1 lists",
		"signals=5":   "capacity has no signals: HELP=1 lists",
		"SIGNALS=5":   "-signals=5",
		"SIGNALS=1 2": "-signals=1 2", // which the command refuses
	} {
		cmd := exec.CommandContext(t.Context(), "make", "-n", "-C", "../../..", "capacity", setting)
		// Not those of a make that runs the tests.
		cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKEOVERRIDES=")
		out, err := cmd.CombinedOutput()
		if refused := strings.Contains(want, "has no"); (err != nil) != refused || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %q:\n%s", setting, err, want, out)
		}
	}
}
