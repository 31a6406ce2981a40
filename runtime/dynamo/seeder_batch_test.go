package dynamo_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
)

// The pauses between repeats double, from 50 ms to five seconds, and begin anew when
// an entry gets through; so does their number.
func TestRange_pausesBetweenRepeats(t *testing.T) {
	t.Parallel()
	row := func(n int) (pauses []time.Duration) {
		for i := range n {
			pauses = append(pauses, min(50*time.Millisecond<<i, 5*time.Second))
		}
		return pauses
	}
	for name, tt := range map[string]struct {
		// throttled is how often the entry of a date is.
		throttled map[string]int
		pauses    []time.Duration
		fails     bool
	}{
		"one after the other": {map[string]int{"2026-07-01": 10, "2026-07-02": 20}, append(row(10), row(10)...), false},
		"all, twelve times":   {map[string]int{"2026-07-01": 12, "2026-07-02": 12, "2026-07-03": 12}, row(12), false},
		"all, for ever":       {map[string]int{"2026-07-01": 99, "2026-07-02": 99, "2026-07-03": 99}, row(12), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			errorsIn(e.faulty, func(date string) *types.BatchStatementError {
				if tt.throttled[date]--; tt.throttled[date] >= 0 {
					return failure(types.BatchStatementErrorCodeEnumThrottlingError)
				}
				return nil
			})
			var pauses []time.Duration
			seeder := dynamo.NewSeeder(e, e.table, clock, zeros{}).Pausing(func(d time.Duration) { pauses = append(pauses, d) })
			_, why, err := seeder.CreateRange(t.Context(), days(3))
			if failed := errors.Join(why, err); errors.Is(failed, dynamo.ErrThrottled) != tt.fails || !tt.fails && failed != nil {
				t.Errorf("create: %v, %v", why, err)
			}
			// A random part of the second half is left off: here, all of it.
			if !slices.EqualFunc(pauses, tt.pauses, func(got, most time.Duration) bool { return got == most/2 }) {
				t.Errorf("pauses %v, want half of %v", pauses, tt.pauses)
			}
		})
	}
}

// batching is a DynamoDB whose batches somebody else answers.
type batching struct {
	dynamo.SeederAPI
	batch func(context.Context, *dynamodb.BatchExecuteStatementInput, ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error)
}

func (b batching) BatchExecuteStatement(ctx context.Context, in *dynamodb.BatchExecuteStatementInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error) {
	return b.batch(ctx, in, opts...)
}

// A batch that the SDK sent again after an attempt without an answer may have been
// written, whatever the last attempt says; then there is a range to go on with.
func TestRange_earlierAttemptsMayHaveBeenApplied(t *testing.T) {
	t.Parallel()
	for first, unknown := range map[string]bool{"InternalServerError": true, "ThrottlingException": false} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			calls := 0
			api := client(2, answering(func() (int, string) {
				if calls++; calls > 1 {
					return 400, `{"__type":"com.amazonaws.dynamodb.v20120810#ExpiredTokenException"}`
				}
				return map[bool]int{true: 500, false: 400}[unknown], `{"__type":"com.amazonaws.dynamodb.v20120810#` + first + `"}`
			}))
			e.set(fault{"Query", 2, fail(errLost)})
			state, why, err := dynamo.NewSeeder(batching{e, api.BatchExecuteStatement}, e.table, clock, zeros{}).CreateRange(t.Context(), days(1))
			if calls != 2 || !errors.Is(errors.Join(why, err), dynamo.ErrAccessDenied) || (state.ID != "") != unknown || (err == nil) != unknown {
				t.Errorf("after %d attempts: %+v, %v, %v", calls, state, why, err)
			}
		})
	}
}

// An answer that leaves entries out tells nothing of any.
func TestRange_answerThatLeavesOut(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	short := func(context.Context, *dynamodb.BatchExecuteStatementInput, ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error) {
		return &dynamodb.BatchExecuteStatementOutput{Responses: make([]types.BatchStatementResponse, 2)}, nil
	}
	if _, _, err := dynamo.NewSeeder(batching{e, short}, e.table, clock, zeros{}).CreateRange(t.Context(), days(3)); !errors.Is(err, dynamo.ErrUnknown) {
		t.Errorf("create: %v", err)
	}
}

