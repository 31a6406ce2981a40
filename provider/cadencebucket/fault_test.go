package cadencebucket_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// trouble is a way for a call to fail.
type trouble struct {
	name string
	// of says which operations can fail in this way.
	of     func(operation string) bool
	effect acctest.Effect
	// onwards lets all later calls fail too.
	onwards bool
}

func troubles() []trouble {
	any := func(string) bool { return true }
	writes := func(operation string) bool {
		return !strings.HasPrefix(operation, "Get") && !strings.HasPrefix(operation, "List") && !strings.HasPrefix(operation, "Describe") && operation != "Query"
	}
	puts := func(operation string) bool { return operation == "PutRule" || operation == "PutTargets" }
	entries := func(operation string) bool { return strings.HasSuffix(operation, "Targets") }
	return []trouble{
		{name: "internal error", of: any, effect: acctest.Fail(http.StatusInternalServerError, "InternalServerError", "broken")},
		{name: "access denied", of: writes, effect: acctest.Fail(http.StatusBadRequest, "AccessDeniedException", "not you")},
		{name: "throttled", of: any, effect: acctest.Throttled()},
		{name: "quota used up", of: puts, effect: acctest.Fail(http.StatusBadRequest, "LimitExceededException", "too many")},
		{
			name: "failed entry", of: entries,
			effect: acctest.Reply(`{"FailedEntryCount":1,"FailedEntries":[{"TargetId":"runtime","ErrorCode":"InternalException","ErrorMessage":"broken"}]}`),
		},
		{name: "lost request", of: writes, effect: acctest.LoseRequest()},
		{name: "lost answer", of: any, effect: acctest.LoseAnswer()},
		{name: "outage from here on", of: any, effect: acctest.LoseRequest(), onwards: true},
		{name: "answers lost from here on", of: writes, effect: acctest.LoseAnswer(), onwards: true},
	}
}

// briefly are a trouble of each kind that one call has and the next has not.
func briefly() []trouble {
	return slices.DeleteFunc(troubles(), func(t trouble) bool {
		return t.onwards || t.name == "access denied" || t.name == "lost request"
	})
}

// eachFault runs a test for each call of an operation and each trouble that it can
// have. calls are the operation's calls when all goes well.
func eachFault(t *testing.T, troubles []trouble, calls []string, run func(t *testing.T, fault acctest.Fault)) {
	t.Helper()
	for i, operation := range calls {
		// One query of sixteen is like the next.
		if i > 0 && calls[i-1] == operation {
			continue
		}
		for _, trouble := range troubles {
			if !trouble.of(operation) {
				continue
			}
			t.Run(fmt.Sprintf("%d %s/%s", i+1, operation, trouble.name), func(t *testing.T) {
				run(t, acctest.Fault{Call: i + 1, Onwards: trouble.onwards, Effect: trouble.effect})
			})
		}
	}
}

func otherConfig(w world, name string) acctest.Config {
	return bucketConfig(w, name, acctest.Config{
		"cadence": acctest.Config{"hours": 1}, "enabled": false, "description": "other", "shards": 3,
		"tags": acctest.Config{"b": "2"}, "target": acctest.Config{"arn": functionARN + ":other"},
	})
}

