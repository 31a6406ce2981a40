package protocol

import "github.com/availability-signal/terraform-provider-availability/runtime/signal"

// Op names an operation of the protocol, for logs and tests.
type Op string

// The operations.
const (
	OpSeed           Op = "seed"
	OpUpdate         Op = "update by its seeder"
	OpDelete         Op = "delete by its seeder"
	OpFlip           Op = "flip"
	OpClaim          Op = "claim"
	OpFinishClean    Op = "finish, clean"
	OpFinishRaced    Op = "finish, raced"
	OpFinishSettling Op = "finish, settling"
	OpFinishFailed   Op = "finish, failed"
	OpFinishBackOff  Op = "finish, backed off"
	OpFinishReleased Op = "finish, released"
	OpAuditSame      Op = "audit, same value"
	OpAuditFlip      Op = "audit, other or no value"
	OpSweep          Op = "sweep"
	OpTakeRun        Op = "take run item"
	OpRenewRun       Op = "renew run item"
	OpReleaseRun     Op = "release run item"
	OpEndRun         Op = "end run"
	OpAdvance        Op = "advance audit"
)

// Kind is which write of DynamoDB's an operation is.
type Kind uint8

// The kinds of write.
const (
	Update Kind = iota
	Put
	Delete
)

// Write is one conditional write on one item.
type Write struct {
	Op   Op
	Kind Kind
	Key  signal.Key
	// If must hold as a whole, or nothing is written.
	If []Cond
	// Item is what a Put writes.
	Item signal.Item
	// Set, Add and Remove are what an Update writes. Every right-hand side is
	// evaluated against the item as it was.
	Set    []Assignment
	Add    []Addition
	Remove []string
}

// Assignment sets an attribute to a value, or, where From is given, to the
// present value of From and to Value only if there is none.
type Assignment struct {
	Attr  string
	From  string
	Value signal.Value
}

// Addition adds to a number; an absent one counts as 0.
type Addition struct {
	Attr string
	By   int64
}

// Test is what a condition asks of an attribute.
type Test uint8

// The tests. A comparison with an absent attribute, or one of another type, is
// false.
const (
	Exists Test = iota
	Absent
	Equal
	Below
	AtMost
	Above
	AnyOf
)

// Cond is one condition: a test of an attribute, or AnyOf several.
type Cond struct {
	Test  Test
	Attr  string
	Value signal.Value
	Any   []Cond
}

func itemExists() Cond        { return Cond{Test: Exists, Attr: signal.AttrPK} }
func absent(attr string) Cond { return Cond{Test: Absent, Attr: attr} }
func anyOf(c ...Cond) Cond    { return Cond{Test: AnyOf, Any: c} }

func equal(attr string, v signal.Value) Cond  { return Cond{Test: Equal, Attr: attr, Value: v} }
func below(attr string, v signal.Value) Cond  { return Cond{Test: Below, Attr: attr, Value: v} }
func atMost(attr string, v signal.Value) Cond { return Cond{Test: AtMost, Attr: attr, Value: v} }
func above(attr string, v signal.Value) Cond  { return Cond{Test: Above, Attr: attr, Value: v} }

// equalOrAbsent is equality with what was read, where nothing is a value too.
func equalOrAbsent(attr string, v signal.Value) Cond {
	if !v.Exists() {
		return absent(attr)
	}
	return equal(attr, v)
}

func set(attr string, v signal.Value) Assignment { return Assignment{Attr: attr, Value: v} }

func setIfAbsent(attr string, v signal.Value) Assignment {
	return Assignment{Attr: attr, From: attr, Value: v}
}
