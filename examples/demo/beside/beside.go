// Package beside stages what goes wrong in production, once with the literal loop and
// once with the runtime, and tells which of them shows a wrong day in the end.
package beside

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

const (
	// TableName is the name of the scenes' table.
	TableName = "beside"
	// CadenceIndex is the name of its index.
	CadenceIndex = "cadence-index"

	asset = "loop"
	// pause is the time between two ticks.
	pause = 2 * time.Second
)

// DB is what the scenes call of the SDK; a *dynamodb.Client has it.
type DB interface {
	dynamo.StoreAPI
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

// Stage is what a comparison needs.
type Stage struct {
	DB DB
	// Literal begins ticks of the literal loop, Runtime those of the runtime.
	Literal, Runtime Begin
	// CreateTable creates a table with the cadence index, and DeleteTable deletes it.
	CreateTable, DeleteTable func(ctx context.Context, name string) error
}

// Result is what a scene has shown.
type Result struct {
	Name, Story      string
	Literal, Runtime Shown
	// HowLiteral and HowRuntime say how either came to it.
	HowLiteral, HowRuntime string
}

// Shown is how a day ends.
type Shown struct {
	// Value is what its signal shows, "" while it is dirty; Left is what its pool has.
	Value, Left string
}

// Wrong is whether a wrong day is shown.
func (s Shown) Wrong() bool { return s.Value != s.Left }

// comparison is all scenes on one table.
type comparison struct {
	Stage
	store *dynamo.Store
	flips *flip.Client
}

// Compare plays all scenes, at the same time: each has a bucket and signals of its own.
func Compare(ctx context.Context, s Stage) (results []Result, err error) {
	if err := s.CreateTable(ctx, TableName); err != nil {
		return nil, err
	}
	c := &comparison{Stage: s, store: dynamo.NewStore(s.DB, TableName), flips: flip.New(s.DB, TableName)}
	scenes := c.scenes()
	results = make([]Result, len(scenes))
	errs := make([]error, len(scenes))
	var all sync.WaitGroup
	for i, scene := range scenes {
		all.Go(func() { results[i], errs[i] = c.play(ctx, scene) })
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("scene %q: %w", scenes[i].name, err)
		}
	}
	return results, s.DeleteTable(ctx, TableName)
}

// side is one of the two.
type side struct {
	*comparison
	scene  scene
	bucket string
	date   signal.ProductDate
	begin  Begin
	flip   func(ctx context.Context, key signal.Key) error
	// mends is for how long it may take until a wrong day is right by itself; 0 is never.
	mends time.Duration
}

func (c *comparison) play(ctx context.Context, sc scene) (Result, error) {
	r := Result{Name: sc.name, Story: sc.story, HowLiteral: sc.literal, HowRuntime: sc.runtime}
	var sides sync.WaitGroup
	var literal, runtime error
	sides.Go(func() {
		s := side{
			comparison: c, scene: sc, bucket: "literal-" + sc.bucket, begin: c.Literal,
			flip: func(ctx context.Context, key signal.Key) error { return literalFlip(ctx, c.DB, key) },
		}
		r.Literal, literal = s.play(ctx)
	})
	sides.Go(func() {
		s := side{comparison: c, scene: sc, bucket: sc.bucket, begin: c.Runtime, flip: c.flips.Flip, mends: 4 * time.Minute}
		r.Runtime, runtime = s.play(ctx)
	})
	sides.Wait()
	if literal != nil {
		return r, literal
	}
	return r, runtime
}

// play seeds, stages the scene, and ticks on until the day is right, or will never be.
func (s *side) play(ctx context.Context) (Shown, error) {
	if err := s.seed(ctx); err != nil {
		return Shown{}, err
	}
	if err := s.scene.stage(ctx, s); err != nil {
		return Shown{}, err
	}
	if err := s.tickUntilRight(ctx); err != nil {
		return Shown{}, err
	}
	return s.look(ctx)
}

