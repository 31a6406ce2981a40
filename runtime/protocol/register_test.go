package protocol_test

import (
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func hourlyBucket() signal.Bucket {
	return signal.Bucket{
		Format: signal.BucketFormat, Name: "1h", Cadence: signal.Cadence{Hours: 1}, ScheduleExpression: "rate(1 hour)",
		Shards: 1, RuleARN: "arn:aws:events:ca-central-1:123456789012:rule/availability-parks-1h", Enabled: true,
		Checks: signal.DefaultChecks(), GlobalID: "0b9e4a52-93c4-4d07-8f6e-3a5de1c8b790",
	}
}

func TestRegister(t *testing.T) {
	t.Parallel()
	b := hourlyBucket()
	w := protocol.Register(b)
	if w.Key != signal.RegistryKey("1h") {
		t.Errorf("the key is %v", w.Key)
	}
	wantItem(t, applied(t, w, nil), b.Item())
	refused(t, w, b.Item())
	refused(t, w, signal.Item{"pk": signal.S("cadenceBucket::1h"), "sk": signal.S("cadenceBucket")})
}

func TestReregister(t *testing.T) {
	t.Parallel()
	changed := hourlyBucket()
	changed.Shards, changed.Enabled, changed.Checks.Concurrency = 4, false, 8
	changed.ScheduleExpression, changed.Cadence = "cron(0 * * * ? *)", signal.Cadence{ID: "1h"}
	// A later release of the same format has added an attribute and a setting.
	present := with(hourlyBucket().Item(), signal.Item{
		"drainUntil": signal.S("2030-01-01T00:00:00.000Z"),
		"checks":     withSetting(hourlyBucket().Checks, "sourceBudget", 7),
	})
	want := with(changed.Item(), signal.Item{
		"drainUntil": signal.S("2030-01-01T00:00:00.000Z"),
		"checks":     withSetting(changed.Checks, "sourceBudget", 7),
	})

	w := protocol.Reregister(changed, present)
	wantItem(t, applied(t, w, present), want)
	w = protocol.Reregister(changed, nil)
	// Whatever was deleted by hand comes back.
	wantItem(t, applied(t, w, signal.Item{
		"pk": signal.S("cadenceBucket::1h"), "sk": signal.S("cadenceBucket"), "globalId": signal.S(changed.GlobalID),
	}), changed.Item())
	for _, spoiled := range []signal.Value{signal.S("1"), signal.Decimal("1.5"), signal.Null(), signal.Bool(true)} {
		item := with(hourlyBucket().Item(), signal.Item{"format": spoiled})
		wantItem(t, applied(t, protocol.Reregister(changed, item), item), changed.Item())
		refused(t, protocol.Reregister(changed, item), with(item, signal.Item{"format": signal.N(signal.BucketFormat + 1)}))
	}
	refused(t, w, nil)
	refused(t, w, with(hourlyBucket().Item(), signal.Item{"globalId": signal.S("another")}))
	refused(t, w, with(hourlyBucket().Item(), signal.Item{"format": signal.N(signal.BucketFormat + 1)}))
}

func withSetting(c signal.Checks, name string, n int64) signal.Value {
	fields, _ := c.Value().Fields()
	fields[name] = signal.N(n)
	return signal.M(fields)
}

func TestUnregister(t *testing.T) {
	t.Parallel()
	b := hourlyBucket()
	w := protocol.Unregister(b)
	wantItem(t, applied(t, w, b.Item()), nil)
	refused(t, w, nil)
	refused(t, w, with(b.Item(), signal.Item{"globalId": signal.S("another")}))
}

// A whole format is any that this release can write over, whatever it was when read.
func TestReregister_formatRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	b := hourlyBucket()
	w := protocol.Reregister(b, b.Item())
	applied(t, w, with(b.Item(), signal.Item{"format": {}}))
}
