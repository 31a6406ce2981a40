package operate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// ErrName is what text that names no signal, product or bucket answers to.
var ErrName = errors.New("unusable name")

// ParseSignal reads a signal's name in any form that messages, logs and tables
// have it:
//
//	mockPark1/backcountryCamp/1/1 2027-07-01
//	mockPark1/backcountryCamp/1/1/2027-07-01
//	availabilitySignal::mockPark1::backcountryCamp::1::1 2027-07-01
//	availabilitySignal::mockPark1::backcountryCamp::1::1::2027-07-01
//
// Parts that contain a slash need one of the last two. The error is ErrName.
func ParseSignal(text string) (signal.ProductDate, error) {
	name := strings.TrimSpace(text)
	const day = len("2006-01-02")
	cut := len(name) - day
	if cut <= 0 || name[cut+4] != '-' || name[cut+7] != '-' {
		return signal.ProductDate{}, wrongSignal(text, errors.New("it does not end in a date, as YYYY-MM-DD"))
	}
	date, err := signal.ParseDate(name[cut:])
	if err != nil {
		return signal.ProductDate{}, wrongSignal(text, err)
	}
	before := name[:cut]
	for _, separator := range []string{"::", "/", " "} {
		if rest, ok := strings.CutSuffix(before, separator); ok {
			p, err := ParseProduct(rest)
			if err != nil {
				return signal.ProductDate{}, wrongSignal(text, err)
			}
			return signal.ProductDate{Product: p, Date: date}, nil
		}
	}
	return signal.ProductDate{}, wrongSignal(text, errors.New("nothing separates the date from the product"))
}

func wrongSignal(text string, err error) error {
	if errors.Is(err, ErrName) {
		return err
	}
	return fmt.Errorf("%w: %q is no signal, such as \"mockPark1/backcountryCamp/1/1 2027-07-01\": %w", ErrName, text, err)
}

// ParseProduct reads a product's name: its four parts with slashes between them, or
// its signals' pk. The error is ErrName.
func ParseProduct(text string) (signal.Product, error) {
	pk := strings.TrimSpace(text)
	if !strings.Contains(pk, "::") {
		pk = strings.Join(append([]string{signal.SchemaSignal}, strings.Split(pk, "/")...), "::")
	}
	p, err := signal.ParsePK(pk)
	if err != nil {
		return signal.Product{}, fmt.Errorf("%w: %q is no product, such as mockPark1/backcountryCamp/1/1: %w", ErrName, text, err)
	}
	return p, nil
}

// ParseBucket reads a bucket's name or ID: 5min or cadenceBucket::5min. The error is
// ErrName.
func ParseBucket(text string) (string, error) {
	name := strings.TrimSpace(text)
	if of, err := signal.ParseBucketID(name); err == nil {
		return of, nil
	}
	if err := signal.ValidateBucketName(name); err != nil {
		return "", fmt.Errorf("%w: %w", ErrName, err)
	}
	return name, nil
}
