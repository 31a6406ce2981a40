package iampolicy_test

import (
	"slices"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	aSignal  = `"signal": "mockPark1/backcountryCamp/1/1 2090-07-01"`
	aProduct = `"product": "mockPark1/backcountryCamp/1/1"`
)

// expired seeds a signal that a sweep is to delete.
func (w *world) expired(day int) {
	w.t.Helper()
	past := time.Now().Add(-2 * time.Hour)
	w.seed(day, signal.Item{"ttl": signal.N(past.Unix()), "expiry": signal.S(signal.FormatInstant(past))})
}

// What operators have the function do about one signal, or a bucket, takes no more
// than its runs; about a product, it takes a little more.
func TestPolicy_runtimeWithTasks(t *testing.T) {
	t.Parallel()
	program := buildFunction(t)
	r, w := newRecorder(t), newWorld(t)
	inventory := acctest.Table(t)
	w.populate(inventory)
	f := start(t, program, r, map[string]string{"AVAILABILITY_TABLE_NAME": w.table, "AVAILABILITY_INVENTORY_TABLE_NAME": inventory})
	f.invoke(fiveMinutes)
	holdAnswer(t, f.invoke(`{"task": "explain", `+aSignal+`}`), `"verdict":"right"`)
	holdAnswer(t, f.invoke(`{"task": "check", `+aSignal+`}`), `"result":"cleaned"`)
	holdAnswer(t, f.invoke(`{"task": "check", "bucket": "5min"}`), `"task":"check"`)
	holdAnswer(t, f.invoke(`{"task": "audit", `+aSignal+`}`), `"audited":1`)
	holdAnswer(t, f.invoke(`{"task": "audit", "bucket": "5min"}`), `"complete":true`)
	w.expired(16)
	holdAnswer(t, f.invoke(`{"task": "sweep", "bucket": "5min"}`), `"swept":1`)
	recorded := r.take()
	of := acctest.Config{"inventory_table_arn": tableARN(inventory)}
	holdMinimal(t, render(t, "runtime", w.table, of), recorded)

	holdAnswer(t, f.invoke(`{"task": "explain", "signal": "mockPark1/backcountryCamp/1/misspelt 2090-07-01"}`), `"verdict":"missing"`)
	explained := slices.Concat(recorded, r.take())
	holdMinimal(t, render(t, "runtime", w.table, merged(of, acctest.Config{"tasks": []any{"explain"}})), explained)

	for task, says := range map[string]string{"check": `"result":"cleaned"`, "audit": `"complete":true`, "sweep": `"swept":1`} {
		w.expired(17)
		holdAnswer(t, f.invoke(`{"task": "`+task+`", "product": "mockPark1/backcountryCamp/1/misspelt"}`), "nothing is known under this name")
		holdAnswer(t, f.invoke(`{"task": "`+task+`", `+aProduct+`}`), says)
		all := slices.Concat(recorded, r.take())
		holdMinimal(t, render(t, "runtime", w.table, merged(of, acctest.Config{"tasks": []any{task}})), all)
	}
}

// A sync reads the keys of both tables, and keeps the signals as the stream would.
func TestPolicy_runtimeWithSync(t *testing.T) {
	t.Parallel()
	program := buildFunction(t)
	r, w := newRecorder(t), newWorld(t)
	platform := acctest.Table(t)
	w.populate(platform)
	f := start(t, program, r, map[string]string{
		"AVAILABILITY_TABLE_NAME": w.table, "AVAILABILITY_INVENTORY_TABLE_NAME": platform,
		"AVAILABILITY_DEFAULT_PATTERN": `{"estimationMode": "tiered"}`, "AVAILABILITY_DEFAULT_BUCKET": "5min",
	})
	f.invoke(fiveMinutes)
	there := func(key signal.Key) {
		w.put(platform, signal.Item{"pk": signal.S(key.PK), "sk": signal.S(key.SK), "timezone": signal.S("America/Vancouver")})
	}
	there(camp.ItemKey())
	for day := 20; day <= 24; day++ {
		if day != 23 {
			there(signal.Key{PK: on(day).DatePKs()[0], SK: on(day).Date.String()})
		}
	}
	w.seed(21, signal.Item{"seededBy": {}, "globalId": {}}) // to be adopted
	w.seed(22, signal.Item{"seededBy": signal.S("stream")}) // to be changed
	w.seed(23, signal.Item{"seededBy": signal.S("stream")}) // to be deleted
	w.seed(24, nil)                                         // to be taken over
	holdAnswer(t, f.invoke(`{"task": "sync", "all": true}`), `"seeded":1`)
	holdAnswer(t, f.invoke(`{"task": "sync", "collection": "mockPark1"}`), `"seeded":1`)
	// The one that is taken over is adopted, too.
	holdAnswer(t, f.invoke(`{"task": "sync", `+aProduct+`, "apply": true, "takeover": true}`), `"applied":true`, `"failed":0`, `"seeded":1`, `"adopted":2`, `"updated":1`, `"deleted":1`)
	holdMinimal(t, render(t, "runtime", w.table, acctest.Config{"inventory_table_arn": tableARN(platform), "tasks": []any{"sync"}}), r.take())

	// In one table, the same statement is enough.
	shared := render(t, "runtime", w.table, acctest.Config{"tasks": []any{"sync"}})
	for _, s := range shared.Statement {
		if s.Sid == "FindProducts" && len(s.Resource) != 1 {
			t.Errorf("of one table: %v", s.Resource)
		}
	}
}
