package simulator

import (
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Key is an attribute that is part of a key. The zero Type is a string; the zero
// Key, where there may be none, is none.
type Key struct {
	Name string
	Type types.ScalarAttributeType
}

// Index is a global secondary index.
type Index struct {
	Name  string
	Hash  Key
	Range Key
	// Projection is what an entry holds beside its keys and the table's; the
	// zero Projection is KEYS_ONLY. Include are the attributes of INCLUDE.
	Projection types.ProjectionType
	Include    []string
}

// Table is a table to be created.
type Table struct {
	Name    string
	Hash    Key
	Range   Key
	Indexes []Index
	// TTL is the attribute that TTL goes by, or "".
	TTL string
}

// The names of SignalTable's indexes.
const (
	CadenceIndex  = "cadence-index"
	GlobalIDIndex = "globalId-index"
)

// SignalTable is a table of the contract's shape. The projection is the cadence
// index's: INCLUDE for the recommended one, ALL for an index that a platform had
// before.
func SignalTable(name string, projection types.ProjectionType) Table {
	cadence := Index{
		Name: CadenceIndex, Hash: Key{Name: signal.AttrGSIPK}, Range: Key{Name: signal.AttrGSISK},
		Projection: projection,
	}
	if projection == types.ProjectionTypeInclude {
		cadence.Include = []string{signal.AttrDirtySince, signal.AttrTTL, signal.AttrNotBefore}
	}
	return Table{
		Name: name, Hash: Key{Name: signal.AttrPK}, Range: Key{Name: signal.AttrSK},
		Indexes: []Index{cadence, {Name: GlobalIDIndex, Hash: Key{Name: signal.AttrGlobalID}}},
		TTL:     signal.AttrTTL,
	}
}

// check panics on a table that is no table: it is the test that is wrong.
func (t Table) check() {
	keys := []Key{t.Hash}
	names := []string{t.Name}
	for _, ix := range t.Indexes {
		keys = append(keys, ix.Hash)
		names = append(names, ix.Name)
		if (len(ix.Include) > 0) != (ix.Projection == types.ProjectionTypeInclude) {
			panic(fmt.Sprintf("index %q: attributes to include go with the projection INCLUDE", ix.Name))
		}
	}
	if slices.ContainsFunc(keys, func(k Key) bool { return k.Name == "" }) || slices.Contains(names, "") {
		panic("a table and its indexes have a name and a partition key")
	}
	if slices.Sort(names); len(slices.Compact(names)) != 1+len(t.Indexes) {
		panic(fmt.Sprintf("table %q: a name is used twice", t.Name))
	}
}

// schema is the key of a table or an index, as requests are checked against it.
type schema struct {
	hash, ranged Key
}

func (s schema) sorted() bool { return s.ranged.Name != "" }

func (s schema) names() []string {
	if s.sorted() {
		return []string{s.hash.Name, s.ranged.Name}
	}
	return []string{s.hash.Name}
}

func (s schema) has(name string) bool {
	return name == s.hash.Name || s.sorted() && name == s.ranged.Name
}

// typed is the key's type, its default filled in.
func (k Key) typed() Key {
	if k.Name != "" && k.Type == "" {
		k.Type = types.ScalarAttributeTypeS
	}
	return k
}

// The longest values of keys, in bytes.
const (
	maxHashBytes  = 2048
	maxRangeBytes = 1024
)

// encode is a key attribute's value as text that sorts as the values do; ok is
// false if it is not of the key's type.
func (k Key) encode(value types.AttributeValue) (s string, ok bool) {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return v.Value, k.Type == types.ScalarAttributeTypeS
	case *types.AttributeValueMemberN:
		if k.Type != types.ScalarAttributeTypeN {
			return "", false
		}
		return sortableNumber(v.Value), true
	case *types.AttributeValueMemberB:
		return string(v.Value), k.Type == types.ScalarAttributeTypeB
	}
	return "", false
}

// address is where an item is, or an index's entry: its encoded key.
type address struct{ pk, sk string }

