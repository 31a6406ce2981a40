package signal

import (
	"archive/zip"
	_ "embed" // the zones are files beside this one
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrUnknownZone is what a name that the embedded zone data lacks answers to.
var ErrUnknownZone = errors.New("unknown time zone")

//go:embed zones/zones.zip
var zoneArchive string

//go:embed zones/VERSION
var zoneVersion string

// embeddedZones is shared by all because it is derived from embedded, constant bytes
// alone and never changes what a name means; the archive's directory is read on
// first use, so that a program that needs no zone does not pay for it.
var embeddedZones = sync.OnceValues(func() (*zoneSet, error) { return openZones(zoneArchive) })

// ZoneVersion is the IANA release of the embedded zone data, e.g. "2026f".
func ZoneVersion() string { return strings.TrimSpace(zoneVersion) }

// LoadZone is the zone of an IANA name such as America/Vancouver, from the
// embedded data alone: whatever zone files the machine or the Go toolchain has,
// a name and a date give the same instant everywhere. Names are exact, links
// such as Canada/Pacific included. Any other name, "" and "Local" among them, is
// ErrUnknownZone. Loading a name again costs a map look-up; the result is shared.
func LoadZone(name string) (*time.Location, error) {
	set, err := embeddedZones()
	if err != nil {
		return nil, err
	}
	return set.load(name)
}

// Zones lists every name that LoadZone knows, sorted.
func Zones() ([]string, error) {
	set, err := embeddedZones()
	if err != nil {
		return nil, err
	}
	return set.names(), nil
}

// zoneSet is an opened archive and the zones read from it so far.
type zoneSet struct {
	files  map[string]*zip.File
	loaded sync.Map // name to *time.Location, at most one for each file
}

func openZones(archive string) (*zoneSet, error) {
	r, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("open the embedded time zones: this build is damaged, build it again: %w", err)
	}
	set := &zoneSet{files: make(map[string]*zip.File, len(r.File))}
	for _, f := range r.File {
		set.files[f.Name] = f
	}
	return set, nil
}

func (s *zoneSet) load(name string) (*time.Location, error) {
	if loc, ok := s.loaded.Load(name); ok {
		return loc.(*time.Location), nil
	}
	file, ok := s.files[name]
	if !ok {
		return nil, fmt.Errorf("%w %s: %s (zone data %s)", ErrUnknownZone, quoted(name), s.advice(name), ZoneVersion())
	}
	loc, err := readZone(file)
	if err != nil {
		return nil, fmt.Errorf("read the embedded time zone %s: this build is damaged, build it again: %w", name, err)
	}
	shared, _ := s.loaded.LoadOrStore(name, loc)
	return shared.(*time.Location), nil
}

func readZone(file *zip.File) (*time.Location, error) {
	// So that a zone of this name equals the one that other code uses.
	if file.Name == "UTC" {
		return time.UTC, nil
	}
	r, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// To its end, where the archive's checksum is compared.
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(file.Name, data)
}

func (s *zoneSet) names() []string {
	names := make([]string, 0, len(s.files))
	for name := range s.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// advice says what to write instead of a name that is unknown.
func (s *zoneSet) advice(name string) string {
	const wanted = "expected an IANA name such as America/Vancouver or UTC"
	switch {
	case name == "":
		return "it is empty; " + wanted
	case name == "Local":
		return "the machine's own zone differs from machine to machine; " + wanted
	}
	if meant := s.similar(name); len(meant) > 0 {
		return "did you mean " + strings.Join(meant, " or ") + "?"
	}
	if strings.ContainsAny(name, "+-0123456789") && !strings.Contains(name, "/") {
		return "a fixed offset does not follow the clock changes of a place; " + wanted
	}
	if places := zonesOfAbbreviation(strings.ToUpper(name)); places != "" {
		return "an abbreviation is half a year's offset, not a place; write a place of that time, such as " + places
	}
	return wanted
}

// similar is the names that differ only in case, in spaces for underscores, or
// in the region before the place.
func (s *zoneSet) similar(name string) []string {
	const most = 3
	wanted := strings.ReplaceAll(strings.TrimSpace(name), " ", "_")
	var places []string
	for _, known := range s.names() {
		if strings.EqualFold(known, wanted) {
			return []string{known}
		}
		if strings.EqualFold(path.Base(known), wanted) && len(places) < most {
			places = append(places, known)
		}
	}
	return places
}

// zonesOfAbbreviation has those of North America that are no IANA names
// themselves, as EST and MST are.
func zonesOfAbbreviation(abbreviation string) string {
	switch abbreviation {
	case "PST", "PDT", "PT":
		return "America/Vancouver or America/Los_Angeles"
	case "MDT", "MT":
		return "America/Edmonton or America/Denver"
	case "CST", "CDT", "CT":
		return "America/Winnipeg or America/Chicago"
	case "EDT", "ET":
		return "America/Toronto or America/New_York"
	case "AST", "ADT", "AT":
		return "America/Halifax"
	case "NST", "NDT", "NT":
		return "America/St_Johns"
	}
	return ""
}
