package protocol

import "github.com/availability-signal/terraform-provider-availability/runtime/signal"

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

// Reregister writes every field of a bucket's registry item, and leaves what
// later releases may have added. Refused means that the item is gone, or is
// another bucket's of that name.
func Reregister(b signal.Bucket) Write {
	w := Write{
		Op: OpReregister, Key: signal.RegistryKey(b.Name),
		If: []Cond{equal(signal.AttrGlobalID, signal.S(b.GlobalID))},
	}
	item := b.Item()
	for _, attr := range []string{
		signal.AttrSchema, signal.AttrFormat, signal.AttrName, signal.AttrCadence, signal.AttrScheduleExpression,
		signal.AttrShards, signal.AttrRuleARN, signal.AttrEnabled, signal.AttrChecks,
	} {
		w.Set = append(w.Set, set(attr, item[attr]))
	}
	return w
}

// Unregister deletes a bucket's registry item.
func Unregister(b signal.Bucket) Write {
	return Write{
		Op: OpUnregister, Kind: Delete, Key: signal.RegistryKey(b.Name),
		If: []Cond{equal(signal.AttrGlobalID, signal.S(b.GlobalID))},
	}
}
