package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
)

// What is printed to be pasted must be what the operators' command can read.
func TestTour_explainsASignal(t *testing.T) {
	t.Parallel()
	s, err := season.Load(os.DirFS("data"))
	if err != nil {
		t.Fatal(err)
	}
	tour := (&demo{season: s, tool: &tool{}}).tour()
	command := regexp.MustCompile(`(?m)^bin/operator explain -function ` + functionName + ` '([^']+)'$`).FindStringSubmatch(tour)
	if command == nil {
		t.Fatalf("nothing explains a signal:\n%s", tour)
	}
	if _, err := operate.ParseSignal(command[1]); err != nil {
		t.Error(err)
	}
	if n := strings.Count(tour, " doctor -table "); n != 1 {
		t.Errorf("the doctor is called %d times:\n%s", n, tour)
	}
}
