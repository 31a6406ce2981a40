package simulation

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
)

type attributes = map[string]types.AttributeValue

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int) types.AttributeValue { return &types.AttributeValueMemberN{Value: fmt.Sprint(n)} }

// weight is by how much a booking of a pool raises what is available.
func weight(pool int) int { return []int{1, mostBookings + 1}[pool] }

// booking is a process that books.
type booking struct {
	*world
	client *simulator.Client
	flips  *flip.Client
}

// application books and flips, step by step, until it crashes.
func (w *world) application(a Actor) {
	c := w.Client(named(string(Application), a.Number), simulator.WithSkew(a.Skew))
	b := booking{w, c, flip.New(api{c, w.rules}, table, flip.WithClock(c.Now), flip.WithJitter(c.Jitter))}
	for i, s := range a.Steps {
		w.await(s)
		id := fmt.Sprintf("%s %d", c, i)
		switch {
		case c.Crashed():
			return
		case s.Deed == BookTransacted:
			b.transacted(s, id)
		case s.Deed == BookJoined:
			var callers sync.WaitGroup
			for pool := range pools {
				callers.Go(func() {
					s := s
					s.Pool = pool
					b.plain(s, fmt.Sprint(id, " caller ", pool))
				})
			}
			callers.Wait()
		default:
			b.plain(s, id)
		}
	}
}

// plain books, and flips when that is committed.
func (b booking) plain(s Step, id string) {
	ctx := b.client.Context()
	told := s.Deed != BookUntold
	kept := func() {}
	if told {
		kept = b.judge.promise(s.Day)
	}
	if told && b.rules.FlipFirst {
		// As if it were after the commit.
		b.flip(s)
	}
	err := until(ctx, func() error {
		_, err := b.client.UpdateItem(ctx, b.raise(s.Day, s.Pool, id))
		if _, done := errors.AsType[*types.ConditionalCheckFailedException](err); done {
			return nil
		}
		return err
	})
	switch {
	case err != nil || !told:
	case b.rules.FlipFirst:
		b.judge.flipped(s.Day, b.judge.visible(s.Day))
		kept()
	default:
		seen := b.judge.visible(s.Day)
		if b.flip(s) {
			b.judge.flipped(s.Day, seen)
			kept()
		}
	}
}

// flip flips until that is done; ok is false if the process crashes before.
func (b booking) flip(s Step) (ok bool) {
	key := b.plan.day(s.Day).Key()
	flip := b.flips.Flip
	if s.Deed == BookBlind {
		flip = b.flips.Blind
	}
	return until(b.client.Context(), func() error { return flip(b.client.Context(), key) }) == nil
}

// raise is a booking as one write, which is done once however often it is sent.
func (b booking) raise(day, pool int, id string) *dynamodb.UpdateItemInput {
	return &dynamodb.UpdateItemInput{
		TableName: aws.String(table), Key: poolKey(b.plan, day, pool),
		UpdateExpression:          aws.String("SET #capacity = if_not_exists(#capacity, :none), #booking = :booked ADD #availability :n"),
		ConditionExpression:       aws.String("attribute_not_exists(#booking)"),
		ExpressionAttributeNames:  map[string]string{"#capacity": "capacity", "#availability": "availability", "#booking": "booking " + id},
		ExpressionAttributeValues: attributes{":none": number(0), ":booked": text("booked"), ":n": number(weight(pool))},
	}
}

// transacted books both pools in a transaction that flips as well, and flips again
// after it.
func (b booking) transacted(s Step, id string) {
	ctx := b.client.Context()
	kept := b.judge.promise(s.Day)
	key := b.plan.day(s.Day).Key()
	var items []types.TransactWriteItem
	for pool := range pools {
		in := b.raise(s.Day, pool, id)
		items = append(items, types.TransactWriteItem{Update: &types.Update{
			TableName: in.TableName, Key: in.Key, UpdateExpression: in.UpdateExpression, ConditionExpression: in.ConditionExpression,
			ExpressionAttributeNames: in.ExpressionAttributeNames, ExpressionAttributeValues: in.ExpressionAttributeValues,
		}})
	}
	flips := len(items)
	items = append(items, b.flips.TransactItem(key))
	token := fmt.Sprint(id)
	inside := true
	err := until(ctx, func() error {
		_, err := b.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items, ClientRequestToken: &token})
		if err == nil || booked(err) {
			return nil
		}
		if inside && flip.Advise(err, flips) == flip.WithoutFlips {
			items, token, inside = items[:flips], id+" again", false
		}
		return err
	})
	if err != nil {
		return
	}
	seen := b.judge.visible(s.Day)
	if b.rules.OnlyInside && inside || b.flip(Step{Day: s.Day}) {
		b.judge.flipped(s.Day, seen)
		kept()
	}
}

// booked is whether a transaction was cancelled because it had been made before,
// under a token that is forgotten.
func booked(err error) bool {
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return false
	}
	for _, r := range cancelled.CancellationReasons[:pools] {
		if aws.ToString(r.Code) != "ConditionalCheckFailed" {
			return false
		}
	}
	return true
}

func poolKey(p Plan, day, pool int) attributes {
	return attributes{"pk": text(p.day(day).PoolPK()), "sk": text([]string{"a", "b"}[pool])}
}

// setUpPools makes the first pool of each day; the second comes with its first
// booking.
func (w *world) setUpPools(c *simulator.Client) {
	for day := range w.plan.Days {
		item := poolKey(w.plan, day, 0)
		item["availability"], item["capacity"] = number(0), number(100)
		if _, err := c.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: item}); err != nil {
			w.Error(err)
		}
	}
}
