package signal_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestZoneVersion_knowsPermanentPacificTime(t *testing.T) {
	t.Parallel()
	// 2026b is the first release in which British Columbia keeps -07:00.
	if got := signal.ZoneVersion(); got < "2026b" || len(got) != len("2026b") {
		t.Errorf("ZoneVersion() = %q, want an IANA release from 2026b on", got)
	}
}

// The end of a winter's day in Vancouver: an hour later in older zone data.
const (
	vancouverDay    = "2027-01-15"
	vancouverDayEnd = "2027-01-16T07:00:00Z"
)

func TestLoadZone_dayEnds(t *testing.T) {
	t.Parallel()
	tests := []struct{ zone, day, ends string }{
		{"America/Vancouver", vancouverDay, vancouverDayEnd},
		{"Canada/Pacific", vancouverDay, vancouverDayEnd},
		// The last winter in which its clocks went back.
		{"America/Vancouver", "2026-01-15", "2026-01-16T08:00:00Z"},
		{"America/Vancouver", "2026-07-01", "2026-07-02T07:00:00Z"},
		// Beyond the years that zone files list change by change.
		{"America/Vancouver", "2090-01-15", "2090-01-16T07:00:00Z"},
		{"America/Los_Angeles", vancouverDay, "2027-01-16T08:00:00Z"},
		{"America/Los_Angeles", "2090-07-01", "2090-07-02T07:00:00Z"},
		{"Asia/Kolkata", vancouverDay, "2027-01-15T18:30:00Z"},
		{"UTC", "2026-07-01", "2026-07-02T00:00:00Z"},
	}
	for _, tt := range tests {
		t.Run(tt.zone+" "+tt.day, func(t *testing.T) {
			t.Parallel()
			zone, err := signal.LoadZone(tt.zone)
			if err != nil {
				t.Fatal(err)
			}
			if zone.String() != tt.zone {
				t.Errorf("LoadZone(%q) is called %q", tt.zone, zone)
			}
			if got := endOfZoneDay(t, zone, tt.day); got != tt.ends {
				t.Errorf("%s in %s ends %s, want %s", tt.day, tt.zone, got, tt.ends)
			}
		})
	}
}

func TestLoadZone_unknown(t *testing.T) {
	t.Parallel()
	const (
		wanted = "expected an IANA name such as America/Vancouver or UTC"
		offset = "a fixed offset does not follow the clock changes of a place; " + wanted
		place  = "an abbreviation is half a year's offset, not a place; write a place of that time, such as "
	)
	version := " (zone data " + signal.ZoneVersion() + ")"
	tests := []struct{ name, want string }{
		{"", `unknown time zone "": it is empty; ` + wanted},
		{"Local", `unknown time zone "Local": the machine's own zone differs from machine to machine; ` + wanted},
		{"america/vancouver", `unknown time zone "america/vancouver": did you mean America/Vancouver?`},
		{"utc", `unknown time zone "utc": did you mean UTC?`},
		{"America/New York", `unknown time zone "America/New York": did you mean America/New_York?`},
		{" America/Vancouver", `unknown time zone " America/Vancouver": did you mean America/Vancouver?`},
		{"Vancouver", `unknown time zone "Vancouver": did you mean America/Vancouver?`},
		{"louisville", `unknown time zone "louisville": did you mean America/Kentucky/Louisville or America/Louisville?`},
		{"PST", `unknown time zone "PST": ` + place + "America/Vancouver or America/Los_Angeles"},
		{"cdt", `unknown time zone "cdt": ` + place + "America/Winnipeg or America/Chicago"},
		{"UTC-7", `unknown time zone "UTC-7": ` + offset},
		{"-07:00", `unknown time zone "-07:00": ` + offset},
		{"Mars/Olympus", `unknown time zone "Mars/Olympus": ` + wanted},
		{"America", `unknown time zone "America": ` + wanted},
		{"America/", `unknown time zone "America/": ` + wanted},
		{"Factory", `unknown time zone "Factory": ` + wanted},
		{"zone.tab", `unknown time zone "zone.tab": ` + wanted},
		{"posix/UTC", `unknown time zone "posix/UTC": ` + wanted},
		{"../America/Vancouver", `unknown time zone "../America/Vancouver": ` + wanted},
		{"America/../UTC", `unknown time zone "America/../UTC": ` + wanted},
		{"/America/Vancouver", `unknown time zone "/America/Vancouver": ` + wanted},
		{strings.Repeat("x", 65), `unknown time zone "` + strings.Repeat("x", 64) + `"...: ` + wanted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			zone, err := signal.LoadZone(tt.name)
			if !errors.Is(err, signal.ErrUnknownZone) {
				t.Fatalf("LoadZone(%q) = %v, %v, want an error that is ErrUnknownZone", tt.name, zone, err)
			}
			if diff := cmp.Diff(tt.want+version, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestZones_allLoad(t *testing.T) {
	t.Parallel()
	names, err := signal.Zones()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Error("Zones() is not sorted, or names a zone twice")
	}
	for _, name := range names {
		zone, err := signal.LoadZone(name)
		if err != nil {
			t.Errorf("LoadZone(%q): %v", name, err)
			continue
		}
		endOfZoneDay(t, zone, vancouverDay)
	}
	// Links are names of their own: real products use them.
	for _, name := range []string{
		"America/Vancouver", "America/Creston", "Canada/Pacific", "US/Pacific", "Asia/Calcutta", "Asia/Kolkata",
		"Europe/Kyiv", "Europe/Kiev", "Etc/UTC", "GMT", "EST", "America/Argentina/Buenos_Aires", "Pacific/Apia",
	} {
		if !slices.Contains(names, name) {
			t.Errorf("Zones() lacks %s", name)
		}
	}
}

func TestLoadZone_concurrentCallersShareOne(t *testing.T) {
	t.Parallel()
	const callers = 16
	found := make([]*time.Location, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { found[i], _ = signal.LoadZone("Australia/Lord_Howe") })
	}
	all.Wait()
	for i, zone := range found {
		if zone == nil || zone != found[0] {
			t.Errorf("caller %d got %p, the first got %p", i, zone, found[0])
		}
	}
}

// The standard library reads ZONEINFO once in a process and prefers it to all
// else; so the false data is given to another process, this test's own program.
func TestLoadZone_ignoresZonesOfTheMachine(t *testing.T) {
	t.Parallel()
	if os.Getenv(zoneChild) != "" {
		zone, err := signal.LoadZone("America/Vancouver")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%s=%s\n", zoneChild, endOfZoneDay(t, zone, vancouverDay))
		return
	}

	// 09:00 east: a day ends at 15:00 UTC.
	false9 := falseZone(9 * 60 * 60)
	zone, err := time.LoadLocationFromTZData("America/Vancouver", false9)
	if err != nil {
		t.Fatal(err)
	}
	if got := endOfZoneDay(t, zone, vancouverDay); got != "2027-01-15T15:00:00Z" {
		t.Fatalf("the false data says that the day ends %s: it would not show whether it is read", got)
	}

	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "America"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "America", "Vancouver"), false9, 0o644); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "zoneinfo.zip")
	if err := os.WriteFile(archive, zoneZip(t, "America/Vancouver", false9), 0o644); err != nil {
		t.Fatal(err)
	}

	tests := map[string]string{"folder": folder, "archive": archive, "nothing": filepath.Join(folder, "none")}
	for name, zoneinfo := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLoadZone_ignoresZonesOfTheMachine$")
			child.Env = append(os.Environ(), zoneChild+"=1", "ZONEINFO="+zoneinfo, "TZ=Asia/Tokyo")
			out, err := child.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if want := zoneChild + "=" + vancouverDayEnd + "\n"; !strings.Contains(string(out), want) {
				t.Errorf("with ZONEINFO=%s got %s, want %s", zoneinfo, out, want)
			}
		})
	}
}

