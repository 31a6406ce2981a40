package dynamo

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Hasty makes a seeder go on at once where it would wait.
func (s *Seeder) Hasty() *Seeder {
	return s.WithSleep(func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) })
}

// Pausing has a seeder say how long it would wait, and go on at once.
func (s *Seeder) Pausing(pause func(time.Duration)) *Seeder {
	return s.WithSleep(func(_ context.Context, d time.Duration) error {
		pause(d)
		return nil
	})
}

// SendAll sends writes in batches, as it sends those of a range.
func (s *Seeder) SendAll(ctx context.Context, writes []protocol.Write, done func(i int, err error)) error {
	return s.sendAll(ctx, len(writes), func(i int) (protocol.Write, error) { return writes[i], nil }, done)
}

// NoText stands for an id that is there and is no text.
const NoText = noText

// DecodeItem and EncodeItem are between the SDK's items and the domain's.
func DecodeItem(av map[string]types.AttributeValue) signal.Item { return decodeItem(av) }

func EncodeItem(item signal.Item) map[string]types.AttributeValue { return encodeItem(item) }

// Statement is a write as PartiQL, with its parameters.
func Statement(table string, w protocol.Write) types.BatchStatementRequest {
	return statement(table, w)
}
