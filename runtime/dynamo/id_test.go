package dynamo_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

// An id has all of its random bytes, or there is none: two that were short of some
// might be the same.
func TestNewID(t *testing.T) {
	t.Parallel()
	random := bytes.Repeat([]byte{0xff}, 16)
	id, err := dynamo.NewID(iotest.OneByteReader(bytes.NewReader(random)))
	if want := "ffffffff-ffff-4fff-bfff-ffffffffffff"; id != want || err != nil {
		t.Errorf("NewID() = %q, %v, want %q", id, err, want)
	}
	if id, err := dynamo.NewID(bytes.NewReader(random[1:])); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("of too few bytes: %q, %v", id, err)
	}
}
