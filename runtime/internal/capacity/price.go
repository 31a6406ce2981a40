package capacity

import "math"

// Prices are AWS's on-demand prices in US East (N. Virginia), in dollars: of
// DynamoDB since 1 November 2024, when on-demand requests were halved; of Lambda
// on arm64, its first tier; of CloudWatch, its first tier of custom metrics.
// EventBridge's scheduled rules cost nothing.
type Prices struct {
	// Write and Read are of a million request units.
	Write, Read float64
	// Storage is of a gigabyte and month, FreeStorage how many cost nothing.
	Storage, FreeStorage float64
	// GBSecond is of a gigabyte of memory and a second, Request of a million.
	GBSecond, Request float64
	// Metric is of a metric and month.
	Metric float64
}

// Published are those prices.
func Published() Prices {
	return Prices{Write: 0.625, Read: 0.125, Storage: 0.25, FreeStorage: 25, GBSecond: 0.0000133334, Request: 0.20, Metric: 0.30}
}

// monthSeconds are those of AWS's month of 730 hours.
const monthSeconds = 730 * 3600

// month is what units a second cost in a month.
func (p Prices) month(u Units) float64 {
	return monthSeconds / 1e6 * (u.Write*p.Write + u.Read*p.Read)
}

// halves is what an eventually consistent read of so many bytes takes.
func halves(bytes float64) float64 { return max(1, math.Ceil(bytes/4096)) / 2 }

// storedBytes are those of a signal in the table and both indexes, with the
// hundred that each index entry counts more, and an item as well.
func (p Platform) storedBytes() float64 {
	const overhead, keys = 100, 190
	cadence, global := p.entryBytes(), float64(keys)
	if p.AllGlobalID {
		global = p.ItemBytes
	}
	return p.ItemBytes + cadence + global + 3*overhead
}

// StorageDollars is what the signals cost a month to keep.
func (p Platform) StorageDollars(at Prices) float64 {
	gigabytes := p.Signals * p.storedBytes() / (1 << 30)
	return max(0, gigabytes-at.FreeStorage) * at.Storage
}

// LambdaDollars is what the function costs a month: its runs, the audit, and the
// stream's batches of a hundred where a stream flips.
func (p Platform) LambdaDollars(at Prices) float64 {
	runs := monthSeconds / p.tick() * float64(p.Buckets)
	seconds := runs * p.RunSeconds()
	if p.StalenessHours > 0 {
		seconds += p.audits() * monthSeconds * p.CheckMS / 1000 / float64(p.Concurrency)
	}
	if p.Way == Stream {
		runs += p.Bookings / streamBatch * monthSeconds
		seconds += p.Bookings * monthSeconds * streamSeconds
	}
	return seconds*p.MemoryMiB/1024*at.GBSecond + runs/1e6*at.Request
}

// otherDollars is what a month costs that is no units.
func (p Platform) otherDollars(at Prices) float64 {
	return p.LambdaDollars(at) + p.MetricDollars(at) + p.StorageDollars(at)
}

// MetricDollars is what the metrics cost a month that each bucket's runs write.
func (p Platform) MetricDollars(at Prices) float64 {
	return float64(p.Buckets) * runMetrics * at.Metric
}

const (
	// runMetrics is how many metrics a bucket has.
	runMetrics = 16
	// streamBatch is how many records a stream's function takes at once.
	streamBatch = 100
	// streamSeconds is how much of its time a record takes.
	streamSeconds = 0.001
)
