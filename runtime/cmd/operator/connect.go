package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/lambda"
	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
)

// access is the command with its connection to AWS.
type access struct {
	options
	cfg    aws.Config
	db     *dynamodb.Client
	getenv func(string) string
	log    *slog.Logger
}

// connect reads the AWS settings as every AWS tool does: environment, shared files
// and profiles, SSO, web identity, the machine's role.
func connect(ctx context.Context, o options, getenv func(string) string, problems io.Writer) (*access, error) {
	// The SDK warns of connections that are closed, in the midst of an answer.
	load := []func(*config.LoadOptions) error{config.WithLogger(logging.Nop{}), config.WithHTTPClient(dynamo.NewHTTPClient())}
	if o.region != "" {
		load = append(load, config.WithRegion(o.region))
	}
	if o.profile != "" {
		load = append(load, config.WithSharedConfigProfile(o.profile))
	}
	cfg, err := config.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return nil, fmt.Errorf("read the AWS settings: %w", err)
	}
	if cfg.Region == "" {
		return nil, fmt.Errorf("%w: no AWS region is set: give -region, or set AWS_REGION", errUsage)
	}
	if !smithyhttp.ValidHostLabel(cfg.Region) {
		return nil, fmt.Errorf("%w: %q is no AWS region, such as ca-central-1: correct -region, AWS_REGION or the profile's", errUsage, cfg.Region)
	}
	if cfg.Credentials != nil {
		cfg.Credentials = dynamo.Credentials{CredentialsProvider: cfg.Credentials}
	}
	log := slog.New(slog.DiscardHandler)
	if o.verbose {
		log = slog.New(slog.NewJSONHandler(problems, nil))
	}
	a := &access{options: o, cfg: cfg, db: dynamodb.NewFromConfig(cfg), log: log}
	a.getenv = func(name string) string {
		for of, given := range map[string]string{
			lambda.EnvTable: o.table, lambda.EnvIndex: o.index, lambda.EnvInventory: o.inventory,
		} {
			if name == of && given != "" {
				return given
			}
		}
		return getenv(name)
	}
	if o.function == "" && a.getenv(lambda.EnvTable) == "" {
		return nil, fmt.Errorf("%w: which table? Give -table, or set %s", errUsage, lambda.EnvTable)
	}
	if a.storesWithoutSource() {
		return nil, fmt.Errorf("%w: which source? What it says is stored, or held against what is: set %s and its settings as the function has them (inventory-pool if it has none), or give -function", errUsage, lambda.EnvSource)
	}
	return a, nil
}

// storesWithoutSource is whether the task would write by what a source says that
// nobody has chosen: for the function's values, it may be another.
func (a *access) storesWithoutSource() bool {
	task := a.task.Task
	return a.function == "" && (task == operate.TaskCheck || task == operate.TaskAudit) && a.getenv(lambda.EnvSource) == ""
}

// or is a setting, or what it is by default.
func (a *access) or(name, byDefault string) string {
	if v := a.getenv(name); v != "" {
		return v
	}
	return byDefault
}

// do does a task here, or has the function do it.
func (a *access) do(ctx context.Context, out io.Writer) (findings bool, err error) {
	var answer operate.Answer
	if a.function != "" {
		answer, err = a.remote(ctx)
	} else {
		answer, err = a.local(ctx)
	}
	if err != nil {
		return false, err
	}
	return answer.Findings(), a.print(out, answer)
}

func (a *access) local(ctx context.Context) (operate.Answer, error) {
	o, err := lambda.NewOperator(a.getenv, lambda.Access{DynamoDB: a.db, Region: a.cfg.Region, Credentials: a.cfg.Credentials}, nil, a.log)
	if err != nil {
		return nil, err
	}
	return o.Do(ctx, a.task)
}

// skew is by how much DynamoDB's clock is ahead of this machine's.
func (a *access) skew(ctx context.Context) (time.Duration, bool) {
	return dynamo.NewStore(a.db, a.getenv(lambda.EnvTable)).Skew(ctx, time.Now)
}

// advised adds to an error what to do about it, where that is not plain.
func advised(err error) error {
	switch {
	case errors.Is(err, errNoFunction):
		return fmt.Errorf("%w\nIs it the right account, region and function? See -profile, -region and -function", err)
	case errors.Is(err, errThrottled):
		return fmt.Errorf("%w\nIf its reserved concurrency is 0, somebody has stopped it. Try again, or do without -function", err)
	case errors.Is(err, errMayNotInvoke):
		return fmt.Errorf("%w\nThese credentials may not invoke it (lambda:InvokeFunction): use others (-profile), or do without -function", err)
	case errors.Is(err, operate.ErrClock):
		return fmt.Errorf("%w (NTP keeps it so), or have the function do it (-function), whose clock is AWS's", err)
	case errors.Is(err, dynamo.ErrTableNotFound):
		return fmt.Errorf("%w\nIs it the right account, region and table? See -profile, -region and -table", err)
	case errors.Is(err, dynamo.ErrNoCredentials):
		return fmt.Errorf("%w\nLog in (aws sso login, for a profile of SSO), or use other credentials (-profile)", err)
	case errors.Is(err, dynamo.ErrAccessDenied):
		return fmt.Errorf("%w\nThese credentials may not do that: use others (-profile), or have the function do it (-function)", err)
	case errors.Is(err, dynamo.ErrNotRegistered):
		return fmt.Errorf("%w\ndoctor lists the buckets that there are", err)
	}
	return err
}
