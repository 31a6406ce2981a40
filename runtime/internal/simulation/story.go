package simulation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// story is what happened: as a hash, and in words if they are wanted.
type story struct {
	telling bool
	lines   []string
	hash    uint64
}

func (s *story) add(parts ...string) {
	h := s.hash ^ 14695981039346656037
	for _, part := range parts {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	s.hash = h
}

// call takes note of a request that has ended.
func (s *story) call(o simulator.Outcome) {
	outcome := "answered"
	if o.Err != nil {
		outcome = "failed"
	}
	s.add(o.Client, o.Operation, o.Index, o.Partition, o.Sort, outcome)
	s.hash = (s.hash ^ uint64(o.At.UnixNano()) ^ uint64(o.Process)<<48) * 1099511628211
	if !s.telling {
		return
	}
	switch {
	case o.Fault.CrashBefore || o.Fault.CrashAfter:
		s.tell(o.At, "%s, %d, crashes at its %s of %s", o.Client, o.Process, o.Operation, o.Sort)
	case o.Late:
		s.tell(o.At, "%s, %d: its %s of %s arrives late: %v", o.Client, o.Process, o.Operation, o.Sort, o.Err)
	case o.Err != nil && (o.Index == "" || !strings.Contains(o.Err.Error(), "canceled")):
		s.tell(o.At, "%s, %d: its %s of %s %s: %v", o.Client, o.Process, o.Operation, o.Partition, o.Sort, o.Err)
	}
}

func (s *story) tell(at time.Time, format string, args ...any) {
	if s.telling {
		s.lines = append(s.lines, at.UTC().Format("15:04:05.000")+"  "+fmt.Sprintf(format, args...))
	}
}

// change tells of a change of an item.
func (s *story) change(c simulator.Change) {
	if !s.telling {
		return
	}
	either := c.New
	if either == nil {
		either = c.Old
	}
	who, pk, sk := c.Client, textOf(either["pk"]), textOf(either["sk"])
	if c.ByTTL {
		who = "TTL"
	}
	switch {
	case strings.HasPrefix(pk, "inventoryPool::"):
		s.tell(c.At, "%s: pool %s of %s has %s available", who, sk, pk[strings.LastIndex(pk, "::")+2:], textOf(c.New["availability"]))
	case strings.HasPrefix(pk, signal.SchemaSignal+"::"):
		s.tell(c.At, "%s: %s %s", who, sk, difference(c))
	case strings.HasPrefix(pk, signal.SchemaProductDate):
		s.tell(c.At, "%s: productDate %s is there: %v", who, sk, c.New != nil)
	}
}

// counted are the counts of a report that are not 0.
func counted(counts any) string {
	fields := strings.Fields(strings.Trim(fmt.Sprintf("%+v", counts), "{}"))
	return strings.Join(slices.DeleteFunc(fields, func(f string) bool { return strings.HasSuffix(f, ":0") }), " ")
}

// difference is what a change does to a signal.
func difference(c simulator.Change) string {
	if c.New == nil {
		return "is deleted"
	}
	var parts []string
	if c.Old == nil {
		parts = append(parts, "is seeded:")
	}
	for _, name := range []string{
		signal.AttrGlobalID, signal.AttrSeededBy, signal.AttrGSIPK, signal.AttrGSISK, signal.AttrRev, signal.AttrClaimedBy, signal.AttrClaimedRev,
		signal.AttrValue, signal.AttrLastUpdatedAt, signal.AttrNotBefore, signal.AttrAttempts, signal.AttrExpiry,
	} {
		old, is := textOf(c.Old[name]), textOf(c.New[name])
		switch {
		case old == is:
		case is == "":
			parts = append(parts, "no "+name)
		default:
			parts = append(parts, name+" "+is)
		}
	}
	if old, is := modeOf(c.Old), modeOf(c.New); old != is {
		parts = append(parts, "pattern "+is)
	}
	return strings.Join(parts, ", ")
}