// Whatever call of a create fails: nothing is left behind, or it is in the state;
// and the next apply makes the bucket.
func TestOwn01_bucketCreateFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	newDriver := func(t *testing.T) *acctest.Driver {
		return acctest.NewDriver(t, typeName, proxy.Settings(acctest.Config{"max_retries": 0}))
	}
	proxy.Set()
	clean := newDriver(t)
	holdApplied(t, clean, bucketConfig(w, "clean", nil))
	calls := proxy.Calls()
	holdDestroyed(t, w, clean, "clean")
	if diff := cmp.Diff([]string{"DescribeTable", "DescribeTimeToLive", "PutItem", "DescribeRule", "PutRule", "PutTargets", "GetItem", "UpdateItem"}, calls); diff != "" {
		t.Errorf("calls of a create (-want +got):\n%s", diff)
	}

	eachFault(t, troubles(), calls, func(t *testing.T, fault acctest.Fault) {
		name := acctest.Name("create")
		config := bucketConfig(w, name, nil)
		d := newDriver(t)
		proxy.Set(fault)
		errs := d.Apply(config)
		proxy.Set()
		if len(errs) == 0 {
			t.Error("the apply said nothing of the failure")
		}
		switch {
		case d.State() == nil:
			w.holdNothing(name, w.rule(name))
		case !d.Tainted():
			t.Error("a bucket half made is in the state as if it were whole")
		case !fault.Onwards:
			t.Errorf("the bucket is in the state though it could be taken back: %q", errs)
		}
		holdApplied(t, d, config)
		holdPlan(t, d, config, acctest.NoOp)
		if d.Tainted() {
			t.Error("the bucket is still tainted")
		}
		holdDestroyed(t, w, d, name)
	})
}

// Whatever call of an update fails: the next apply finishes it in place.
func TestOwn01_bucketUpdateFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	d := acctest.NewDriver(t, typeName, proxy.Settings(acctest.Config{"max_retries": 0}))
	before := bucketConfig(w, "5min", acctest.Config{"tags": acctest.Config{"a": "1"}})
	after := otherConfig(w, "5min")
	holdApplied(t, d, before)
	proxy.Set()
	holdApplied(t, d, after)
	calls := proxy.Calls()
	want := []string{
		"GetItem", "DescribeRule", "ListTagsForResource", "ListTargetsByRule",
		"GetItem", "GetItem", "UpdateItem", "DescribeRule", "ListTagsForResource", "UntagResource", "TagResource", "PutRule", "PutTargets",
	}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls of a refresh and an update (-want +got):\n%s", diff)
	}
	arn := d.State()["rule_arn"]
	wholeRule, wholeItem := w.describe(w.rule("5min")), w.registryItem("5min")

	eachFault(t, troubles(), calls, func(t *testing.T, fault acctest.Fault) {
		proxy.Set()
		holdApplied(t, d, before)
		proxy.Set(fault)
		errs := d.Apply(after)
		proxy.Set()
		if len(errs) == 0 {
			t.Error("the apply said nothing of the failure")
		}
		action, _, errs := d.Plan(after)
		// With the last answer lost, all is done.
		if len(errs) > 0 || action != acctest.Update && (fault.Call < len(calls) || action != acctest.NoOp) {
			t.Errorf("the next plan is to %s, %q", action, errs)
		}
		holdApplied(t, d, after)
		holdPlan(t, d, after, acctest.NoOp)
		if d.State()["rule_arn"] != arn {
			t.Errorf("rule_arn changed to %v", d.State()["rule_arn"])
		}
		if diff := cmp.Diff(wholeRule, w.describe(w.rule("5min")), ignoreTargets()); diff != "" {
			t.Errorf("rule (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(wholeItem, w.registryItem("5min")); diff != "" {
			t.Errorf("registry item (-want +got):\n%s", diff)
		}
	})
	holdDestroyed(t, w, d, "5min")
}

// Whatever call of a destroy fails: the bucket stays in the state, and the next
// destroy removes what is left.
func TestOwn01_bucketDestroyFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	d := acctest.NewDriver(t, typeName, proxy.Settings(acctest.Config{"max_retries": 0}))
	config := bucketConfig(w, "5min", nil)
	runItem := map[string]any{"pk": "cadenceBucket::5min", "sk": "run", "runBy": "r-1"}
	holdApplied(t, d, config)
	w.put(runItem)
	proxy.Set()
	holdDestroyed(t, w, d, "5min")
	calls := proxy.Calls()

	eachFault(t, troubles(), calls, func(t *testing.T, fault acctest.Fault) {
		proxy.Set()
		holdApplied(t, d, config)
		w.put(runItem)
		proxy.Set(fault)
		errs := d.Destroy()
		proxy.Set()
		if len(errs) == 0 {
			t.Error("the destroy said nothing of the failure")
		}
		if d.State() == nil {
			t.Error("the bucket is not in the state any more")
		}
		holdDestroyed(t, w, d, "5min")
		if item := w.item("cadenceBucket::5min", "run"); item != nil {
			t.Errorf("the run item is still there: %v", item)
		}
	})
}

