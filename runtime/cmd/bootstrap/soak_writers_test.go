package main_test

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// soakWriters are an application that books and flips, in all the ways there are, over
// a network of its own.
type soakWriters struct {
	*soak
	db    *dynamodb.Client
	flips *flip.Client

	mu     sync.Mutex
	random *mathrand.Rand
	// last are dates that are still to be booked in the midst of a check.
	last map[signal.ProductDate]bool

	raced atomic.Int64

	committed, coalesced, blind, inside, forgotten, repeated atomic.Int64
}

func (w *soakWriters) String() string {
	return fmt.Sprintf("%d committed; flips: %d coalesced, %d blind, %d in the transaction and after it; %d forgotten, %d made again after an error; %d in the midst of a check",
		w.committed.Load(), w.coalesced.Load(), w.blind.Load(), w.inside.Load(), w.forgotten.Load(), w.repeated.Load(), w.raced.Load())
}

func newSoakWriters(s *soak) *soakWriters {
	w := &soakWriters{soak: s, random: mathrand.New(mathrand.NewPCG(19, 0)), last: map[signal.ProductDate]bool{}}
	var mu sync.Mutex
	fates := mathrand.New(mathrand.NewPCG(17, 0))
	_, endpoint := newNetwork(w.t, func(string, int) fate {
		mu.Lock()
		defer mu.Unlock()
		switch of := fates.Float64(); {
		case of < 0.01:
			return throttled
		case of < 0.02:
			return answerLost
		}
		return delivered
	})
	env := lambdaEnv(nil)
	w.db = dynamodb.New(dynamodb.Options{
		Region: env["AWS_REGION"], BaseEndpoint: &endpoint,
		Credentials: credentials.NewStaticCredentialsProvider(env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"], ""),
	})
	w.flips = flip.New(w.db, w.store.Table())
	return w
}

// book books until the load is over.
func (w *soakWriters) book(random *mathrand.Rand) {
	for !w.over() {
		d := w.dates[random.IntN(len(w.dates))]
		if quiet(d) {
			continue
		}
		change := int64(-1)
		if !onlySold(d) && random.IntN(2) == 0 {
			change = 1
		}
		w.take(d, change, random.IntN(4), random.Float64())
		time.Sleep(time.Duration(10+random.IntN(40)) * time.Millisecond)
	}
}

// race books a date whose pools a check has just read: some of those, and in the end
// each date once.
func (w *soakWriters) race(request string) {
	for _, d := range w.dates {
		if !strings.Contains(request, `"`+d.PoolPK()+`"`) {
			continue
		}
		w.mu.Lock()
		now := w.last[d] || w.random.IntN(20) == 0 && !w.over() && !quiet(d)
		delete(w.last, d)
		w.mu.Unlock()
		if now {
			w.raced.Add(1)
			w.take(d, -1, 1, 1)
		}
		return
	}
}

// lastCall flips every date that no audit looks at, and has it booked in the midst of
// the check that follows.
func (w *soakWriters) lastCall() {
	for _, d := range w.dates {
		if audited(d.Product) {
			continue
		}
		w.mu.Lock()
		w.last[d] = true
		w.mu.Unlock()
		if err := w.flips.Flip(w.t.Context(), d.Key()); err != nil {
			w.t.Errorf("flip %s: %v", d, err)
		}
	}
}

// forget books the quiet dates that show a value by now, and flips none.
func (w *soakWriters) forget() {
	for _, d := range w.dates {
		if !quiet(d) {
			continue
		}
		item, err := w.store.Get(w.t.Context(), d.Key())
		if err != nil {
			w.t.Error(err)
			return
		}
		// Ten, so that a tier changes, too.
		if isClean(item) && w.commit(w.t.Context(), d, -10, nil) {
			w.forgotten.Add(1)
		}
	}
}

// take commits a booking, and flips by one of the ways.
func (w *soakWriters) take(d signal.ProductDate, change int64, way int, of float64) {
	// Flips that are due are made, whatever ends.
	ctx := context.Background()
	var flips []types.TransactWriteItem
	if way == 3 {
		flips = []types.TransactWriteItem{w.flips.TransactItem(d.Key())}
	}
	if !w.commit(ctx, d, change, flips) {
		return
	}
	w.committed.Add(1)
	var err error
	switch {
	case way == 3:
		w.inside.Add(1)
		err = w.flips.Flip(ctx, d.Key())
	case of < 0.06 && w.passed() < 0.4 && audited(d.Product):
		w.forgotten.Add(1)
	case way == 0:
		w.blind.Add(1)
		err = w.flips.Blind(ctx, d.Key())
	default:
		w.coalesced.Add(1)
		err = w.flips.Flip(ctx, d.Key())
	}
	for err != nil {
		w.repeated.Add(1)
		err = w.flips.Flip(ctx, d.Key())
	}
}

// commit changes a pool until it is known whether it was changed, and returns whether
// it was.
func (w *soakWriters) commit(ctx context.Context, d signal.ProductDate, change int64, flips []types.TransactWriteItem) bool {
	token := rand.Text()
	for {
		_, err := w.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
			ClientRequestToken: &token, TransactItems: append([]types.TransactWriteItem{w.booking(d, change)}, flips...),
		})
		if err == nil {
			return true
		}
		at := make([]int, len(flips))
		for i := range at {
			at[i] = 1 + i
		}
		switch flip.Advise(err, at...) {
		case flip.GiveUp:
			// None is left.
			return false
		case flip.WithoutFlips:
			token, flips = rand.Text(), nil
		case flip.Repeat:
			time.Sleep(time.Duration(1+mathrand.IntN(20)) * time.Millisecond)
		}
	}
}

func (w *soakWriters) booking(d signal.ProductDate, change int64) types.TransactWriteItem {
	number := func(n int64) types.AttributeValue {
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
	}
	key := poolKey(d)
	return types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String(w.store.Table()), Key: map[string]types.AttributeValue{"pk": s(key.PK), "sk": s(key.SK)},
		ConditionExpression: aws.String("#a >= :least"), UpdateExpression: aws.String("ADD #a :change"),
		ExpressionAttributeNames:  map[string]string{"#a": "availability"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":least": number(max(0, -change)), ":change": number(change)},
	}}
}
