package check_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// configure changes the bucket's settings in its registry item.
func (p *platform) configure(change func(*signal.Checks)) {
	p.Helper()
	change(&p.bucket.Checks)
	if err := dynamo.NewRegistry(p.store).Update(p.Context(), p.bucket); err != nil {
		p.Fatal(err)
	}
}

// Two processes, each with a client of its own.
func TestRun_oneAtATimeOnDynamoDB(t *testing.T) {
	p := newPlatform(t, awstest.Included)
	d := p.day(0, signal.Pattern{Mode: signal.Exact})
	asked, answer := make(chan struct{}), make(chan struct{})
	first := p.runner(sourceFunc(func(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
		close(asked)
		<-answer
		return p.pools().Estimate(ctx, d)
	}))
	done := make(chan check.Report)
	go func() {
		report, err := first.Run(t.Context(), p.bucket.Name)
		if err != nil {
			t.Error(err)
		}
		done <- report
	}()
	<-asked

	other := dynamo.NewStore(awstest.DynamoDB(t), p.table)
	second := p.runner(p.pools())
	second.Store, second.Registry = other, dynamo.NewRegistry(other)
	if report := p.run(second); report.HeldUntil.Before(time.Now()) || report.Counts.Seen != 0 {
		t.Errorf("while the first runs: %+v", report)
	}
	close(answer)
	if report := <-done; report.Cleaned != 1 || !report.HeldUntil.IsZero() {
		t.Errorf("the first: %+v", report)
	}
	if report := p.run(second); !report.HeldUntil.IsZero() {
		t.Errorf("once the first has ended: %+v", report)
	}
	item, err := p.store.Get(t.Context(), signal.RunKey(p.bucket.Name))
	if err != nil || item[protocol.AttrRunBy].Exists() || item[protocol.AttrRunUntil].Exists() {
		t.Errorf("run item: %v, %v", item, err)
	}
	if p.signal(d).Text(signal.AttrGSISK) != signal.Clean {
		t.Error("not cleaned")
	}
}

func TestAudit_onDynamoDB(t *testing.T) {
	for name, projection := range map[string]awstest.Projection{"index as documented": awstest.Included, "generic index": awstest.All} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t, projection)
			// More than one page of the walk, in four shards.
			const signals = 300
			days := make([]signal.ProductDate, signals)
			for i := range days {
				days[i] = signal.ProductDate{Product: loop, Date: signal.Date{Year: 2027, Month: time.July, Day: 1}.AddDays(i)}
				awstest.Seed(t, p.store, days[i], p.bucket.Name, signal.Pattern{Mode: signal.Exact})
			}
			available := int64(5)
			forgotten := days[123]
			runner := p.runner(sourceFunc(func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
				if d == forgotten {
					return signal.Estimate{Available: available, Capacity: 10}, nil
				}
				return signal.Estimate{Available: 5, Capacity: 10}, nil
			}))
			if report := p.run(runner); report.Cleaned != signals || report.Audited != 0 {
				t.Fatalf("report: %+v", report)
			}
			// A booking that forgets its flip.
			available = 4
			p.configure(func(c *signal.Checks) { c.MaxStaleness = time.Minute })
			began := time.Now().Truncate(time.Millisecond)
			report := p.run(runner)
			if report.Audited != signals || report.Mismatched != 1 || report.AuditFailed != 0 {
				t.Errorf("report: %+v", report)
			}
			for _, d := range days {
				item := p.signal(d)
				at, err := signal.ParseInstant(item.Text(signal.AttrLastUpdatedAt))
				if err != nil {
					t.Fatal(err)
				}
				if isOld := at.Before(began); isOld != (d == forgotten) || (item.Text(signal.AttrGSISK) == signal.Dirty) != (d == forgotten) {
					t.Errorf("%s: %v", d, item)
				}
			}
			if report := p.run(runner); report.Cleaned != 1 || report.Changed != 1 {
				t.Errorf("the next tick: %+v", report)
			}
			if got := p.signal(forgotten).Text(signal.AttrValue); got != "4" {
				t.Errorf("value %q, want 4", got)
			}
		})
	}
}