// A cancelled apply takes back what it made, whether or not the call under way was
// carried out.
func TestBucket_createCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	for call := 1; call <= 8; call++ {
		for _, applied := range []bool{false, true} {
			t.Run(fmt.Sprintf("call %d, applied %t", call, applied), func(t *testing.T) {
				name := acctest.Name("cancel")
				config := bucketConfig(w, name, nil)
				d := acctest.NewDriver(t, typeName, proxy.Settings(nil))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				faults := []acctest.Fault{{Call: call, Effect: acctest.After(cancel)}}
				if !applied {
					faults = []acctest.Fault{{Call: call, Effect: acctest.Before(cancel)}, {Call: call, Effect: acctest.LoseRequest()}}
				}
				proxy.Set(faults...)
				// The answer may still win the race against the cancellation.
				errs := d.ApplyContext(ctx, config)
				proxy.Set()
				if len(errs) > 0 {
					if d.State() != nil {
						t.Errorf("the bucket is in the state: %q", errs)
					}
					w.holdNothing(name, w.rule(name))
				}
				holdApplied(t, d, config)
				holdPlan(t, d, config, acctest.NoOp)
				holdDestroyed(t, w, d, name)
			})
		}
	}
}

// An update that is cancelled is finished by the next apply, in place; a destroy
// that is, by the next destroy.
func TestBucket_changeCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	d := acctest.NewDriver(t, typeName, proxy.Settings(nil))
	before := bucketConfig(w, "5min", acctest.Config{"tags": acctest.Config{"a": "1"}})
	after := otherConfig(w, "5min")
	// cancelled does the operation once for each of its calls, which is cancelled.
	cancelled := func(t *testing.T, given func(), operation func(context.Context) []string, then func(t *testing.T, errs []string)) {
		given()
		proxy.Set()
		if errs := operation(t.Context()); len(errs) > 0 {
			t.Fatal(errs)
		}
		calls := proxy.Calls()
		for i, call := range calls {
			for name, effect := range map[string]func(context.CancelFunc) acctest.Effect{"unsent": acctest.Cancel, "applied": acctest.CancelApplied} {
				t.Run(fmt.Sprintf("%d %s, %s", i+1, call, name), func(t *testing.T) {
					proxy.Set()
					given()
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					proxy.Set(acctest.Fault{Call: i + 1, Effect: effect(cancel)})
					errs := operation(ctx)
					proxy.Set()
					then(t, errs)
				})
			}
		}
	}
	holdApplied(t, d, before)
	arn := d.State()["rule_arn"]
	t.Run("update", func(t *testing.T) {
		cancelled(t, func() { holdApplied(t, d, before) },
			func(ctx context.Context) []string { return d.ApplyContext(ctx, after) },
			func(t *testing.T, _ []string) {
				if action, _, errs := d.Plan(after); len(errs) > 0 || action != acctest.Update && action != acctest.NoOp {
					t.Errorf("the next plan is to %s, %q", action, errs)
				}
				holdApplied(t, d, after)
				holdPlan(t, d, after, acctest.NoOp)
				if d.State()["rule_arn"] != arn {
					t.Errorf("rule_arn changed to %v", d.State()["rule_arn"])
				}
			})
	})
	t.Run("destroy", func(t *testing.T) {
		cancelled(t, func() { holdApplied(t, d, before) }, d.DestroyContext,
			func(t *testing.T, errs []string) {
				if len(errs) > 0 && d.State() == nil {
					t.Errorf("the bucket is not in the state any more: %q", errs)
				}
				holdDestroyed(t, w, d, "5min")
			})
	})
}