// However a batch ends, what became of each of its entries is told once; and of one that
// may have been written in between, never that it was not.
func TestSeeder_tellsOfEachEntryOnce(t *testing.T) {
	t.Parallel()
	type codes []types.BatchStatementErrorCodeEnum
	const (
		written   = types.BatchStatementErrorCodeEnum("")
		throttled = types.BatchStatementErrorCodeEnumThrottlingError
		none      = types.BatchStatementErrorCodeEnumInternalServerError
		rejected  = types.BatchStatementErrorCodeEnumValidationError
	)
	givenUp := errors.New("given up")
	for name, tt := range map[string]struct {
		// answers are those to each entry, the last of them again and again. The second
		// is refused: it stands there already.
		answers [4]codes
		// patience is for how many pauses; 0 is without an end.
		patience int
		fault    fault
		want     [4]error
		fails    error
		// names is what the error names.
		names string
	}{
		"written or refused": {
			answers: [4]codes{2: {throttled, written}},
			want:    [4]error{1: dynamo.ErrRefused},
		},
		"given up between the repeats": {
			answers:  [4]codes{{throttled, written}, 2: {throttled}, 3: {throttled}},
			patience: 2,
			want:     [4]error{1: dynamo.ErrRefused, 2: givenUp, 3: givenUp},
			fails:    givenUp,
		},
		"too many repeats": {
			answers: [4]codes{{throttled, written}, 2: {throttled}},
			want:    [4]error{1: dynamo.ErrRefused, 2: dynamo.ErrThrottled},
			fails:   dynamo.ErrThrottled,
		},
		"one is rejected": {
			answers: [4]codes{2: {throttled}, 3: {rejected}},
			want:    [4]error{1: dynamo.ErrRefused, 2: dynamo.ErrRejected, 3: dynamo.ErrRejected},
			fails:   dynamo.ErrRejected,
			names:   `seed "availabilitySignal::mockPark1::backcountryCamp::1::1 2026-07-04" in table `,
		},
		"a repeat without an answer": {
			answers: [4]codes{2: {throttled}},
			fault:   fault{"BatchExecuteStatement", 2, fail(errLost)},
			want:    [4]error{1: dynamo.ErrRefused, 2: dynamo.ErrUnknown},
			fails:   dynamo.ErrUnknown,
			names:   `seed "availabilitySignal::mockPark1::backcountryCamp::1::1 2026-07-03", one of 1 in table `,
		},
		"rejected after no answer": {
			answers: [4]codes{2: {throttled, none, throttled, rejected}},
			want:    [4]error{1: dynamo.ErrRefused, 2: dynamo.ErrRejected},
			fails:   dynamo.ErrRejected,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.stand(t, july.AddDays(1), "")
			var writes []protocol.Write
			for i := range tt.answers {
				writes = append(writes, protocol.Seed(seeding(july.AddDays(i)), now))
			}
			mayBe := map[int]bool{}
			errorsIn(e.faulty, func(date string) *types.BatchStatementError {
				i := int(date[9] - '1')
				if len(tt.answers[i]) == 0 || tt.answers[i][0] == written {
					return nil
				}
				answer := failure(tt.answers[i][0])
				mayBe[i] = mayBe[i] || answer.Code == none
				if len(tt.answers[i]) > 1 {
					tt.answers[i] = tt.answers[i][1:]
				}
				return answer
			})
			e.set(tt.fault)
			pauses := 0
			seeder := e.seeder().WithSleep(func(context.Context, time.Duration) error {
				if pauses++; pauses == tt.patience {
					return givenUp
				}
				return nil
			})
			told := map[int]error{}
			err := seeder.SendAll(t.Context(), writes, func(i int, err error) {
				if _, twice := told[i]; twice {
					t.Errorf("entry %d is told of twice", i)
				}
				told[i] = err
			})
			if !errors.Is(err, tt.fails) || tt.names != "" && !strings.HasPrefix(err.Error(), tt.names) {
				t.Errorf("%v, want %v of %q", err, tt.fails, tt.names)
			}
			for i, want := range tt.want {
				if got, ok := told[i]; !ok || !errors.Is(got, want) || mayBe[i] && dynamo.NothingWritten(got) {
					t.Errorf("entry %d: told %t, %v; want %v", i, ok, got, want)
				}
			}
		})
	}
}

// After a failure that repeating does not cure, nothing more is begun; nor is
// anything for one who has given up.
func TestRange_beginsNoMoreAfterAFailure(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	e.set(fault{"BatchExecuteStatement", 0, fail(code("AccessDeniedException", ""))})
	if _, _, err := e.seeder().CreateRange(t.Context(), days(1000)); !errors.Is(err, dynamo.ErrAccessDenied) || e.called("BatchExecuteStatement") > 4 {
		t.Errorf("create: %v after %d batches", err, e.called("BatchExecuteStatement"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	e.set()
	e.answer = func(*dynamodb.QueryInput, *dynamodb.QueryOutput) { cancel() }
	if _, _, err := e.seeder().CreateRange(ctx, days(1000)); err == nil || e.called("BatchExecuteStatement") != 0 {
		t.Errorf("create of one who has given up: %v after %d batches", err, e.called("BatchExecuteStatement"))
	}
}
