package signal

import (
	"errors"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/textcheck"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// textOf is a validator of strings of a signal.
func textOf(expected string, check func(string) error) textcheck.Validator {
	return textcheck.Validator{Summary: invalidSignal, Expected: expected, Check: check}
}

var (
	partText = textOf("a part of a key", func(s string) error {
		if reason := signal.ValidatePart(s); reason != "" {
			return fmt.Errorf("the key part %q %s", s, reason)
		}
		return nil
	})
	dateText = textOf("a calendar date, YYYY-MM-DD", func(s string) error {
		_, err := signal.ParseDate(s)
		return err
	})
	instantText = textOf("an instant in ISO 8601", func(s string) error {
		at, err := signal.ParseInstant(s)
		if err == nil && at.UTC().Year() > 9999 {
			// It is kept in UTC, with four digits.
			return fmt.Errorf("invalid instant %q: in UTC it is after the year 9999", s)
		}
		return err
	})
	zoneText = textOf("an IANA time zone", func(s string) error {
		_, err := signal.LoadZone(s)
		return err
	})
	bucketText = textOf("a bucket's name", signal.ValidateBucketName)
	valueText  = textOf("a value", func(s string) error {
		if s == "" {
			return errors.New("the initial value is empty; leave it out to start without one")
		}
		return nil
	})
	stateText = textOf("dirty or clean", func(s string) error {
		if s != signal.Dirty && s != signal.Clean {
			return fmt.Errorf("initial state %q: expected dirty or clean", s)
		}
		return nil
	})
	modeText = textOf("exact or tiered", func(s string) error {
		if m := signal.Mode(s); m != signal.Exact && m != signal.Tiered {
			return fmt.Errorf("estimation mode %q: expected exact or tiered", s)
		}
		return nil
	})
	tableText = textOf("the name of a table", awsclient.CheckTableName)
)
