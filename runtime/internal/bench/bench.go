package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/suite"
)

// rounds is how often each side of a comparison is measured.
const rounds = 5

type options struct {
	full, small   bool
	docs, profile string
	only          []string
}

func bench(ctx context.Context, o options) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	engine := os.Getenv("AVAILABILITY_LOCAL_ENGINE")
	if engine == "" || os.Getenv("AWS_ENDPOINT_URL") == "" {
		return errors.New("there is no local AWS: run make bench, which starts one")
	}
	if err := suite.Check(o.only...); err != nil {
		return err
	}
	// The SDK tells of every connection that the engine closes. As the function's own
	// client does, this one keeps a connection for each caller: neither side of a
	// comparison is to wait for new ones.
	cfg, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{}), config.WithHTTPClient(dynamo.NewHTTPClient()))
	if err != nil {
		return err
	}
	s := &suite.Suite{
		Root: ".", Self: self, Engine: dynamodb.NewFromConfig(cfg), EngineName: engine,
		Rounds: rounds, Small: o.small, Full: o.full, Plots: filepath.Join(o.docs, "benchmarks"), Log: os.Stdout,
		Machine: record.ThisMachine(suite.Versions(".", engine)...),
	}
	if o.small {
		s.Rounds = 2
	}
	// What is small says nothing, and a profile takes time and memory of its own.
	unpublished := o.small || o.profile != ""
	if unpublished {
		if s.Plots, err = os.MkdirTemp("", "availability-bench-plots-"); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(os.Stdout, "plots go to %s, and docs stay as they are\n", s.Plots)
	}
	began := time.Now()
	rows, err := s.Run(ctx, o.only...)
	_, _ = fmt.Fprintf(os.Stdout, "%s\n", time.Since(began).Round(time.Second))
	if unpublished {
		return err
	}
	// What was measured before a row failed is worth keeping.
	return errors.Join(err, publish(o.docs, s.Machine, rows, s.FullFound))
}

// publish writes the page anew with these rows, and those that were measured
// before.
func publish(docs string, machine record.Machine, rows []record.Row, full *record.Full) error {
	path := filepath.Join(docs, "benchmarks", "rows.json")
	kept, err := record.ReadKept(path)
	if err != nil {
		return err
	}
	page := record.Page{Machine: machine}
	kept.Add(suite.IDs(), rows...)
	if full != nil {
		full.Machine = page.Machine
		kept.Full = full
	}
	page.Rows, page.Full = kept.Rows, kept.Full
	if err := kept.Write(path); err != nil {
		return err
	}
	text := filepath.Join(docs, "benchmarks.md")
	_, _ = fmt.Fprintf(os.Stdout, "written to %s\n", text)
	return os.WriteFile(text, []byte(page.Markdown()), 0o644)
}

// profile begins to profile this process, and returns what ends it.
func profile(dir string) (end func() error, err error) {
	if dir == "" {
		return func() error { return nil }, nil
	}
	// Every allocation of more than this is seen.
	runtime.MemProfileRate = 512
	cpu, err := os.Create(filepath.Join(dir, "bench.cpu.prof"))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return nil, err
	}
	return func() error {
		pprof.StopCPUProfile()
		heap, err := os.Create(filepath.Join(dir, "bench.mem.prof"))
		if err != nil {
			return errors.Join(err, cpu.Close())
		}
		runtime.GC()
		return errors.Join(pprof.Lookup("allocs").WriteTo(heap, 0), heap.Close(), cpu.Close())
	}, nil
}
