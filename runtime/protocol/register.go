package protocol

import (
	"maps"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Operations on a bucket's registry item.
const (
	OpRegister   Op = "register bucket"
	OpReregister Op = "update registration of bucket"
	OpUnregister Op = "unregister bucket"
)

// Register creates a bucket's registry item, if there is none. Refused means that
// there is one; it is this registration's own, from an earlier sending, if its
// globalId is.
func Register(b signal.Bucket) Write {
	return Write{
		Op: OpRegister, Kind: Put, Key: signal.RegistryKey(b.Name),
		If:   []Cond{absent(signal.AttrPK)},
		Item: b.Item(),
	}
}

// Reregister writes every field of a bucket's registry item, and keeps what later
// releases may have added to it or to its settings; present is the item as read.
// Refused means that the item is gone, is another bucket's of that name, or has a
// newer format.
func Reregister(b signal.Bucket, present signal.Item) Write {
	formats := []Cond{absent(signal.AttrFormat), atMost(signal.AttrFormat, signal.N(signal.BucketFormat))}
	is := present[signal.AttrFormat]
	if _, whole := is.Int(); is.Exists() && !whole && is.Kind() != signal.KindOther {
		// No release has written it. It must still be so, or mended by an earlier
		// sending of this very write.
		formats = []Cond{equal(signal.AttrFormat, is), equal(signal.AttrFormat, signal.N(signal.BucketFormat))}
	}
	w := Write{
		Op: OpReregister, Key: signal.RegistryKey(b.Name),
		If: []Cond{equal(signal.AttrGlobalID, signal.S(b.GlobalID)), anyOf(formats...)},
	}
	item := b.Item()
	item[signal.AttrChecks] = merged(present[signal.AttrChecks], item[signal.AttrChecks])
	for _, attr := range []string{
		signal.AttrSchema, signal.AttrFormat, signal.AttrName, signal.AttrCadence, signal.AttrScheduleExpression,
		signal.AttrShards, signal.AttrRuleARN, signal.AttrEnabled, signal.AttrChecks,
	} {
		w.Set = append(w.Set, set(attr, item[attr]))
	}
	return w
}

// merged is a map with the fields of both, ours where both have one.
func merged(theirs, ours signal.Value) signal.Value {
	all := map[string]signal.Value{}
	if fields, ok := theirs.Fields(); ok {
		maps.Copy(all, fields)
	}
	if fields, ok := ours.Fields(); ok {
		maps.Copy(all, fields)
	}
	return signal.M(all)
}

// Unregister deletes a bucket's registry item.
func Unregister(b signal.Bucket) Write {
	return Write{
		Op: OpUnregister, Kind: Delete, Key: signal.RegistryKey(b.Name),
		If: []Cond{equal(signal.AttrGlobalID, signal.S(b.GlobalID))},
	}
}