// zoneChild tells this test's program to print what it sees and stop.
const zoneChild = "AVAILABILITY_TEST_ZONE_CHILD"

func FuzzLoadZone(f *testing.F) {
	for _, name := range []string{"", "UTC", "Local", "America/Vancouver", "pst", "UTC+7", "../UTC", "a\x00b", "\xff", "/"} {
		f.Add(name)
	}
	names, err := signal.Zones()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string) {
		zone, err := signal.LoadZone(name)
		_, known := slices.BinarySearch(names, name)
		switch {
		case known && (err != nil || zone.String() != name):
			t.Errorf("LoadZone(%q) = %v, %v, want the zone", name, zone, err)
		case !known && (!errors.Is(err, signal.ErrUnknownZone) || zone != nil):
			t.Errorf("LoadZone(%q) = %v, %v, want ErrUnknownZone alone", name, zone, err)
		case !known && len(err.Error()) > 1024:
			t.Errorf("LoadZone(%q) answers with %d bytes of message", name, len(err.Error()))
		}
	})
}

func BenchmarkLoadZone_again(b *testing.B) {
	for b.Loop() {
		if _, err := signal.LoadZone("America/Vancouver"); err != nil {
			b.Fatal(err)
		}
	}
}

// endOfZoneDay is when the date after day begins, for zones without a change of
// clocks at that midnight.
func endOfZoneDay(t *testing.T, zone *time.Location, day string) string {
	t.Helper()
	start, err := time.ParseInLocation(time.DateOnly, day, zone)
	if err != nil {
		t.Fatal(err)
	}
	return start.AddDate(0, 0, 1).UTC().Format(time.RFC3339)
}

// falseZone is a zone file (RFC 9636, version 1) of one fixed offset.
func falseZone(seconds int32) []byte {
	const abbreviation = "FALSE\x00"
	var b bytes.Buffer
	b.WriteString("TZif")
	b.Write(make([]byte, 16))
	// Counts: UT and standard indicators, leap seconds, transitions, types, characters.
	for _, n := range []uint32{0, 0, 0, 0, 1, uint32(len(abbreviation))} {
		b.Write(binary.BigEndian.AppendUint32(nil, n))
	}
	b.Write(binary.BigEndian.AppendUint32(nil, uint32(seconds)))
	b.Write([]byte{0, 0})
	b.WriteString(abbreviation)
	return b.Bytes()
}

func zoneZip(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	// The standard library reads only entries that are stored as they are.
	entry, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
