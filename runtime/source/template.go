package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// ErrTemplate is what an unusable key template answers to.
var ErrTemplate = errors.New("unusable key template")

// The key templates of the contract's items.
const (
	DefaultPoolKey = "inventoryPool::{collectionId}::{activityType}::{activityId}::{productId}::{date}"
	DefaultUnitKey = "inventory::{collectionId}::{activityType}::{activityId}::{productId}::{date}"
)

// Template is the partition key of a date's inventory, with the parts of the
// product and the date still to be filled in. The zero value renders nothing; make
// one with ParseTemplate.
type Template struct{ pieces []piece }

// piece is text to be copied, or a field to be filled in.
type piece struct {
	text  string
	field field
}

type field uint8

const (
	noField field = iota
	collectionID
	activityType
	activityID
	productID
	date
)

// fieldNames are as a template has them, in the order of the fields.
var fieldNames = []string{"", "collectionId", "activityType", "activityId", "productId", "date"}

// maxTemplateBytes leaves the values of the fields most of DynamoDB's 2,048.
const maxTemplateBytes = 512

// ParseTemplate reads a template such as DefaultPoolKey. It must have {productId}
// and {date}, each field once at most, and text between any two. The error is
// ErrTemplate.
func ParseTemplate(text string) (Template, error) {
	var t Template
	fail := func(format string, args ...any) (Template, error) {
		return Template{}, fmt.Errorf("%w: %s", ErrTemplate, fmt.Sprintf(format, args...))
	}
	if len(text) > maxTemplateBytes {
		return fail("it has %d bytes, of %d at most", len(text), maxTemplateBytes)
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return fail("it has control characters")
	}
	for rest := text; rest != ""; {
		before, after, open := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return fail(`a "}" has no "{" before it`)
		}
		if before != "" {
			t.pieces = append(t.pieces, piece{text: before})
		}
		if !open {
			break
		}
		name, next, closed := strings.Cut(after, "}")
		if !closed {
			return fail(`a "{" has no "}" after it`)
		}
		f := field(max(0, slices.Index(fieldNames, name)))
		switch {
		case f == noField:
			return fail("{%s} is no field: expected %s", name, fieldList())
		case t.has(f):
			return fail("{%s} is there twice", name)
		case before == "" && len(t.pieces) > 0:
			return fail("{%s} follows another field at once, so that two products may have one key", name)
		}
		t.pieces = append(t.pieces, piece{field: f})
		rest = next
	}
	for _, f := range []field{productID, date} {
		if !t.has(f) {
			return fail("it has no {%s}, so that several signals would have one key", fieldNames[f])
		}
	}
	return t, nil
}

func fieldList() string {
	names := make([]string, len(fieldNames)-1)
	for i, name := range fieldNames[1:] {
		names[i] = "{" + name + "}"
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func (t Template) has(f field) bool {
	return slices.ContainsFunc(t.pieces, func(p piece) bool { return p.field == f })
}

// Key is the partition key of a date's inventory.
func (t Template) Key(d signal.ProductDate) string {
	var b strings.Builder
	for _, p := range t.pieces {
		switch p.field {
		case noField:
			b.WriteString(p.text)
		case collectionID:
			b.WriteString(d.CollectionID)
		case activityType:
			b.WriteString(d.ActivityType)
		case activityID:
			b.WriteString(d.ActivityID)
		case productID:
			b.WriteString(d.ProductID)
		case date:
			b.WriteString(d.Date.String())
		}
	}
	return b.String()
}

// mustTemplate is a template of this package's own.
func mustTemplate(text string) Template {
	t, err := ParseTemplate(text)
	if err != nil {
		panic(err)
	}
	return t
}