// tableKey is the address of a key as a request gives it.
func (s schema) tableKey(key map[string]types.AttributeValue) (address, error) {
	want := 1
	if s.sorted() {
		want = 2
	}
	if len(key) != want {
		return address{}, invalid("The provided key element does not match the schema")
	}
	return s.addressOf(func(name string) types.AttributeValue { return key[name] }, func(k Key, v types.AttributeValue) error {
		return invalid("The provided key element does not match the schema")
	})
}

// itemKey is the address of an item to be written.
func (s schema) itemKey(it item) (address, error) {
	return s.addressOf(it.get, func(k Key, v types.AttributeValue) error {
		if v == nil {
			return invalid("One or more parameter values were invalid: Missing the key %s in the item", k.Name)
		}
		return invalid("One or more parameter values were invalid: Type mismatch for key %s expected: %s actual: %s", k.Name, k.Type, kindName(v))
	})
}

func (s schema) addressOf(get func(string) types.AttributeValue, mismatch func(Key, types.AttributeValue) error) (a address, err error) {
	v := get(s.hash.Name)
	if n, ok := v.(*types.AttributeValueMemberN); ok {
		if v, err = importValue(n, 1); err != nil {
			return a, err
		}
	}
	pk, ok := s.hash.encode(v)
	if !ok {
		return a, mismatch(s.hash, v)
	}
	if err := checkKeyBytes(s.hash, pk, maxHashBytes, "hash"); err != nil {
		return a, err
	}
	a.pk = pk
	if !s.sorted() {
		return a, nil
	}
	if v = get(s.ranged.Name); v != nil {
		if n, ok := v.(*types.AttributeValueMemberN); ok {
			if v, err = importValue(n, 1); err != nil {
				return a, err
			}
		}
	}
	sk, ok := s.ranged.encode(v)
	if !ok {
		return a, mismatch(s.ranged, v)
	}
	a.sk = sk
	return a, checkKeyBytes(s.ranged, sk, maxRangeBytes, "range")
}

func checkKeyBytes(k Key, encoded string, most int, kind string) error {
	if k.Type == types.ScalarAttributeTypeN {
		return nil
	}
	if encoded == "" {
		return invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", typeWord(k.Type), k.Name)
	}
	if len(encoded) > most {
		return invalid("One or more parameter values were invalid: Size of %skey has exceeded the maximum size limit of%d bytes", kind, most)
	}
	return nil
}

func typeWord(t types.ScalarAttributeType) string {
	if t == types.ScalarAttributeTypeB {
		return "binary"
	}
	return "string"
}

// indexKey is the address of an item in an index; present is false for an item
// that lacks a key attribute and so is not in it.
func (s schema) indexKey(it item) (a address, present bool) {
	v := it.get(s.hash.Name)
	if v == nil {
		return a, false
	}
	a.pk, _ = s.hash.encode(v)
	if s.sorted() {
		if v = it.get(s.ranged.Name); v == nil {
			return a, false
		}
		a.sk, _ = s.ranged.encode(v)
	}
	return a, true
}

// checkIndexed is whether an item to be written could be in an index: what it has
// of the index's key must be of the right type and not empty.
func (s schema) checkIndexed(it item, index string) error {
	for _, k := range [2]Key{s.hash, s.ranged} {
		v := it.get(k.Name)
		if k.Name == "" || v == nil {
			continue
		}
		encoded, ok := k.encode(v)
		if !ok {
			return invalid("One or more parameter values were invalid: Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s", k.Name, k.Type, kindName(v), index)
		}
		most, kind := maxHashBytes, "hash"
		if k == s.ranged {
			most, kind = maxRangeBytes, "range"
		}
		if encoded == "" {
			return invalid("One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty %s value. IndexName: %s, IndexKey: %s", typeWord(k.Type), index, k.Name)
		}
		if err := checkKeyBytes(k, encoded, most, kind); err != nil {
			return err
		}
	}
	return nil
}
