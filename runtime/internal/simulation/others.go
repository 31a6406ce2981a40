package simulation

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// byHand is what people do at a console, and the platform to its dates.
func (w *world) byHand(a Actor) {
	c := w.Client(named(string(a.Role), a.Number), simulator.WithSkew(a.Skew))
	store := dynamo.NewStore(c, table)
	for _, s := range a.Steps {
		w.await(s)
		if w.plan.Kept {
			s.Day = w.plan.Days - 1
		}
		key := w.plan.day(s.Day).Key()
		date := w.plan.dateKey()
		write := protocol.Write{Op: "by hand", Kind: protocol.Delete, Key: key}
		switch s.Deed {
		case DeleteByHand:
		case Disown:
			write.Kind, write.Remove = protocol.Update, []string{signal.AttrSeededBy}
			write.If = []protocol.Cond{{Test: protocol.Exists, Attr: signal.AttrPK}}
		case Withdraw:
			write.Key = date
		case Offer:
			write = offer(date)
		}
		for range 10 {
			if _, err := store.Write(c.Context(), write); err == nil || c.Crashed() {
				break
			}
			time.Sleep(time.Second)
		}
		if c.Crashed() {
			return
		}
	}
}

// dateKey is the key of the productDate of the day that the stream keeps.
func (p Plan) dateKey() signal.Key {
	d := p.day(p.Days - 1)
	return signal.Key{PK: d.DatePKs()[0], SK: d.Date.String()}
}

func offer(key signal.Key) protocol.Write {
	return protocol.Write{Op: "offer", Kind: protocol.Put, Key: key, Item: signal.Item{
		signal.AttrPK: signal.S(key.PK), signal.AttrSK: signal.S(key.SK), signal.AttrSchema: signal.S(signal.SchemaProductDate),
	}}
}

// reader looks at the signals, and is told of none that has expired.
func (w *world) reader(a Actor) {
	c := w.Client(named(string(Reader), a.Number), simulator.WithSkew(a.Skew))
	r := read.New(c, table, read.WithClock(c.Now), read.WithConsistentReads())
	for _, s := range a.Steps {
		w.await(s)
		began := c.Now()
		required := make([]vector, w.plan.Days)
		for day := range required {
			required[day] = w.judge.required(day)
		}
		last := w.plan.Days - 1
		readings, err := r.Range(c.Context(), w.plan.product(), w.plan.day(0).Date, w.plan.day(last).Date)
		if err != nil {
			continue
		}
		for _, is := range readings {
			w.judge.served(is, w.plan.day(0).Date.DaysUntil(is.Date), began, required)
		}
	}
}

// setUp makes what is there at the beginning, and returns the range.
func (w *world) setUp() *terraform {
	c := w.Client(setupName)
	ctx := c.Context()
	store := dynamo.NewStore(c, table)
	w.setUpPools(c)
	must := func(err error) {
		if err != nil {
			w.Fatal(err)
		}
	}
	for _, name := range []string{regular, seldom} {
		must(dynamo.NewRegistry(store).Create(ctx, bucketOf(name, w.plan, 1)))
	}
	if w.plan.Kept {
		product := w.plan.product().ItemKey()
		_, err := store.Write(ctx, protocol.Write{Op: "offer", Kind: protocol.Put, Key: product, Item: signal.Item{
			signal.AttrPK: signal.S(product.PK), signal.AttrSK: signal.S(product.SK), signal.AttrTimezone: signal.S("UTC"),
		}})
		must(err)
		_, err = store.Write(ctx, offer(w.plan.dateKey()))
		must(err)
	}
	t := newTerraform(w, c)
	switch {
	case t.absent:
	case w.plan.Foreign:
		for day := range t.full {
			w.stranger(c, day)
		}
	default:
		t.apply()
	}
	return t
}

// strangerID is the globalId of strangers' signals, whose values nobody vouches for.
const strangerID = "stranger"

// strangerValue is the value that they say: no check ever writes it.
const strangerValue = "high"

// stranger puts a signal that is nobody's, of which somebody says that it is clean.
func (w *world) stranger(c *simulator.Client, day int) {
	d := w.plan.day(day)
	key := d.Key()
	_, err := dynamo.NewStore(c, table).Write(c.Context(), protocol.Write{Op: "stranger", Kind: protocol.Put, Key: key, Item: signal.Item{
		signal.AttrPK: signal.S(key.PK), signal.AttrSK: signal.S(key.SK), signal.AttrSchema: signal.S(signal.SchemaSignal),
		signal.AttrGSIPK: signal.S(signal.BucketID(regular)), signal.AttrGSISK: signal.S(signal.Clean),
		signal.AttrGlobalID: signal.S(strangerID), signal.AttrValue: signal.S(strangerValue),
		signal.AttrPattern: signal.Pattern{Mode: signal.Exact}.Value(),
		signal.AttrExpiry:  signal.S(signal.FormatInstant(signal.Expiry(d.Date, time.UTC))),
	}})
	if err != nil {
		w.Error(err)
	}
}
