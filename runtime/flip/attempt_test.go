package flip_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestFlip_writesOnlyWhatIsNotKnown(t *testing.T) {
	seeded := dirty(key(1))
	delete(seeded, signal.AttrClaimedRev)
	foreign := clean(key(1))
	delete(foreign, signal.AttrRev)
	delete(foreign, signal.AttrClaimedRev)
	tests := map[string]struct {
		items  []signal.Item
		writes int
	}{
		"clean":                        {[]signal.Item{clean(key(1))}, 1},
		"dirty since the last claim":   {[]signal.Item{dirty(key(1))}, 0},
		"dirty and never claimed":      {[]signal.Item{seeded}, 0},
		"dirty and being checked":      {[]signal.Item{claimed(key(1))}, 1},
		"seeded elsewhere without rev": {[]signal.Item{foreign}, 1},
		"gone":                         {nil, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tbl := newTable(tt.items...)
			if err := flip.New(tbl, "t").Flip(t.Context(), key(1)); err != nil {
				t.Fatal(err)
			}
			if reads, writes := tbl.calls(); reads != 1 || writes != tt.writes {
				t.Errorf("%d reads and %d writes, want 1 and %d", reads, writes, tt.writes)
			}
			if len(tt.items) > 0 && tbl.item(key(1)).Text(signal.AttrGSISK) != signal.Dirty {
				t.Error("the signal is not dirty")
			}
		})
	}
}

func TestFlip_stampsDirtySinceByItsClock(t *testing.T) {
	at := time.Date(2027, 7, 1, 14, 0, 0, 0, time.UTC)
	c := flip.New(newTable(), "t", flip.WithClock(func() time.Time { return at }))
	want := map[string]types.AttributeValue{
		":v0": &types.AttributeValueMemberS{Value: "dirty"},
		":v1": &types.AttributeValueMemberS{Value: "2027-07-01T14:00:00.000Z"},
		":v2": &types.AttributeValueMemberN{Value: "1"},
	}
	got := c.TransactItem(key(1)).Update.ExpressionAttributeValues
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(types.AttributeValueMemberS{}, types.AttributeValueMemberN{})); diff != "" {
		t.Error(diff)
	}
}

func TestBlind_isOneWrite(t *testing.T) {
	for name, item := range map[string]signal.Item{"clean": clean(key(1)), "dirty": dirty(key(1))} {
		t.Run(name, func(t *testing.T) {
			tbl := newTable(item)
			if err := flip.New(tbl, "t").Blind(t.Context(), key(1)); err != nil {
				t.Fatal(err)
			}
			if reads, writes := tbl.calls(); reads != 0 || writes != 1 {
				t.Errorf("%d reads and %d writes, want 0 and 1", reads, writes)
			}
			if before, now := item.Int(signal.AttrRev), tbl.item(key(1)).Int(signal.AttrRev); now != before+1 {
				t.Errorf("rev went from %d to %d", before, now)
			}
		})
	}
	t.Run("gone", func(t *testing.T) {
		tbl := newTable()
		if err := flip.New(tbl, "t").Blind(t.Context(), key(1)); err != nil {
			t.Error(err)
		}
		if tbl.item(key(1)) != nil {
			t.Error("the flip brought a signal into being")
		}
	})
}

var passing = map[string]error{
	"conflict":   &types.TransactionConflictException{Message: aws.String("conflict")},
	"throttling": &types.ProvisionedThroughputExceededException{Message: aws.String("slow down")},
	"outage":     &types.InternalServerError{Message: aws.String("oops")},
	"no answer":  errors.New("connection reset"),
}

// A conflict with a transaction is never a failed flip, and neither is anything
// else that passes in time.
func TestFlip_outlastsWhatPasses(t *testing.T) {
	for name, fault := range passing {
		for mode, do := range map[string]func(*flip.Client, context.Context) error{
			"flip":  func(c *flip.Client, ctx context.Context) error { return c.Flip(ctx, key(1)) },
			"blind": func(c *flip.Client, ctx context.Context) error { return c.Blind(ctx, key(1)) },
		} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					tbl := newTable(clean(key(1)))
					tbl.before = func(call string, n int) error {
						if call == "write" && n <= 12 {
							return fault
						}
						return nil
					}
					if err := do(flip.New(tbl, "t"), t.Context()); err != nil {
						t.Fatal(err)
					}
					if got := tbl.item(key(1)).Text(signal.AttrGSISK); got != signal.Dirty {
						t.Errorf("the signal is %q", got)
					}
				})
			})
		}
	}
}

