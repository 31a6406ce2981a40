package stream

import "github.com/availability-signal/terraform-provider-availability/runtime/signal"

// job is what one or more records call for.
type job struct {
	// key is the signal to flip, or else there is a scope to keep.
	key signal.Key
	scope
	// records are the indexes of those that call for it.
	records []int
}

func (j job) String() string {
	switch {
	case j.key != signal.Key{}:
		return j.key.String()
	case j.whole():
		return j.product.String()
	}
	return signal.ProductDate{Product: j.product, Date: j.date}.String()
}

// jobsOf are what the records call for, in the order of the first that does.
func (c *Consumer) jobsOf(records []Record, r *Report) []job {
	var jobs []job
	at := map[string]int{}
	add := func(j job, record int) (first bool) {
		// Three kinds of text that cannot be alike.
		name := j.String()
		if n, ok := at[name]; ok {
			jobs[n].records = append(jobs[n].records, record)
			return false
		}
		j.records = []int{record}
		at[name] = len(jobs)
		jobs = append(jobs, j)
		return true
	}
	for n, rec := range records {
		origins, err := c.origins(rec)
		switch {
		case err != nil:
			r.Poison++
			r.problem(Problem{Key: rec.Key.String(), Reason: err.Error()})
			continue
		case len(origins) == 0:
			r.Ignored++
			continue
		case rec.ByTTL:
			r.Expired++
			continue
		}
		for _, o := range origins {
			switch o.Kind {
			case signal.OfInventory:
				if add(job{key: o.Key()}, n) {
					r.Signals++
				}
			case signal.OfProductDate:
				add(job{scope: scope{product: o.Product, date: o.Date}}, n)
			case signal.OfProduct:
				add(job{scope: scope{product: o.Product}}, n)
			}
		}
	}
	return jobs
}

// origins are what a record's key has to do with signals: nothing at all, in most
// cases one thing. A key of the platform's own template that can be read in several
// ways is of all those dates' inventory: where there is no such signal, a flip does
// nothing.
func (c *Consumer) origins(rec Record) ([]signal.Origin, error) {
	// First, so that no template takes the runtime's own writes for inventory.
	if rec.Fault != nil || rec.Key.Own() {
		return nil, rec.Fault
	}
	dates, unread := c.Inventory.Dates(rec.Key.PK)
	if len(dates) > 0 {
		origins := make([]signal.Origin, len(dates))
		for i, d := range dates {
			origins[i] = signal.Origin{Kind: signal.OfInventory, ProductDate: d}
		}
		return origins, nil
	}
	o, err := signal.ParseOrigin(rec.Key)
	switch {
	case err != nil:
		return nil, err
	case o.Kind != signal.NoOrigin:
		return []signal.Origin{o}, nil
	}
	return nil, unread
}
