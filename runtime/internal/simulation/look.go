package simulation

import (
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// vector is how many bookings of each pool something includes.
type vector [pools]int

// covers is whether it includes all that v does.
func (v vector) covers(o vector) bool {
	for i := range v {
		if v[i] < o[i] {
			return false
		}
	}
	return true
}

func (v vector) sum() (n int64) {
	for pool, bookings := range v {
		n += int64(bookings * weight(pool))
	}
	return n
}

// read is the vector that a value tells of; ok is false if it is no value of the
// mode.
func (v *vector) read(value, mode string) (ok bool) {
	digits, tiered := strings.CutPrefix(value, "t")
	if tiered != (mode == string(signal.Tiered)) {
		return false
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return false
	}
	*v = vector{n % weight(1), n / weight(1)}
	return true
}

// look is a signal as the judge sees it.
type look struct {
	there           bool
	id, owner, mode string
	dirty           bool
	value, claim    string
	expiry          time.Time
	notBefore       time.Time
}

func lookAt(item attributes) look {
	l := look{
		there: item != nil, id: textOf(item[signal.AttrGlobalID]), owner: textOf(item[signal.AttrSeededBy]), mode: modeOf(item),
		dirty: textOf(item[signal.AttrGSISK]) == signal.Dirty,
		value: textOf(item[signal.AttrValue]), claim: textOf(item[signal.AttrClaimedBy]),
	}
	if at, err := signal.ParseInstant(textOf(item[signal.AttrExpiry])); err == nil {
		l.expiry = at
	}
	if ms, err := strconv.ParseInt(textOf(item[signal.AttrNotBefore]), 10, 64); err == nil {
		l.notBefore = time.UnixMilli(ms)
	}
	return l
}

func modeOf(item attributes) string {
	m, ok := item[signal.AttrPattern].(*types.AttributeValueMemberM)
	if !ok {
		return ""
	}
	return textOf(m.Value["estimationMode"])
}

func textOf(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return ""
}
