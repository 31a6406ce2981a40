package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestRunTable(t *testing.T) {
	at := time.Date(2031, 5, 1, 7, 0, 0, 0, time.UTC)
	counts := func(m map[string]int64) signal.Item {
		item := signal.Item{}
		for name, n := range m {
			item[name] = signal.N(n)
		}
		return item
	}
	got := runTable([]bucketRun{
		{"5min", at, at.Add(12400 * time.Millisecond), counts(map[string]int64{
			"seen": 1260, "computed": 1258, "changed": 1200, "cleaned": 1250, "raced": 8, "refused": 1, "oldestDirtyAgeSeconds": 61,
		})},
		{"1h", at, at.Add(300 * time.Millisecond), counts(nil)},
	})
	want := []string{
		"bucket  dirty  checked  changed  raced  left  waited   took",
		"5min    1,260    1,258    1,200      8     9    61 s   12 s",
		"1h          0        0        0      0     0       -  0.3 s",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestComma(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := comma(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}

func TestPrinter_writesProgressOverItselfOnATerminal(t *testing.T) {
	var out bytes.Buffer
	p := &printer{w: &out, began: time.Now(), terminal: true}
	p.progress("waiting, 10 s")
	p.progress("done")
	p.line("next")
	want := "\r        waiting, 10 s" + "\r        done         " + "\r            \r" + "        next\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestPrinter_isQuietInALog(t *testing.T) {
	var out bytes.Buffer
	p := &printer{w: &out, began: time.Now()}
	p.scene("Scene", "What it shows.")
	for range 100 {
		p.progress("waiting")
	}
	p.line("result")
	if diff := cmp.Diff("\n  0:00  Scene\n        What it shows.\n        result\n", out.String()); diff != "" {
		t.Error(diff)
	}
}
