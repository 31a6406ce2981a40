package dynamo_test

import (
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Whose an item is decides who may take it over.
func TestHolder_whoMayTakeIt(t *testing.T) {
	t.Parallel()
	const schema = signal.SchemaSignal
	for _, tt := range []struct {
		holder                dynamo.Holder
		importable, adoptable bool
		text                  string
	}{
		{dynamo.Holder{Schema: schema, GlobalID: "a"}, true, true, "signal a, which has no owner"},
		{dynamo.Holder{Schema: schema}, true, true, "a signal without a globalId, which has no owner"},
		{dynamo.Holder{Schema: schema, GlobalID: "a", SeededBy: "terraform:a"}, true, false, `signal a, seeded by "terraform:a"`},
		{dynamo.Holder{Schema: schema, SeededBy: "terraform:"}, false, false, `a signal without a globalId, seeded by "terraform:"`},
		{dynamo.Holder{Schema: schema, GlobalID: "a", SeededBy: "terraform:b"}, false, false, `signal a, seeded by "terraform:b"`},
		{dynamo.Holder{Schema: schema, GlobalID: "a", SeededBy: "stream"}, false, true, `signal a, seeded by "stream"`},
		{dynamo.Holder{Schema: schema, GlobalID: dynamo.NoText}, false, false, "signal (no text), which has no owner"},
		{dynamo.Holder{Schema: schema, GlobalID: dynamo.NoText, SeededBy: "terraform:" + dynamo.NoText}, false, false, `signal (no text), seeded by "terraform:(no text)"`},
		{dynamo.Holder{Schema: schema, GlobalID: "a", SeededBy: dynamo.NoText}, false, false, `signal a, seeded by "(no text)"`},
		{dynamo.Holder{Schema: "note", GlobalID: "a"}, false, false, `an item of schema "note"`},
		{dynamo.Holder{GlobalID: "a"}, false, false, "an item without a schema"},
		{dynamo.Holder{Schema: "note", GlobalID: "a", SeededBy: "terraform:a"}, false, false, `an item of schema "note"`},
	} {
		if got := tt.holder.Importable(); got != tt.importable {
			t.Errorf("%+v: importable: %t", tt.holder, got)
		}
		if got := tt.holder.Adoptable(); got != tt.adoptable {
			t.Errorf("%+v: adoptable: %t", tt.holder, got)
		}
		if got := tt.holder.String(); got != tt.text {
			t.Errorf("%q, want %q", got, tt.text)
		}
	}
}

// One whose globalId is no text is nobody's whom anybody could name.
func TestSteward_nobodys(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	s := e.steward()
	for _, tt := range []struct {
		globalID signal.Value
		nobodys  bool
	}{{signal.S("a"), true}, {signal.N(5), false}} {
		item := protocol.Seed(seeding(july), now).Item
		delete(item, "seededBy")
		item["globalId"] = tt.globalID
		e.put(t, item)
		if is := look(t, s, campOn(july)); is.Nobodys() != tt.nobodys {
			t.Errorf("globalId %v: %+v", tt.globalID, is)
		}
	}
}