// tickUntilRight ticks until the signal shows what its pool has. The literal loop
// never looks at what is not dirty: three ticks show that it will not.
func (s *side) tickUntilRight(ctx context.Context) error {
	deadline := time.Now().Add(s.mends)
	for n := 1; ; n++ {
		if err := s.tick(ctx); err != nil {
			return err
		}
		shown, err := s.look(ctx)
		if err != nil || !shown.Wrong() {
			return err
		}
		if s.mends == 0 && n == 3 || s.mends > 0 && time.Now().After(deadline) {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *side) seed(ctx context.Context) error {
	s.date = signal.ProductDate{
		Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: s.bucket},
		Date:    signal.DateOf(time.Now().UTC()).AddDays(30),
	}
	checks := signal.DefaultChecks()
	// As short as they may be, so that nobody has to wait.
	checks.Lease, checks.MaxStaleness = 30*time.Second, time.Minute
	bucket := signal.Bucket{Name: s.bucket, Cadence: signal.Cadence{Minutes: 1}, Shards: 1, Enabled: true, Checks: checks, GlobalID: rand.Text()}
	if err := dynamo.NewRegistry(s.store).Create(ctx, bucket); err != nil {
		return err
	}
	pool := signal.Item{
		signal.AttrPK: signal.S(s.date.PoolPK()), signal.AttrSK: signal.S(asset),
		"availability": signal.N(s.scene.stock), "capacity": signal.N(10),
	}
	writes := []protocol.Write{
		{Op: "load", Kind: protocol.Put, Key: signal.Key{PK: s.date.PoolPK(), SK: asset}, Item: pool},
		protocol.Seed(protocol.Seeding{
			ProductDate: s.date, GSIPK: signal.BucketID(s.bucket), GlobalID: rand.Text(), Pattern: signal.Pattern{Mode: signal.Exact},
			Expiry: signal.Expiry(s.date.Date, time.UTC), SeededBy: "demo", Dirty: true,
		}, time.Now()),
	}
	for _, w := range writes {
		w.If = nil // The table is new: an answer that was lost is no reason to fail.
		if _, err := s.store.Write(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// tick runs the bucket once.
func (s *side) tick(ctx context.Context) error {
	t, err := s.begin(ctx, s.bucket, nil)
	if err != nil {
		return err
	}
	return t.wait()
}

// sell takes one from the pool. Its token makes a repeat do nothing.
func (s *side) sell(ctx context.Context) error {
	number := func(n int) types.AttributeValue { return &types.AttributeValueMemberN{Value: strconv.Itoa(n)} }
	_, err := s.DB.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String(rand.Text()),
		TransactItems: []types.TransactWriteItem{{Update: &types.Update{
			TableName: aws.String(TableName),
			Key: map[string]types.AttributeValue{
				signal.AttrPK: &types.AttributeValueMemberS{Value: s.date.PoolPK()}, signal.AttrSK: &types.AttributeValueMemberS{Value: asset},
			},
			ConditionExpression: aws.String("#left >= :one"), UpdateExpression: aws.String("ADD #left :less"),
			ExpressionAttributeNames:  map[string]string{"#left": "availability"},
			ExpressionAttributeValues: map[string]types.AttributeValue{":one": number(1), ":less": number(-1)},
		}}},
	})
	if err != nil {
		return fmt.Errorf("sell a place of %q: %w", s.date, err)
	}
	return nil
}

// look is what the signal shows, and what it should; a signal that is dirty is not
// wrong yet, and shows nothing.
func (s *side) look(ctx context.Context) (shown Shown, err error) {
	item, err := s.store.Get(ctx, s.date.Key())
	if err != nil {
		return Shown{}, err
	}
	e, err := source.NewPool(s.store).Estimate(ctx, s.date)
	if err != nil {
		return Shown{}, err
	}
	shown.Left, _ = signal.Pattern{Mode: signal.Exact}.Cache(e)
	if item.Text(signal.AttrGSISK) == signal.Clean {
		shown.Value = item.Text(signal.AttrValue)
	}
	return shown, nil
}