func TestFlip_endsAtItsLimit(t *testing.T) {
	classes := map[string]error{
		"conflict": dynamo.ErrConflict, "throttling": dynamo.ErrThrottled, "outage": dynamo.ErrUnknown, "no answer": dynamo.ErrUnknown,
	}
	for name, fault := range passing {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tbl := newTable(clean(key(1)))
				tbl.before = func(string, int) error { return fault }
				began := time.Now()
				err := flip.New(tbl, "t", flip.WithLimit(time.Minute), flip.WithJitter(func() float64 { return 0.5 })).Flip(t.Context(), key(1))
				if !errors.Is(err, classes[name]) {
					t.Errorf("error %v, want %v", err, classes[name])
				}
				if took := time.Since(began); took != time.Minute {
					t.Errorf("took %v, want a minute", took)
				}
				// Half of pauses that grow to a second, for a minute.
				if _, writes := tbl.calls(); writes < 100 || writes > 130 {
					t.Errorf("%d attempts", writes)
				}
			})
		})
	}
}

func TestFlip_doesNotRepeatWhatCannotPass(t *testing.T) {
	tests := map[string]struct {
		fault error
		want  error
	}{
		"no table":   {&types.ResourceNotFoundException{Message: aws.String("not found")}, dynamo.ErrTableNotFound},
		"no access":  {&smithy.GenericAPIError{Code: "AccessDeniedException", Message: "no"}, dynamo.ErrAccessDenied},
		"not a call": {&smithy.GenericAPIError{Code: "ValidationException", Message: "no"}, dynamo.ErrRejected},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tbl := newTable(clean(key(1)))
			tbl.before = func(string, int) error { return tt.fault }
			c := flip.New(tbl, "bookings")
			if err := c.Flip(t.Context(), key(1)); !errors.Is(err, tt.want) || !errors.Is(err, tt.fault) {
				t.Errorf("flip: %v", err)
			}
			if err := c.Blind(t.Context(), key(1)); !errors.Is(err, tt.want) {
				t.Errorf("blind: %v", err)
			}
			if reads, writes := tbl.calls(); reads != 1 || writes != 2 {
				t.Errorf("%d reads and %d writes, want 1 and 2", reads, writes)
			}
		})
	}
	t.Run("message", func(t *testing.T) {
		tbl := newTable()
		tbl.before = func(string, int) error { return &types.ResourceNotFoundException{Message: aws.String("not found")} }
		err := flip.New(tbl, "bookings").Flip(t.Context(), key(1))
		want := `flip "availabilitySignal::park::dayuse::1::1 2027-07-01" in table "bookings": table not found: ResourceNotFoundException: not found`
		if err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	})
}

// Guards that a failed read is not taken for a signal that is gone.
func TestFlip_writesWhenTheReadFails(t *testing.T) {
	tbl := newTable(clean(key(1)))
	tbl.before = func(call string, _ int) error {
		if call == "read" {
			return &smithy.GenericAPIError{Code: "AccessDeniedException", Message: "may only write"}
		}
		return nil
	}
	if err := flip.New(tbl, "t").Flip(t.Context(), key(1)); err != nil {
		t.Fatal(err)
	}
	if got := tbl.item(key(1)).Text(signal.AttrGSISK); got != signal.Dirty {
		t.Errorf("the signal is %q", got)
	}
}

func TestFlip_survivesALostAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tbl := newTable(clean(key(1)))
		tbl.after = func(call string, n int) error {
			if n == 1 {
				return errors.New(call + ": connection reset after the request was sent")
			}
			return nil
		}
		if err := flip.New(tbl, "t").Flip(t.Context(), key(1)); err != nil {
			t.Fatal(err)
		}
		if i := tbl.item(key(1)); i.Text(signal.AttrGSISK) != signal.Dirty || i.Int(signal.AttrRev) != 9 {
			t.Errorf("the signal is %s with rev %d, want dirty with 9: applied twice", i.Text(signal.AttrGSISK), i.Int(signal.AttrRev))
		}
	})
}

// Guards that a connection that has died, and never answers, is not waited for
// until the limit.
func TestFlip_survivesADeadConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tbl := newTable(clean(key(1)))
		api := deadAt{table: tbl, calls: map[string]int{"read": 1, "write": 1}}
		if err := flip.New(api, "t").Flip(t.Context(), key(1)); err != nil {
			t.Fatal(err)
		}
		if got := tbl.item(key(1)).Text(signal.AttrGSISK); got != signal.Dirty {
			t.Errorf("the signal is %q", got)
		}
	})
}

// deadAt is a table that does not answer so many calls.
type deadAt struct {
	*table
	calls map[string]int
}

func (d deadAt) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if d.calls["read"]--; d.calls["read"] >= 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return d.table.GetItem(ctx, in, opts...)
}

func (d deadAt) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if d.calls["write"]--; d.calls["write"] >= 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return d.table.UpdateItem(ctx, in, opts...)
}

func TestBlind_endsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tbl := newTable(clean(key(1)))
		tbl.before = func(string, int) error { return &types.TransactionConflictException{} }
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		if err := flip.New(tbl, "t").Blind(ctx, key(1)); !errors.Is(err, dynamo.ErrConflict) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("took %v, want 3 s", took)
		}
	})
}
