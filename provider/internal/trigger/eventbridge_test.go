package trigger_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/trigger"
)

const owner = "table/5min"

func spec() trigger.Spec {
	return trigger.Spec{
		Name: "rule", Owner: owner, Schedule: "rate(5 minutes)", Enabled: true, Tags: map[string]string{"team": "x"},
		Target: trigger.Target{ARN: "arn:function", MaximumEventAge: 300, MaximumRetryAttempts: 0, Input: `{"a":1}`},
	}
}

func target(id string) types.Target { return types.Target{Id: &id, Arn: aws.String("arn:" + id)} }

func TestEventBridge_putThenGet(t *testing.T) {
	t.Parallel()
	api := &fake{}
	rules := trigger.NewEventBridge(api)
	outcome, err := rules.Put(t.Context(), spec())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(trigger.Outcome{ARN: "arn:rule", Made: true}, outcome); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	// Another's target that comes before it, on another page.
	api.targets = append([]types.Target{target("a"), target("b"), target("c")}, api.targets...)
	got, err := rules.Get(t.Context(), "rule", owner)
	if err != nil {
		t.Fatal(err)
	}
	want := spec()
	found := trigger.Found{ARN: "arn:rule", Schedule: want.Schedule, Enabled: true, Tags: want.Tags, Marked: true, Target: &want.Target}
	if diff := cmp.Diff(found, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}

	if _, err := rules.Get(t.Context(), "rule", "table/15min"); !errors.Is(err, trigger.ErrForeign) {
		t.Errorf("another's rule is read: %v", err)
	}
}

func TestEventBridge_putChangesItsOwn(t *testing.T) {
	t.Parallel()
	api := ours(owner)
	api.tags["surplus"], api.tags["aws:system"], api.tags["team"] = "x", "kept", "old"
	outcome, err := trigger.NewEventBridge(api).Put(t.Context(), spec())
	if err != nil || outcome.Made {
		t.Fatalf("outcome %+v, %v", outcome, err)
	}
	want := map[string]string{"availability:bucket": owner, "availability:managed-by": "terraform", "aws:system": "kept", "team": "x"}
	if diff := cmp.Diff(want, api.tags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if len(api.targets) != 1 || *api.rule.ScheduleExpression != "rate(5 minutes)" {
		t.Errorf("targets %v, rule %v", api.targets, api.rule)
	}
}

func TestEventBridge_putLeavesForeignAlone(t *testing.T) {
	t.Parallel()
	managed := ours(owner)
	managed.rule.ManagedBy = aws.String("pipes.amazonaws.com")
	for name, api := range map[string]*fake{"other owner": ours("table/15min"), "managed by a service": managed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, err := range []error{
				second(trigger.NewEventBridge(api).Put(t.Context(), spec())),
				trigger.NewEventBridge(api).Delete(t.Context(), "rule", owner, true),
			} {
				if !errors.Is(err, trigger.ErrForeign) {
					t.Errorf("error is %v", err)
				}
			}
			for _, call := range api.calls {
				if call != "DescribeRule" && call != "ListTagsForResource" {
					t.Errorf("%s was called", call)
				}
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

func TestEventBridge_delete(t *testing.T) {
	t.Parallel()
	shared := func() *fake {
		api := ours(owner)
		api.targets = append(api.targets, target("a"), target("b"), target("c"))
		return api
	}
	late := ours(owner)
	late.late = 2
	tests := map[string]struct {
		api   *fake
		force bool
		gone  bool
		want  string
	}{
		"own target alone":       {ours(owner), false, true, ""},
		"gone already":           {&fake{}, false, true, ""},
		"others' targets":        {shared(), false, false, `rule "rule" has other targets: a (arn:a), b (arn:b), c (arn:c)`},
		"others' targets, force": {shared(), true, true, ""},
		"targets seen for a while after their removal": {late, false, true, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := trigger.NewEventBridge(tt.api).Delete(t.Context(), "rule", owner, tt.force)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if message != tt.want || (tt.api.rule == nil) != tt.gone {
				t.Errorf("error %q, want %q; rule gone: %t, want %t", message, tt.want, tt.api.rule == nil, tt.gone)
			}
			if tt.want != "" && (len(tt.api.targets) != 4 || slices.Contains(tt.api.calls, "RemoveTargets")) {
				t.Errorf("a target was removed: %d are left", len(tt.api.targets))
			}
		})
	}
}

func TestEventBridge_errors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		operation string
		err       error
		want      error
		made      bool
	}{
		"quota":                 {"PutRule", apiError("LimitExceededException", "too many"), trigger.ErrLimit, true},
		"denied":                {"PutRule", apiError("AccessDeniedException", "no"), trigger.ErrAccessDenied, true},
		"throttled":             {"PutRule", apiError("ThrottlingException", "slow"), trigger.ErrThrottled, true},
		"busy":                  {"PutRule", apiError("ConcurrentModificationException", "busy"), trigger.ErrThrottled, true},
		"rejected":              {"PutRule", apiError("ValidationException", "bad"), trigger.ErrRejected, true},
		"internal":              {"PutRule", apiError("InternalException", "broken"), trigger.ErrUnknown, true},
		"no answer":             {"PutRule", errors.New("connection reset"), trigger.ErrUnknown, true},
		"target rejected":       {"PutTargets", apiError("ValidationException", "bad"), trigger.ErrRejected, true},
		"rule gone in between":  {"PutTargets", apiError("ResourceNotFoundException", "gone"), trigger.ErrNotFound, true},
		"quota of targets":      {"PutTargets", apiError("LimitExceededException", "too many"), trigger.ErrLimit, true},
		"reading not permitted": {"DescribeRule", apiError("AccessDeniedException", "no"), trigger.ErrAccessDenied, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := &fake{refuse: func(operation string) error {
				if operation == tt.operation {
					return tt.err
				}
				return nil
			}}
			outcome, err := trigger.NewEventBridge(api).Put(t.Context(), spec())
			if !errors.Is(err, tt.want) || !errors.Is(err, tt.err) || outcome.Made != tt.made {
				t.Errorf("outcome %+v, error %v; want %v and made %t", outcome, err, tt.want, tt.made)
			}
		})
	}
}

