package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"

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
	// The SDK tells of every connection that the engine closes.
	cfg, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{}))
	if err != nil {
		return err
	}
	s := &suite.Suite{
		Root: ".", Self: self, Engine: dynamodb.NewFromConfig(cfg), EngineName: engine,
		Rounds: rounds, Small: o.small, Full: o.full, Plots: filepath.Join(o.docs, "benchmarks"), Log: os.Stdout,
	}
	if o.small {
		s.Rounds = 2
	}
	scratch := o.small || len(o.only) > 0
	if scratch {
		if s.Plots, err = os.MkdirTemp("", "availability-bench-plots-"); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(os.Stdout, "plots go to %s, and docs stay as they are\n", s.Plots)
	}
	page := record.Page{Machine: record.ThisMachine(record.CommandVersion("terraform", "version")), Began: time.Now()}
	if page.Rows, err = s.Run(ctx, o.only...); err != nil {
		return err
	}
	page.Took = time.Since(page.Began)
	if o.small {
		return nil
	}
	if page.Full, err = keep(filepath.Join(o.docs, "benchmarks", "full.json"), s.FullFound, page.Machine); err != nil || scratch {
		return err
	}
	path := filepath.Join(o.docs, "benchmarks.md")
	_, _ = fmt.Fprintf(os.Stdout, "%s, written to %s\n", page.Took.Round(time.Second), path)
	return os.WriteFile(path, []byte(page.Markdown()), 0o644)
}

// keep writes what a full run has found, or reads what the last one had.
func keep(path string, found *record.Full, m record.Machine) (*record.Full, error) {
	if found != nil {
		found.Machine = m
		b, err := json.MarshalIndent(found, "", "  ")
		if err != nil {
			return nil, err
		}
		return found, os.WriteFile(path, append(b, '\n'), 0o644)
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var last record.Full
	return &last, json.Unmarshal(b, &last)
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
