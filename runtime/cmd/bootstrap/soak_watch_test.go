package main_test

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// soakWatch looks at every signal again and again, and notes what may never be.
type soakWatch struct {
	*soak
	looks, changes int
	faults         []string
	last           map[signal.ProductDate]signal.Item

	mu sync.Mutex
	// deleting are those whose deletion was sent, deleted those of them where it was
	// answered: between the two a signal may be there or not.
	deleting, deleted map[signal.ProductDate]bool
}

func newSoakWatch(s *soak) *soakWatch {
	return &soakWatch{soak: s, last: map[signal.ProductDate]signal.Item{}, deleting: map[signal.ProductDate]bool{}, deleted: map[signal.ProductDate]bool{}}
}

func (w *soakWatch) String() string {
	return fmt.Sprintf("%d looks at all signals, %d values seen to change, %d faults", w.looks, w.changes, len(w.faults))
}

func (w *soakWatch) follow(stop <-chan struct{}) {
	for {
		w.look()
		select {
		case <-stop:
			w.look()
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (w *soakWatch) look() {
	w.looks++
	for n := range soakBuckets {
		// Those deleted before they are looked for are gone for ever.
		w.mu.Lock()
		gone := map[signal.ProductDate]bool{}
		for d := range w.deleted {
			gone[d] = true
		}
		w.mu.Unlock()
		found, err := w.signals(n)
		if err != nil {
			w.fault("look at the signals of %s: %v", soakProduct(n), err)
			return
		}
		for d, item := range found {
			if gone[d] {
				w.fault("%s is there again, after it was deleted", d)
			}
			w.compare(d, w.last[d], item)
			w.last[d] = item
		}
		w.mu.Lock()
		for d, was := range w.last {
			if d.Product == soakProduct(n) && found[d] == nil && was != nil && !w.deleting[d] {
				w.fault("%s is gone, and nobody deleted it", d)
				w.last[d] = nil
			}
		}
		w.mu.Unlock()
	}
}

func (w *soakWatch) signals(bucket int) (map[signal.ProductDate]signal.Item, error) {
	found := map[signal.ProductDate]signal.Item{}
	p := soakProduct(bucket)
	for item, err := range w.store.Query(w.t.Context(), dynamo.Query{Hash: signal.AttrPK, Partition: p.PK(), Range: signal.AttrSK, From: "2", To: "3"}) {
		if err != nil {
			return nil, err
		}
		date, err := signal.ParseDate(item.Text(signal.AttrSK))
		if err != nil {
			return nil, err
		}
		found[signal.ProductDate{Product: p, Date: date}] = item
	}
	return found, nil
}

// compare holds an item against the one before.
func (w *soakWatch) compare(d signal.ProductDate, was, is signal.Item) {
	updated := is.Text(signal.AttrLastUpdatedAt)
	if expiry := is.Text(signal.AttrExpiry); updated != "" {
		// A claim that was in time may take a while to be answered.
		at, err := signal.ParseInstant(updated)
		over, err2 := signal.ParseInstant(expiry)
		if err != nil || err2 != nil || at.After(over.Add(15*time.Second)) {
			w.fault("%s expired at %s and was computed at %s", d, expiry, updated)
		}
	}
	if was == nil {
		return
	}
	if a, b := was.Text(signal.AttrGlobalID), is.Text(signal.AttrGlobalID); a != b {
		w.fault("%s has become another: %s was %s", d, b, a)
	}
	if a, b := was.Int(signal.AttrRev), is.Int(signal.AttrRev); b < a {
		w.fault("rev of %s goes back: %d after %d", d, b, a)
	}
	if a := was.Text(signal.AttrLastUpdatedAt); updated < a {
		w.fault("lastUpdatedAt of %s goes back: %s after %s", d, updated, a)
	}
	a, b := was.Text(signal.AttrValue), is.Text(signal.AttrValue)
	if a != b {
		w.changes++
	}
	if n, m := number(a), number(b); onlySold(d) && a != "" && m > n {
		w.fault("the value of %s goes back: %s after %s, and nothing was given back", d, b, a)
	}
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

func (w *soakWatch) note(in map[signal.ProductDate]bool, d signal.ProductDate) {
	w.mu.Lock()
	defer w.mu.Unlock()
	in[d] = true
}

func (w *soakWatch) fault(format string, args ...any) {
	// The first tell enough.
	if len(w.faults) < 20 {
		w.faults = append(w.faults, fmt.Sprintf(format, args...))
	}
}

// endings are signals that come to an end while there is load: some are deleted by
// their seeder, some expire.
type endings struct {
	*soak
	toDelete []signal.ProductDate
}

const expireEarly = 15 * time.Second

// prepareEndings has some signals expire early.
func (s *soak) prepareEndings() *endings {
	s.t.Helper()
	e := &endings{soak: s}
	for i, d := range s.dates {
		switch i % soakDates {
		case 3:
			e.toDelete = append(e.toDelete, d)
		case 7:
			item, err := s.store.Get(s.t.Context(), d.Key())
			if err != nil {
				s.t.Fatal(err)
			}
			at := time.Now().Add(expireEarly)
			item[signal.AttrExpiry], item[signal.AttrTTL] = signal.S(signal.FormatInstant(at)), signal.N(at.Unix())
			putItem(s.t, s.store, d.Key(), item)
		}
	}
	return e
}

// begin deletes, one after the other over the first half of the load.
func (e *endings) begin(w *soakWatch) {
	for i, d := range e.toDelete {
		at := e.began.Add(e.lasts / 2 * time.Duration(i+1) / time.Duration(len(e.toDelete)+1))
		time.Sleep(time.Until(at))
		w.note(w.deleting, d)
		if _, err := e.store.Write(e.t.Context(), protocol.Write{Op: "remove", Kind: protocol.Delete, Key: d.Key()}); err != nil {
			e.t.Errorf("delete %s: %v", d, err)
			continue
		}
		w.note(w.deleted, d)
	}
}
