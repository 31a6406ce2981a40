package signal

import "strconv"

// None is the value of a date that has no inventory at all, or none in service:
// something else than sold out.
const None = "none"

// implicitFull is the value of nothing left where no tier has the bound 0.
const implicitFull = "full"

// Estimate is what an availability source found behind a signal, in units of
// inventory.
type Estimate struct {
	Available int64
	Capacity  int64
	// NoInventory is set if there was nothing to count.
	NoInventory bool
}

// Anomaly is something about an estimate that is worth a report, though a value
// can be made of it.
type Anomaly string

// The anomalies. Each is counted as its nearest sensible estimate.
const (
	NegativeAvailable Anomaly = "available is negative"
	NegativeCapacity  Anomaly = "capacity is negative"
	AboveCapacity     Anomaly = "available is above capacity"
)

// Cache is the value to cache for an estimate: a decimal count, the id of a tier,
// or None. The pattern must be valid.
func (p Pattern) Cache(e Estimate) (value string, anomalies []Anomaly) {
	if e.NoInventory {
		return None, nil
	}
	if e.Available < 0 {
		anomalies = append(anomalies, NegativeAvailable)
		e.Available = 0
	}
	if e.Capacity < 0 {
		anomalies = append(anomalies, NegativeCapacity)
		e.Capacity = 0
	}
	if e.Available > e.Capacity {
		anomalies = append(anomalies, AboveCapacity)
		e.Available = e.Capacity
	}
	switch {
	case e.Capacity == 0:
		return None, anomalies
	case p.Mode == Exact:
		return strconv.FormatInt(e.Available, 10), anomalies
	}
	return p.tier(e), anomalies
}

func (p Pattern) tier(e Estimate) string {
	zero := Fraction{}
	if e.Available == 0 {
		if p.Tiers[0].MaxPercentage == zero {
			return p.Tiers[0].ID
		}
		return implicitFull
	}
	for _, t := range p.Tiers {
		if t.MaxPercentage != zero && t.MaxPercentage.covers(e.Available, e.Capacity) {
			return t.ID
		}
	}
	// A valid pattern's last bound is 1, and nothing is above capacity here.
	return p.Tiers[len(p.Tiers)-1].ID
}
