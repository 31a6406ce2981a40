package lambda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/aws/aws-lambda-go/lambda/messages"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

// handler is the function: an event in, a run's report or a task's answer out, or
// which records of a stream are to be delivered again.
type handler struct {
	operator *operate.Operator
	log      *slog.Logger
	// inventory is how keys of inventory are read in a stream.
	inventory source.Keys
	// unusable is why there can be no run at all, or nil.
	unusable error
}

func newHandler(s settings, newSource NewSource, log *slog.Logger) (*handler, error) {
	var throttles atomic.Int64
	access := Access{DynamoDB: newClient(s, &throttles), Region: s.region, Credentials: s.provider()}
	operator, err := newOperator(s.platformSettings, access, newSource, &throttles, log)
	if err != nil {
		return nil, err
	}
	operator.Most = mostNamed
	return &handler{operator: operator, log: log, inventory: s.source.inventory()}, nil
}

// Invoke runs the bucket that the event names, does its task, or handles its
// stream records.
func (h *handler) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	log := h.log
	if c, ok := lambdacontext.FromContext(ctx); ok {
		log = log.With("requestId", c.AwsRequestID)
	}
	if h.unusable != nil {
		return nil, failure(h.unusable)
	}
	asked, err := parseEvent(event)
	if err != nil {
		log.ErrorContext(ctx, "event unusable", "error", err.Error())
		return nil, failure(err)
	}
	operator := *h.operator
	operator.Runner.Log = log
	switch {
	case asked.records:
		return h.consume(ctx, log, event)
	case asked.bucket != "":
		report, err := operator.Runner.Run(ctx, asked.bucket)
		if err != nil {
			return nil, failure(err)
		}
		return json.Marshal(report)
	}
	log.InfoContext(ctx, "task", "task", asked.task.Task)
	answer, err := operator.Do(ctx, asked.task)
	if err != nil {
		log.ErrorContext(ctx, "task failed", "task", asked.task.Task, "error", err.Error())
		return nil, failure(err)
	}
	return json.Marshal(answer)
}

// failure is an error as Lambda reports it, of a type that a caller, a queue or
// an alarm can tell apart, and with the setting that may be wrong.
func failure(err error) error {
	kind, hint := "RunFailed", ""
	switch {
	case errors.Is(err, errEvent), errors.Is(err, stream.ErrEvent), errors.Is(err, operate.ErrTask):
		kind = "BadEvent"
	case errors.Is(err, errSettings):
		kind = "BadSettings"
	case errors.Is(err, dynamo.ErrNotRegistered):
		kind, hint = "BucketNotRegistered", EnvTable
	case errors.Is(err, dynamo.ErrTableNotFound):
		kind, hint = "TableNotFound", EnvTable+" and "+envRegion
	case errors.Is(err, dynamo.ErrIndexNotFound):
		kind, hint = "IndexNotFound", EnvIndex
	case errors.Is(err, dynamo.ErrAccessDenied):
		kind = "AccessDenied"
	case errors.Is(err, signal.ErrFormat):
		kind = "NewerFormat"
	}
	message := err.Error()
	if hint != "" {
		message = fmt.Sprintf("%s (set by %s)", message, hint)
	}
	return messages.InvokeResponse_Error{Message: message, Type: kind}
}
