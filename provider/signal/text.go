package signal

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// text validates a string by itself. The error's text follows the value's path,
// and says what was expected.
type text struct {
	expected string
	check    func(string) error
}

func (v text) Description(context.Context) string { return v.expected }

func (v text) MarkdownDescription(context.Context) string { return v.expected }

func (v text) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := v.check(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, invalidSignal, diagnose.Sentence(err))
	}
}

var tableName = regexp.MustCompile(`^[.\-_A-Za-z0-9]{3,255}$`)

var (
	partText = text{"a part of a key", func(s string) error {
		if reason := signal.ValidatePart(s); reason != "" {
			return fmt.Errorf("the key part %q %s", s, reason)
		}
		return nil
	}}
	dateText = text{"a calendar date, YYYY-MM-DD", func(s string) error {
		_, err := signal.ParseDate(s)
		return err
	}}
	instantText = text{"an instant in ISO 8601", func(s string) error {
		at, err := signal.ParseInstant(s)
		if err == nil && at.UTC().Year() > 9999 {
			// It is kept in UTC, with four digits.
			return fmt.Errorf("invalid instant %q: in UTC it is after the year 9999", s)
		}
		return err
	}}
	zoneText = text{"an IANA time zone", func(s string) error {
		_, err := signal.LoadZone(s)
		return err
	}}
	bucketText = text{"a bucket's name", signal.ValidateBucketName}
	valueText  = text{"a value", func(s string) error {
		if s == "" {
			return errors.New("the initial value is empty; leave it out to start without one")
		}
		return nil
	}}
	stateText = text{"dirty or clean", func(s string) error {
		if s != signal.Dirty && s != signal.Clean {
			return fmt.Errorf("initial state %q: expected dirty or clean", s)
		}
		return nil
	}}
	modeText = text{"exact or tiered", func(s string) error {
		if m := signal.Mode(s); m != signal.Exact && m != signal.Tiered {
			return fmt.Errorf("estimation mode %q: expected exact or tiered", s)
		}
		return nil
	}}
	tableText = text{"the name of a table", func(s string) error {
		if !tableName.MatchString(s) {
			return fmt.Errorf("table name %q: expected the name of a table, not its ARN: 3 to 255 letters, digits, dots, hyphens and underscores", s)
		}
		return nil
	}}
)
