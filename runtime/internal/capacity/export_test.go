package capacity

// Costs are what an operation takes of the table and of the cadence index.
type Costs struct{ Read, Table, Index float64 }

func costs(c cost) Costs { return Costs{c.read, c.table, c.index} }

// FlipClean is that of a flip of a clean signal.
func (p Platform) FlipClean() Costs { return costs(p.flipClean()) }

// FlipDirty is that of a flip of a dirty one that nobody has claimed.
func (p Platform) FlipDirty() Costs { return costs(p.flipDirty()) }

// Check is that of a check that cleans.
func (p Platform) Check() Costs { return costs(p.check()) }

// Audited is that of an audit that finds a value to be right, the source's read
// included.
func (p Platform) Audited() Costs { return costs(p.audited()) }

// Audits is how many signals are audited in a second.
func (p Platform) Audits() float64 { return p.audits() }
