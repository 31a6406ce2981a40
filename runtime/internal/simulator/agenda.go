package simulator

// plan is something that happens later.
type plan struct {
	// at is when, in nanoseconds since the epoch.
	at int64
	// number keeps plans for one time in the order they were made.
	number uint64
	do     func()
	// optional plans are left out when everything else is brought forward.
	optional bool
}

func (p plan) before(q plan) bool { return p.at < q.at || p.at == q.at && p.number < q.number }

// agenda is what is still to happen, as a binary heap. Nothing runs it but the
// next request: until then nobody can tell.
type agenda struct {
	plans []plan
	made  uint64
}

func (a *agenda) add(at int64, optional bool, do func()) {
	a.made++
	a.push(plan{at: at, number: a.made, do: do, optional: optional})
}

func (a *agenda) push(p plan) {
	a.plans = append(a.plans, p)
	i := len(a.plans) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !p.before(a.plans[parent]) {
			break
		}
		a.plans[i] = a.plans[parent]
		i = parent
	}
	a.plans[i] = p
}

func (a *agenda) pop() plan {
	top := a.plans[0]
	end := len(a.plans) - 1
	moved := a.plans[end]
	a.plans[end] = plan{}
	a.plans = a.plans[:end]
	if end == 0 {
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= end {
			break
		}
		if right := child + 1; right < end && a.plans[right].before(a.plans[child]) {
			child = right
		}
		if !a.plans[child].before(moved) {
			break
		}
		a.plans[i] = a.plans[child]
		i = child
	}
	a.plans[i] = moved
	return top
}

// due takes the next plan whose time has come.
func (a *agenda) due(now int64) (p plan, ok bool) {
	if len(a.plans) == 0 || a.plans[0].at > now {
		return p, false
	}
	return a.pop(), true
}

// settle does what is planned, in order, and what that plans in turn, but keeps
// what is optional.
func (a *agenda) settle() {
	var kept []plan
	for len(a.plans) > 0 {
		p := a.pop()
		if p.optional {
			kept = append(kept, p)
			continue
		}
		p.do()
	}
	for _, p := range kept {
		a.push(p)
	}
}
