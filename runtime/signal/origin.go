package signal

import (
	"fmt"
	"strings"
)

// Schemas of the platform's items, which are also how their pk begins. They are
// read, never written.
const (
	SchemaProduct     = "product"
	SchemaProductDate = "productDate"
	SchemaPool        = "inventoryPool"
	SchemaUnit        = "inventory"
)

// Attribute names of the platform's products and product dates, beside the
// estimation pattern, which they share with signals.
const (
	AttrTimezone  = "timezone"
	AttrIsDeleted = "isDeleted"
)

// OriginKind is what a platform's item is, as far as signals are concerned.
type OriginKind uint8

// The kinds of origin.
const (
	// NoOrigin: no signal depends on the item.
	NoOrigin OriginKind = iota
	// OfInventory: what is available on a date may have changed.
	OfInventory
	// OfProductDate: whether there is a signal, and on what terms.
	OfProductDate
	// OfProduct: the same, for all dates of a product.
	OfProduct
)

// Origin is which signals a platform's item has to do with.
type Origin struct {
	Kind OriginKind
	// ProductDate has no Date for OfProduct.
	ProductDate
}

// ParseOrigin reads what a table key of the platform's says. A key that begins as
// none of them do is NoOrigin; one that does and cannot be read is ErrKey or
// ErrDate. The slip that joins the last two parts by a single colon ("...::1:1")
// is read too.
func ParseOrigin(k Key) (Origin, error) {
	schema, rest, _ := strings.Cut(k.PK, separator)
	var (
		o   Origin
		err error
	)
	switch schema {
	case SchemaPool, SchemaUnit:
		var date string
		rest, date = cutLast(rest)
		o, err = parseOrigin(OfInventory, rest, date)
	case SchemaProductDate:
		o, err = parseOrigin(OfProductDate, rest, k.SK)
	case SchemaProduct:
		o.Kind = OfProduct
		if o.Product, err = parseParts(rest + separator + k.SK); err == nil && strings.Count(rest, separator) != 2 {
			err = fmt.Errorf("%w: expected three parts before the product's id", ErrKey)
		}
	}
	if err != nil {
		return Origin{}, fmt.Errorf("key %q of the platform's: %w", k, err)
	}
	return o, nil
}

func parseOrigin(kind OriginKind, parts, date string) (o Origin, err error) {
	o.Kind = kind
	if o.Product, err = parseParts(parts); err != nil {
		return Origin{}, err
	}
	o.Date, err = ParseDate(date)
	return o, err
}

func parseParts(joined string) (Product, error) {
	parts := splitParts(joined)
	if len(parts) != 4 {
		return Product{}, fmt.Errorf("%w: expected four parts, found %d", ErrKey, len(parts))
	}
	p := Product{CollectionID: parts[0], ActivityType: parts[1], ActivityID: parts[2], ProductID: parts[3]}
	return p, p.Validate()
}

func cutLast(s string) (before, last string) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return "", s
	}
	return s[:i], s[i+len(separator):]
}

// Own is whether a key is of an item that this project writes: a signal, or one of a
// bucket's.
func (k Key) Own() bool {
	schema, _, _ := strings.Cut(k.PK, separator)
	return schema == SchemaSignal || schema == SchemaBucket
}

// ItemKey is the key of the product's own item.
func (p Product) ItemKey() Key {
	parts := p.parts()
	return Key{PK: SchemaProduct + separator + strings.Join(parts[:3], separator), SK: p.ProductID}
}

// DatePKs are the partition keys that the product's dates may have: the right
// one first, then the slip that joins the last two parts by a single colon.
func (p Product) DatePKs() [2]string {
	return [2]string{
		p.join(SchemaProductDate),
		strings.Join([]string{SchemaProductDate, p.CollectionID, p.ActivityType, p.ActivityID + ":" + p.ProductID}, separator),
	}
}

// Deleted is whether a platform's item counts as absent: there is none, or it
// says that it is deleted, in any of the ways that real data has for true.
func Deleted(item Item) bool {
	if item == nil {
		return true
	}
	v := item[AttrIsDeleted]
	if yes, ok := v.Bool(); ok {
		return yes
	}
	if s, ok := v.Text(); ok {
		return strings.EqualFold(strings.TrimSpace(s), "true") || strings.TrimSpace(s) == "1"
	}
	n, ok := v.Int()
	return ok && n == 1
}
