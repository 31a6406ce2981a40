package dynamo

import (
	"context"
	"errors"
	"net/http"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Skew is by how much the service's clock is ahead of now's, to a second or so, as an
// answer says when it was given; ok is false if there is none that does. A refusal
// says it as well, so that it takes no permission. The SDK signs by the service's clock
// once it knows that its own is wrong, so that nothing else would tell.
func (s *Store) Skew(ctx context.Context, now func() time.Time) (skew time.Duration, ok bool) {
	e := newExpression(1, 0)
	projection := e.projection([]string{signal.AttrPK})
	out, err := s.api.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.table,
		// There is no bucket without a name.
		Key:                      encodeKey(signal.Key{PK: signal.BucketID(""), SK: signal.RegistrySK}),
		ProjectionExpression:     projection,
		ExpressionAttributeNames: e.namesOrNil(),
	})
	var at time.Time
	if err == nil {
		at, ok = awsmiddleware.GetServerTime(out.ResultMetadata)
	} else {
		at, ok = answeredAt(err)
	}
	return at.Sub(now()), ok
}

// answeredAt is when the service refused a request.
func answeredAt(err error) (at time.Time, ok bool) {
	answer, ok := errors.AsType[interface {
		error
		HTTPResponse() *smithyhttp.Response
	}](err)
	if !ok || answer.HTTPResponse() == nil || answer.HTTPResponse().Response == nil {
		return time.Time{}, false
	}
	at, err = http.ParseTime(answer.HTTPResponse().Header.Get("Date"))
	return at, err == nil
}
