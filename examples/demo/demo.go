package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/logging"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// demo is everything that the scenes share.
type demo struct {
	settings
	out    *printer
	season *season.Season
	// days is how many there are.
	days int
	tool *tool
	// work is a directory that goes away with the local AWS.
	work string

	cfg    aws.Config
	db     *dynamodb.Client
	rules  *eventbridge.Client
	lambda *lambda.Client
	store  *dynamo.Store
	watch  *watch

	functionARN string
	// beside is what the literal loop makes of the same, which is staged meanwhile.
	beside chan compared
	// wrongDays is the last line.
	wrongDays string
	// before and after are the values around the morning.
	before, after map[season.Day]string
}

// newDemo reads and checks whatever can be, before anything is made.
func newDemo(ctx context.Context, set settings, out *printer) (*demo, error) {
	folder, err := dataFolder(set.data)
	if err != nil {
		return nil, err
	}
	s, err := season.Load(folder)
	if err != nil {
		if set.data != "" {
			return nil, fmt.Errorf("the folder %s cannot be shown: %w", set.data, err)
		}
		return nil, err
	}
	s.Shift(signal.DateOf(time.Now().UTC()))
	t, err := findTool(ctx)
	if err != nil {
		return nil, err
	}
	cfg, err := config.LoadDefaultConfig(ctx,
		config.WithRetryer(func() aws.Retryer { return retry.AddWithMaxAttempts(retry.NewStandard(), 10) }),
		// It warns of connections that the local AWS closes, in the midst of the scenes.
		config.WithLogger(logging.Nop{}))
	if err != nil {
		return nil, fmt.Errorf("read the AWS settings: %w", err)
	}
	work := filepath.Join(set.tmp, "demo")
	if err := os.MkdirAll(work, 0o700); err != nil {
		return nil, fmt.Errorf("make the working directory: %w", err)
	}
	db := dynamodb.NewFromConfig(cfg)
	store := dynamo.NewStore(db, tableName)
	return &demo{
		settings: set, out: out, season: s, days: len(s.Days()), tool: t, work: work,
		cfg: cfg, db: db, rules: eventbridge.NewFromConfig(cfg), lambda: lambda.NewFromConfig(cfg),
		store: store, watch: newWatch(store, s.Buckets()),
	}, nil
}

// show plays all scenes.
func (d *demo) show(ctx context.Context) error {
	d.title()
	scenes := []func(context.Context) error{d.build, d.inventory, d.apply, d.firstTick, d.drawBefore, d.morning, d.lastTick, d.verify, d.drawAfter, d.literalLoop, d.plan}
	if d.keep {
		scenes = append(scenes, d.stay)
	} else {
		scenes = append(scenes, d.destroy)
	}
	for _, scene := range scenes {
		if err := scene(ctx); err != nil {
			return d.explained(ctx, err)
		}
	}
	d.out.last(d.wrongDays)
	return nil
}

func (d *demo) title() {
	first, last := d.season.Span()
	fmt.Fprintf(d.out.w, "A season on a local AWS: %s, %s from %s to %s, %s.\n",
		plural(len(d.season.Products), "product"), plural(d.days, "date"), first, last, plural(len(d.season.Buckets()), "cadence"))
	if d.season.Shifted > 0 {
		fmt.Fprintf(d.out.w, "(The data's season has begun: all dates are %s later than in the data.)\n", plural(d.season.Shifted, "day"))
	}
	fmt.Fprintf(d.out.w, "Everything runs on this machine, with %s on %s/%s.\n", d.tool.title, runtime.GOOS, runtime.GOARCH)
}

func (d *demo) build(ctx context.Context) error {
	d.out.scene("Build", "The provider, and the Lambda function for this machine, from this source tree.")
	log, bin := filepath.Join(d.work, "build.log"), filepath.Join(d.work, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return fmt.Errorf("make the directory to build into: %w", err)
	}
	if err := buildProvider(ctx, log, bin); err != nil {
		return err
	}
	zip, err := buildBootstrap(ctx, log, d.work)
	if err != nil {
		return err
	}
	if d.functionARN, err = deployFunction(ctx, d.lambda, d.cfg.Region, zip); err != nil {
		return err
	}
	return d.stageLiteralLoop(ctx)
}

func (d *demo) inventory(ctx context.Context) error {
	d.out.scene("Inventory", "A table with two indexes and a TTL, and in it the inventory pools behind every date.")
	if err := createTable(ctx, d.db, tableName); err != nil {
		return err
	}
	n, err := loadInventory(ctx, d.db, d.season)
	if err != nil {
		return err
	}
	d.out.line("%s behind %s, nothing taken yet", plural(n, "pool"), plural(d.days, "date"))
	return nil
}

func (d *demo) apply(ctx context.Context) error {
	d.out.scene("Apply", "%s apply: a bucket for each cadence, a range of signals for each product.", d.tool.name)
	file := filepath.Join(d.work, season.File)
	doc, err := d.season.Document()
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, doc, 0o600); err != nil {
		return fmt.Errorf("write the season for %s: %w", d.tool.name, err)
	}
	variables := map[string]any{"table_name": tableName, "function_arn": d.functionARN, "season_file": file, "every_minute": true}
	if err := d.tool.prepare(filepath.Join(d.work, "terraform"), filepath.Join(d.work, "bin"), variables); err != nil {
		return err
	}
	if err := d.tool.apply(ctx); err != nil {
		return err
	}
	signals, err := readSignals(ctx, d.store, d.season)
	if err != nil {
		return err
	}
	if len(signals) != d.days {
		return &logged{d.tool.log, fmt.Errorf("%s after the apply, want %d", plural(len(signals), "signal"), d.days)}
	}
	d.out.line("%s of EventBridge, each once a minute here; %s in %s, all dirty",
		plural(len(d.season.Buckets()), "rule"), plural(len(signals), "signal"), plural(len(d.season.Products), "range"))
	return nil
}

// explained adds the function's log to an error that it may explain.
func (d *demo) explained(ctx context.Context, err error) error {
	if _, ok := errors.AsType[runtimeFault](err); !ok || ctx.Err() != nil {
		return err
	}
	file := filepath.Join(d.work, "lambda.log")
	if err2 := functionLog(ctx, d.cfg, d.endpoint, file); err2 != nil {
		return errors.Join(err, err2)
	}
	return &logged{file, err}
}
