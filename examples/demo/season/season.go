// Package season reads a folder of products, their inventory and a morning of
// bookings, and says what every day must show before and after it.
//
// The folder's shape is described in data/README.md. Nothing here knows AWS.
package season

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Names of the files in a folder. After may be missing.
const (
	File        = "season.json"
	MorningFile = "morning.csv"
	AfterFile   = "after.json"
)

// Season is what a folder holds.
type Season struct {
	Products []Product
	// Morning is in the order of time.
	Morning []Booking
	// After is what the folder itself says each day shows in the end; nil if it
	// says nothing.
	After map[Day]string
	// Shifted is by how many days the dates are later than in the folder.
	Shifted int
}

// Product is what is sold on each date of a range.
type Product struct {
	signal.Product
	Name       string
	Zone       string
	Start, End signal.Date
	Pattern    signal.Pattern
	// Bucket is the cadence's name, and Pattern.Cadence its duration.
	Bucket string
	Pools  []Pool
}

// Pool is one of the inventory pools behind each date of a product.
type Pool struct {
	Asset    string
	Capacity int64
}

// Booking is a change of what a pool has left.
type Booking struct {
	// Line is where morning.csv has it.
	Line int
	// Second is when, from the morning's beginning.
	Second int
	Slot
	// Change is negative for a booking and positive for a release.
	Change int64
}

// Day is a date of a product: Date counts from the beginning of its range.
type Day struct{ Product, Date int }

// Slot is a pool behind a day.
type Slot struct {
	Day
	Pool int
}

// Days is the number of dates of the product.
func (p Product) Days() int { return p.Start.DaysUntil(p.End) + 1 }

// Capacity is what all pools of a date have together.
func (p Product) Capacity() int64 {
	var sum int64
	for _, pool := range p.Pools {
		sum += pool.Capacity
	}
	return sum
}

// ProductDate is the day's product and date.
func (s *Season) ProductDate(d Day) signal.ProductDate {
	p := s.Products[d.Product]
	return signal.ProductDate{Product: p.Product, Date: p.Start.AddDays(d.Date)}
}

// Days lists every day of every product, in order.
func (s *Season) Days() []Day {
	var days []Day
	for i, p := range s.Products {
		for d := range p.Days() {
			days = append(days, Day{i, d})
		}
	}
	return days
}

// Buckets lists the names of the cadence buckets, the quickest first.
func (s *Season) Buckets() []string { return bucketNames(s.Products) }

// Span is the first and the last date of all products.
func (s *Season) Span() (first, last signal.Date) {
	first, last = s.Products[0].Start, s.Products[0].End
	for _, p := range s.Products {
		if p.Start.Compare(first) < 0 {
			first = p.Start
		}
		if p.End.Compare(last) > 0 {
			last = p.End
		}
	}
	return first, last
}

// Lasts is how long the morning is.
func (s *Season) Lasts() time.Duration {
	if len(s.Morning) == 0 {
		return 0
	}
	return time.Duration(s.Morning[len(s.Morning)-1].Second) * time.Second
}