// An answer of 200 may say that nothing was done.
func TestEventBridge_failedEntry(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]error{
		"LimitExceededException": trigger.ErrLimit, "ConcurrentModificationException": trigger.ErrThrottled, "": trigger.ErrRejected,
	} {
		api := ours(owner)
		api.entry = &types.PutTargetsResultEntry{TargetId: aws.String("runtime"), ErrorCode: &code, ErrorMessage: aws.String("why")}
		_, err := trigger.NewEventBridge(api).Put(t.Context(), spec())
		failed, ok := errors.AsType[*trigger.EntryError](err)
		if !errors.Is(err, want) || !ok || failed.ServiceRequestID() != "r-1" || !strings.Contains(err.Error(), "why") {
			t.Errorf("put: %v", err)
		}
		if err := trigger.NewEventBridge(api).Delete(t.Context(), "rule", owner, false); !errors.Is(err, trigger.ErrRejected) || api.rule == nil {
			t.Errorf("delete: %v", err)
		}
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 65)
	tests := []struct {
		text string
		most int
		want string
	}{
		{"short", 64, "short"},
		{long[:64], 64, long[:64]},
		// The SHA-256 of 65 times x begins with these digits, as sha256sum has it.
		{long, 64, long[:56] + "9537c5fd"},
	}
	for _, tt := range tests {
		if got := trigger.Shorten(tt.text, tt.most); got != tt.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

func TestSameInput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":2}`, ` {"b": 2, "a": 1} `, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`{"a":1}`, ``, false},
		{`not json`, `not json`, true},
		{`not json`, `{}`, false},
	}
	for _, tt := range tests {
		if got := trigger.SameInput(tt.a, tt.b); got != tt.want {
			t.Errorf("SameInput(%q, %q) = %t", tt.a, tt.b, got)
		}
	}
}
