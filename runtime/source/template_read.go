package source

import (
	"fmt"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	// mostReadings is how many dates a key may stand for.
	mostReadings = 16
	// mostTrials is how many ways to read a key are tried.
	mostTrials = 10_000
	dateLength = len("2006-01-02")
)

// Dates is the inverse of Key: every date whose inventory may have a partition key.
// There is more than one where a part has the text in it that separates the parts.
// It is none, without an error, for a key that begins in another way than the
// template does.
//
// The error is signal.ErrKey for a key that begins as the template does and cannot
// be read by it, and ErrTemplate if the template lacks a field, so that its keys do
// not say whose inventory they have.
func (t Template) Dates(key string) ([]signal.ProductDate, error) {
	if len(t.pieces) == 0 || !strings.HasPrefix(key, t.pieces[0].text) {
		return nil, nil
	}
	r := reading{fields: map[field]string{}}
	r.read(t.pieces, key)
	switch missing := t.missing(); {
	case r.trials > mostTrials || len(r.found) > mostReadings:
		return nil, fmt.Errorf("%w %q: the key template can read it in more than %d ways", signal.ErrKey, key, mostReadings)
	case len(r.found) > 0 && missing != "":
		return nil, fmt.Errorf("%w: it has no {%s}, so that key %q does not say which signal is to be flipped", ErrTemplate, missing, key)
	case len(r.found) == 0 && t.pieces[0].text != "":
		return nil, fmt.Errorf("%w %q: it begins as the key template does, and cannot be read by it", signal.ErrKey, key)
	}
	return r.found, nil
}

// missing is the first field that the template lacks, or "".
func (t Template) missing() string {
	for f := collectionID; f <= date; f++ {
		if !t.has(f) {
			return fieldNames[f]
		}
	}
	return ""
}

// reading is a key that is being read.
type reading struct {
	fields map[field]string
	trials int
	found  []signal.ProductDate
}

// read reads what is left of a key by the pieces that are left of a template.
func (r *reading) read(pieces []piece, rest string) {
	if r.trials++; r.trials > mostTrials || len(r.found) > mostReadings {
		return
	}
	if len(pieces) == 0 {
		if rest == "" {
			r.add()
		}
		return
	}
	switch next := pieces[0]; next.field {
	case noField:
		if after, ok := strings.CutPrefix(rest, next.text); ok {
			r.read(pieces[1:], after)
		}
	case date:
		if len(rest) >= dateLength {
			r.take(pieces, rest, dateLength)
		}
	default:
		if len(pieces) == 1 {
			r.take(pieces, rest, len(rest))
			return
		}
		// Text follows, by the rules of templates.
		for at := 0; at < len(rest); at++ {
			n := strings.Index(rest[at:], pieces[1].text)
			if n < 0 {
				return
			}
			at += n
			r.take(pieces, rest, at)
		}
	}
}

// take reads n bytes as the next field, and the rest after it.
func (r *reading) take(pieces []piece, rest string, n int) {
	if signal.ValidatePart(rest[:n]) != "" {
		return
	}
	r.fields[pieces[0].field] = rest[:n]
	r.read(pieces[1:], rest[n:])
}

func (r *reading) add() {
	d, err := signal.ParseDate(r.fields[date])
	if err != nil {
		return
	}
	r.found = append(r.found, signal.ProductDate{
		Product: signal.Product{
			CollectionID: r.fields[collectionID], ActivityType: r.fields[activityType],
			ActivityID: r.fields[activityID], ProductID: r.fields[productID],
		},
		Date: d,
	})
}
