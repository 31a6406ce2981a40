package main_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
)

// soakSums adds up what the runs say of themselves.
type soakSums struct {
	mu                        sync.Mutex
	runs, held, crashed       int64
	errors                    map[string]int64
	claims, finishes, unknown int64
	total                     check.Counts
	// ofReports and ofMetrics are the same numbers, by the answers and by the log.
	ofReports, ofMetrics map[string]int64
	lines                int64
}

func (s *soakSums) String() string {
	return fmt.Sprintf("%d ended, %d found their bucket taken, %d killed, errors %v; %+v; the table granted %d claims and applied %d finishes, %d of unknown outcome",
		s.runs, s.held, s.crashed, s.errors, s.total, s.claims, s.finishes, s.unknown)
}

func (s *soakSums) crash() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.crashed++
}

func (s *soakSums) failed(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.errors == nil {
		s.errors = map[string]int64{}
	}
	s.errors[kind]++
}

// add holds a report against itself and against what the table did in that
// invocation.
func (s *soakSums) add(t *testing.T, r check.Report, sent sent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.HeldUntil.IsZero() {
		s.held++
		if sent.claims+sent.finishes != 0 {
			t.Errorf("a run that found its bucket taken claimed %d and finished %d", sent.claims, sent.finishes)
		}
		return
	}
	s.runs++
	s.claims += sent.claims
	s.finishes += sent.finishes
	s.unknown += sent.unknown
	between := func(what string, got, least, most int64) {
		if got < least || got > most {
			t.Errorf("%s is %d, and by the rest from %d to %d: %+v, sent %+v", what, got, least, most, r.Counts, sent)
		}
	}
	// What ended without an outcome that the run knows of.
	open := r.Superseded + r.Abandoned
	outcomes := r.Cleaned + r.Raced + r.Settling + r.Failed + r.BackedOff + r.Released
	between("due", r.Due, r.Seen-r.NotDue-r.Expired-r.Failed, r.Seen-r.NotDue)
	between("due", r.Due, r.Claimed+r.Refused+r.Remaining, r.Claimed+r.Refused+r.Remaining+r.Expired+r.Abandoned+r.Failed)
	between("claimed", r.Claimed, outcomes+open-r.Abandoned-r.Failed, outcomes+open)
	between("computed", r.Computed, r.Cleaned+r.Raced+r.Settling, r.Cleaned+r.Raced+r.Settling+open)
	between("changed", r.Changed, 0, r.Computed)
	between("mismatched", r.Mismatched, 0, r.Audited)
	between("claims that the table granted", sent.claims, r.Claimed-sent.unknown, r.Claimed+r.Abandoned+sent.unknown)
	between("finishes that the table applied", sent.finishes, outcomes-r.Failed-sent.unknown, outcomes+open+sent.unknown)
	s.addCounts(t, r.Counts)
}

// addCounts adds by the names that the counts have in JSON.
func (s *soakSums) addCounts(t *testing.T, c check.Counts) {
	text, err := json.Marshal(c)
	if err != nil {
		t.Error(err)
	}
	var counts map[string]int64
	if err := json.Unmarshal(text, &counts); err != nil {
		t.Error(err)
	}
	if s.ofReports == nil {
		s.ofReports = map[string]int64{}
	}
	for name, n := range counts {
		s.ofReports[name] += n
	}
	text, err = json.Marshal(s.ofReports)
	if err == nil {
		err = json.Unmarshal(text, &s.total)
	}
	if err != nil {
		t.Error(err)
	}
}

// read adds the metrics of a log, as CloudWatch does: the fields that a line's own
// directive names.
func (s *soakSums) read(t *testing.T, log string) {
	if s.ofMetrics == nil {
		s.ofMetrics = map[string]int64{}
	}
	for text := range strings.Lines(log) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Errorf("log line %q: %v", text, err)
			continue
		}
		aws, ok := line["_aws"].(map[string]any)
		if !ok {
			continue
		}
		s.lines++
		for _, m := range aws["CloudWatchMetrics"].([]any)[0].(map[string]any)["Metrics"].([]any) {
			name := m.(map[string]any)["Name"].(string)
			n, ok := line[name].(float64)
			if !ok {
				t.Errorf("line %s has no %s", text, name)
			}
			s.ofMetrics[name] += int64(n)
		}
	}
}

// check holds the sums of the reports against those of the metrics.
func (s *soakSums) check(t *testing.T) {
	if s.lines != s.runs {
		t.Errorf("%d lines of metrics for %d runs that ended", s.lines, s.runs)
	}
	reported := map[string]int64{}
	for name := range s.ofMetrics {
		reported[name] = s.ofReports[name]
	}
	if diff := cmp.Diff(reported, s.ofMetrics); diff != "" {
		t.Errorf("sums (-reports +metrics):\n%s", diff)
	}
}
