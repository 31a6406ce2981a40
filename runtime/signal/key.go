package signal

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	separator = "::"
	pkPrefix  = SchemaSignal + separator

	// DynamoDB takes 2,048 bytes of partition key; the inventory's key of the
	// same product is longer by its date.
	maxKeyBytes = 2048 - len(separator) - len("2006-01-02")
)

// ErrKey is what a key or one of its parts that breaks the format answers to.
var ErrKey = errors.New("invalid signal key")

// Product names what is sold on a date: the four parts of its keys.
type Product struct {
	CollectionID string
	ActivityType string
	ActivityID   string
	ProductID    string
}

// ProductDate is a product on a date: what a signal stands for.
type ProductDate struct {
	Product
	Date Date
}

// Key is the table key of an item, exactly as stored.
type Key struct {
	PK string
	SK string
}

// String renders the key for logs and messages.
func (k Key) String() string { return k.PK + " " + k.SK }

// PartError says which part of a product is unusable, and why.
type PartError struct {
	// Part is the attribute's name in snake case, e.g. "activity_id".
	Part   string
	Value  string
	Reason string
}

func (e *PartError) Error() string {
	return fmt.Sprintf("%s %q %s", e.Part, e.Value, e.Reason)
}

// Is makes every PartError an ErrKey.
func (e *PartError) Is(target error) bool { return target == ErrKey }

// Validate reports the first unusable part as a *PartError. Parts are joined by
// "::" and nothing is escaped, so that no part may be empty, contain "::" or a
// control character, or begin or end with ":".
func (p Product) Validate() error {
	for i, part := range p.parts() {
		if reason := ValidatePart(part); reason != "" {
			return &PartError{Part: partNames[i], Value: part, Reason: reason}
		}
	}
	if n := len(p.join("inventoryPool")); n > maxKeyBytes {
		return fmt.Errorf("%w: the four parts make a key of %d bytes, the table takes %d", ErrKey, n, maxKeyBytes)
	}
	return nil
}

var partNames = [4]string{"collection_id", "activity_type", "activity_id", "product_id"}

// ValidatePart says what is wrong with one part of a key, or "".
func ValidatePart(part string) string {
	switch {
	case part == "":
		return "must not be empty"
	case !utf8.ValidString(part):
		return "must be valid UTF-8"
	case strings.Contains(part, separator):
		return `must not contain "::", which separates the parts of a key`
	case strings.HasPrefix(part, ":"), strings.HasSuffix(part, ":"):
		return `must not begin or end with ":", which would run into the separator "::"`
	case strings.ContainsFunc(part, unicode.IsControl):
		return "must not contain control characters"
	}
	return ""
}

func (p Product) parts() [4]string {
	return [4]string{p.CollectionID, p.ActivityType, p.ActivityID, p.ProductID}
}

func (p Product) join(prefix string) string {
	parts := p.parts()
	return prefix + separator + strings.Join(parts[:], separator)
}

// PK is the partition key of the product's signals.
func (p Product) PK() string { return p.join(SchemaSignal) }

// String renders the product for messages: mockPark1/backcountryCamp/1/1.
func (p Product) String() string {
	parts := p.parts()
	return strings.Join(parts[:], "/")
}

// Key is the table key of the signal.
func (d ProductDate) Key() Key { return Key{PK: d.PK(), SK: d.Date.String()} }

// PoolPK is the partition key of the inventory pools behind the signal.
func (d ProductDate) PoolPK() string { return d.join("inventoryPool") + separator + d.Date.String() }

// String renders the signal for messages: mockPark1/backcountryCamp/1/1 2026-07-01.
func (d ProductDate) String() string { return d.Product.String() + " " + d.Date.String() }

// ParsePK is the inverse of Product.PK. It also reads the slip seen in real data
// that joins the last two parts by a single colon ("...::1:1"). The error is
// ErrKey.
func ParsePK(pk string) (Product, error) {
	rest, ok := strings.CutPrefix(pk, pkPrefix)
	if !ok {
		return Product{}, fmt.Errorf("%w %q: expected it to begin with %q", ErrKey, pk, pkPrefix)
	}
	parts := splitParts(rest)
	if len(parts) != 4 {
		return Product{}, fmt.Errorf("%w %q: expected four parts after %q, found %d", ErrKey, pk, pkPrefix, len(parts))
	}
	p := Product{CollectionID: parts[0], ActivityType: parts[1], ActivityID: parts[2], ProductID: parts[3]}
	if err := p.Validate(); err != nil {
		return Product{}, fmt.Errorf("key %q: %w", pk, err)
	}
	return p, nil
}

// splitParts splits what follows a key's prefix into the parts of a product.
func splitParts(joined string) []string {
	parts := strings.Split(joined, separator)
	if len(parts) == 3 && strings.Count(parts[2], ":") == 1 {
		activity, product, _ := strings.Cut(parts[2], ":")
		parts = append(parts[:2], activity, product)
	}
	return parts
}

// ParseKey reads what signal a table key stands for. The error is ErrKey or
// ErrDate.
func ParseKey(k Key) (ProductDate, error) {
	p, err := ParsePK(k.PK)
	if err != nil {
		return ProductDate{}, err
	}
	d, err := ParseDate(k.SK)
	if err != nil {
		return ProductDate{}, fmt.Errorf("key %q: %w", k, err)
	}
	return ProductDate{Product: p, Date: d}, nil
}
