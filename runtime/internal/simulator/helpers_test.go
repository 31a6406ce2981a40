package simulator_test

import (
	"errors"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// asRefused is the item that a condition did not hold for, if that is the error.
func asRefused(err error) (old signal.Item, ok bool) {
	if refused, is := errors.AsType[*dynamo.RefusedError](err); is {
		return refused.Old, true
	}
	return nil, false
}
