package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	awslambda "github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"

	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
)

// print writes an answer as text or as JSON.
func (a *access) print(out io.Writer, answer any) error {
	if printer, ok := answer.(operate.Printer); ok && !a.json {
		return printer.Print(out)
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(answer)
}

// What keeps a function from being asked.
var (
	errNoFunction   = errors.New("function not found")
	errMayNotInvoke = errors.New("not allowed")
	errThrottled    = errors.New("it is invoked as often as it may be")
)

func classify(err error) error {
	api, ok := errors.AsType[smithy.APIError](err)
	switch {
	case !ok:
	case api.ErrorCode() == "ResourceNotFoundException":
		return fmt.Errorf("%w: %w", errNoFunction, err)
	case api.ErrorCode() == "TooManyRequestsException":
		return fmt.Errorf("%w: %w", errThrottled, err)
	case api.ErrorCode() == "AccessDeniedException":
		return fmt.Errorf("%w: %w", errMayNotInvoke, err)
	}
	return err
}

// remote has the function do the task, and waits for it.
func (a *access) remote(ctx context.Context) (operate.Answer, error) {
	event, err := json.Marshal(a.task)
	if err != nil {
		return nil, fmt.Errorf("encode the task: %w", err)
	}
	client := awslambda.NewFromConfig(a.cfg, func(o *awslambda.Options) {
		// A task may take long, and is not to be begun again meanwhile.
		o.Retryer = aws.NopRetryer{}
	})
	out, err := client.Invoke(ctx, &awslambda.InvokeInput{FunctionName: &a.function, Payload: event})
	if err != nil {
		return nil, fmt.Errorf("have function %q do it: %w", a.function, classify(err))
	}
	if out.FunctionError != nil {
		var failed struct {
			Message string `json:"errorMessage"`
			Type    string `json:"errorType"`
		}
		if err := json.Unmarshal(out.Payload, &failed); err != nil || failed.Message == "" {
			return nil, fmt.Errorf("function %q failed: %s: see its log", a.function, *out.FunctionError)
		}
		return nil, fmt.Errorf("function %q failed: %s: %s", a.function, failed.Type, failed.Message)
	}
	return operate.Decode(a.task.Task, out.Payload)
}
