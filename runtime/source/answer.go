package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// ErrAnswer is what an answer that is unusable as a whole answers to.
var ErrAnswer = errors.New("unusable answer")

// fields are those of a JSON object, by their exact names, which a struct's are
// not.
type fields map[string]json.RawMessage

// decodeAnswers reads the answer for a batch, whose dates differ: an Answer for
// each date, in their order. The error is ErrAnswer.
func decodeAnswers(body []byte, dates []signal.ProductDate) ([]Answer, error) {
	entries, err := decodeEnvelope(body)
	if err != nil {
		return nil, err
	}
	positions := make(map[string]int, len(dates))
	answers := make([]Answer, len(dates))
	for i, d := range dates {
		positions[batchKey(d)] = i
		answers[i].Err = ErrUnanswered
	}
	for n, entry := range entries {
		var f fields
		var key *string
		if json.Unmarshal(entry, &f) != nil || json.Unmarshal(f["key"], &key) != nil || key == nil {
			return nil, fmt.Errorf("%w: answer %d of %d is no object with the key of a signal", ErrAnswer, n+1, len(entries))
		}
		i, asked := positions[*key]
		if !asked {
			return nil, fmt.Errorf("%w: one is for %s, which was not asked for", ErrAnswer, quote(*key))
		}
		if !errors.Is(answers[i].Err, ErrUnanswered) {
			answers[i] = invalid(dates[i], "is there twice")
			continue
		}
		answers[i] = decodeAnswer(f, dates[i])
	}
	return answers, nil
}

// decodeEnvelope is the answers of an answer of this version, each still encoded.
func decodeEnvelope(body []byte) ([]json.RawMessage, error) {
	var envelope fields
	if err := json.Unmarshal(body, &envelope); err != nil {
		return nil, fmt.Errorf("%w: it is no JSON object: %w", ErrAnswer, err)
	}
	version, ok := envelope["version"]
	if !ok {
		return nil, fmt.Errorf(`%w: it has no field "version"`, ErrAnswer)
	}
	if string(version) != fmt.Sprint(contractVersion) {
		return nil, fmt.Errorf("%w: its version is %s, not %d", ErrAnswer, quote(string(version)), contractVersion)
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(envelope["answers"], &entries); err != nil || entries == nil {
		return nil, fmt.Errorf(`%w: it has no list "answers"`, ErrAnswer)
	}
	return entries, nil
}

// decodeAnswer reads the answer for a date.
func decodeAnswer(f fields, d signal.ProductDate) Answer {
	reason, failed := f["error"]
	none, withNone := f["none"]
	available, withAvailable := f["available"]
	capacity, withCapacity := f["capacity"]

	kinds := 0
	for _, there := range []bool{failed, withNone, withAvailable || withCapacity} {
		if there {
			kinds++
		}
	}
	switch {
	case kinds == 0:
		return invalid(d, "has neither available and capacity, nor none, nor error")
	case kinds > 1:
		return invalid(d, "has more than one of available and capacity, none, and error")
	case failed:
		var text string
		if err := json.Unmarshal(reason, &text); err != nil || text == "" {
			return invalid(d, "has an error that is no text")
		}
		return Answer{Err: &ItemError{Item: fmt.Sprintf("signal %q", d), Reason: "cannot be estimated: the source answers " + quote(text)}}
	case withNone:
		if string(none) != "true" {
			return invalid(d, "has a none that is not true")
		}
		return Answer{Estimate: signal.Estimate{NoInventory: true}}
	}
	var e signal.Estimate
	for _, part := range []struct {
		name  string
		raw   json.RawMessage
		there bool
		n     *int64
	}{{"available", available, withAvailable, &e.Available}, {"capacity", capacity, withCapacity, &e.Capacity}} {
		if !part.there {
			return invalid(d, "has no "+part.name)
		}
		var fault string
		if *part.n, fault = jsonAmount(part.raw); fault != "" {
			return invalid(d, "has a number "+part.name+" that "+fault)
		}
	}
	return Answer{Estimate: e}
}

// jsonAmount is a whole number, or what is wrong with it. 12.0, which is how some
// languages write 12, is one.
func jsonAmount(raw json.RawMessage) (n int64, fault string) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, "is no number"
	}
	text := string(raw)
	if whole, fraction, ok := strings.Cut(text, "."); ok && strings.Trim(fraction, "0") == "" {
		text = whole
	}
	return amount(signal.Decimal(text))
}

func invalid(d signal.ProductDate, fault string) Answer {
	return Answer{Err: &ItemError{Item: fmt.Sprintf("the answer for signal %q", d), Reason: fault}}
}

// longestQuote is how many bytes of somebody else's text an error quotes.
const longestQuote = 200

// quote is text of somebody else's as an error may have it.
func quote(text string) string {
	if len(text) > longestQuote {
		return fmt.Sprintf("%q and more", strings.ToValidUTF8(text[:longestQuote], ""))
	}
	return fmt.Sprintf("%q", text)
}