// What the SDK's retries get over, nobody hears of.
func TestBucket_retries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	for name, effect := range map[string]acctest.Effect{
		"throttled":       acctest.Throttled(),
		"busy":            acctest.Fail(http.StatusBadRequest, "ConcurrentModificationException", "busy"),
		"lost answer":     acctest.LoseAnswer(),
		"service failure": acctest.Fail(http.StatusServiceUnavailable, "ServiceUnavailable", "later"),
	} {
		t.Run(name, func(t *testing.T) {
			bucket := acctest.Name("retry")
			d := acctest.NewDriver(t, typeName, proxy.Settings(nil))
			firstOf := func(operations ...string) {
				var faults []acctest.Fault
				for _, operation := range operations {
					faults = append(faults, acctest.Fault{Operation: operation, Call: 1, Effect: effect})
				}
				proxy.Set(faults...)
			}
			firstOf("PutItem", "PutTargets")
			holdApplied(t, d, bucketConfig(w, bucket, nil))
			firstOf("UpdateItem", "PutRule")
			holdApplied(t, d, otherConfig(w, bucket))
			firstOf("DeleteItem", "DeleteRule", "RemoveTargets")
			holdDestroyed(t, w, d, bucket)
		})
	}
}

// An answer that is lost, and a repeat that is then refused: what the first sending
// did is taken back all the same.
func TestBucket_lostAnswerThenRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	for operation, code := range map[string]string{"PutItem": "ThrottlingException", "PutRule": "LimitExceededException", "PutTargets": "LimitExceededException"} {
		t.Run(operation, func(t *testing.T) {
			bucket := acctest.Name("lost")
			d := acctest.NewDriver(t, typeName, proxy.Settings(acctest.Config{"max_retries": 1}))
			proxy.Set(
				acctest.Fault{Operation: operation, Call: 1, Effect: acctest.LoseAnswer()},
				acctest.Fault{Operation: operation, Call: 2, Effect: acctest.Fail(http.StatusBadRequest, code, "not now")},
			)
			errs := d.Apply(bucketConfig(w, bucket, nil))
			proxy.Set()
			if len(errs) != 1 || d.State() != nil {
				t.Errorf("errors %q, state %v", errs, d.State())
			}
			w.holdNothing(bucket, w.rule(bucket))
		})
	}
}

// A quota is no reason to wait: it is said at once, by its name.
func TestSeen10_quotaIsTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	for operation, quota := range map[string]string{
		"PutRule":    "rules per event bus (300 unless raised)",
		"PutTargets": "targets per rule (5 unless raised)",
	} {
		t.Run(operation, func(t *testing.T) {
			bucket := acctest.Name("quota")
			d := acctest.NewDriver(t, typeName, proxy.Settings(nil))
			proxy.Set(acctest.Fault{Operation: operation, Effect: acctest.Fail(http.StatusBadRequest, "LimitExceededException", "The requested resource exceeds the maximum number allowed.")})
			began := time.Now()
			errs := d.Apply(bucketConfig(w, bucket, nil))
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
			want := []string{"Unable to create cadence bucket \"" + bucket + "\": The account's EventBridge quota is used up: " + quota + ".\n\n" +
				"Nothing was left behind, and the bucket is not in the state.\n\n" +
				"Remove what is not needed, or have the quota raised, then run terraform apply again.\n\n" +
				"EventBridge answered " + operation + " with LimitExceededException: The requested resource exceeds the maximum number allowed. (request id injected)"}
			if diff := cmp.Diff(want, errs); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
			if n := strings.Count(strings.Join(proxy.Calls(), " "), operation); n != 1 {
				t.Errorf("%s was called %d times", operation, n)
			}
			proxy.Set()
			w.holdNothing(bucket, w.rule(bucket))
		})
	}
}

func holdDestroyed(t *testing.T, w world, d *acctest.Driver, bucket string) {
	t.Helper()
	if errs := d.Destroy(); len(errs) > 0 {
		t.Errorf("destroy: %q", errs)
	}
	if d.State() != nil {
		t.Error("it is still in the state")
	}
	w.holdNothing(bucket, w.rule(bucket))
}