func TestSweep_onDynamoDB(t *testing.T) {
	p := newPlatform(t, awstest.Included)
	dirty, cleaned, live := p.day(0, signal.Pattern{Mode: signal.Exact}), p.day(1, signal.Pattern{Mode: signal.Exact}), p.day(2, signal.Pattern{Mode: signal.Exact})
	runner := p.runner(p.pools())
	p.run(runner)
	if err := p.book(t.Context(), dirty, -1); err != nil {
		t.Fatal(err)
	}
	for _, d := range []signal.ProductDate{dirty, cleaned} {
		past := time.Now().Add(-2 * time.Hour)
		item := p.signal(d)
		id := protocol.Identity{GlobalID: item.Text(signal.AttrGlobalID), SeededBy: item[signal.AttrSeededBy]}
		if _, err := p.store.Write(t.Context(), protocol.UpdateBySeeder(d.Key(), id, protocol.Change{Expiry: past}, time.Now())); err != nil {
			t.Fatal(err)
		}
	}
	p.configure(func(c *signal.Checks) { c.MaxStaleness = time.Minute })
	if report := p.run(runner); report.Swept != 2 || report.Expired != 1 || report.Claimed != 0 {
		t.Errorf("report: %+v", report)
	}
	if p.signal(dirty) != nil || p.signal(cleaned) != nil || p.signal(live) == nil {
		t.Error("want the two that have expired swept, and no other")
	}
}

// A source that lags: the finish that settles, and the one that cleans.
func TestRun_settlesOnDynamoDB(t *testing.T) {
	p := newPlatform(t, awstest.Included)
	d := p.day(0, signal.Pattern{Mode: signal.Exact})
	runner := p.runner(p.pools())
	runner.Settle = time.Second
	if report := p.run(runner); report.Settling != 1 {
		t.Errorf("report: %+v", report)
	}
	item := p.signal(d)
	if item.Text(signal.AttrGSISK) != signal.Dirty || item.Text(signal.AttrValue) != "40" || item[signal.AttrClaimedBy].Exists() {
		t.Errorf("after the first run: %v", item)
	}
	until := time.UnixMilli(item.Int(signal.AttrNotBefore))
	if report := p.run(runner); time.Now().Before(until) && report.NotDue != 1 {
		t.Errorf("before it is due: %+v", report)
	}
	for !time.Now().After(until) {
		select {
		case <-time.After(time.Until(until) + time.Millisecond):
		case <-t.Context().Done():
		}
	}
	if report := p.run(runner); report.Cleaned != 1 {
		t.Errorf("report: %+v", report)
	}
	if item := p.signal(d); item.Text(signal.AttrGSISK) != signal.Clean || item["settleRev"].Exists() || item["settleFrom"].Exists() {
		t.Errorf("after the last run: %v", item)
	}
}

// An audit goes on after an entry that is not there any more.
func TestQuery_goesOnAfterAKey(t *testing.T) {
	p := newPlatform(t, awstest.Included)
	var days []signal.ProductDate
	for i := range 5 {
		days = append(days, p.day(i, signal.Pattern{Mode: signal.Exact}))
	}
	query := dynamo.Query{
		Index: awstest.CadenceIndex, Hash: signal.AttrGSIPK, Partition: signal.BucketID(p.bucket.Name),
		Range: signal.AttrGSISK, Equals: signal.Dirty, Limit: 2,
	}
	after := days[1].Key()
	query.After = signal.Item{
		signal.AttrPK: signal.S(after.PK), signal.AttrSK: signal.S(after.SK),
		signal.AttrGSIPK: signal.S(query.Partition), signal.AttrGSISK: signal.S(signal.Dirty),
	}
	_, err := p.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &p.table, Key: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: after.PK}, "sk": &types.AttributeValueMemberS{Value: after.SK},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for item, err := range p.store.Query(t.Context(), query) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, item.Text(signal.AttrSK))
	}
	n, err := p.store.Count(t.Context(), query)
	if err != nil || int(n) != len(found) || len(found) == 0 || len(found) > 4 {
		t.Errorf("found %v, counted %d: %v", found, n, err)
	}
	for _, sk := range found {
		if sk == days[1].Date.String() {
			t.Error("it has found the entry that it was to go on after")
		}
	}
	query.After = nil
	if n, err := p.store.Count(t.Context(), query); err != nil || n != 4 {
		t.Errorf("counted %d of 4: %v", n, err)
	}
}
