package suite

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/availability-signal/terraform-provider-availability/runtime/bundle"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
)

const megabyte = 1e6

// binary is P8: the Lambda's size and start.
func (s *Suite) binary(ctx context.Context) (record.Row, error) {
	r := record.Row{
		Title: "The Lambda's size and start",
		How:   "The bootstrap as it is released for arm64, and its zip, beside a minimal Lambda that reads one DynamoDB item, built in the same way. On this machine's own architecture, the two start in turns, from the start of the process to its first poll of the Runtime API.",
	}
	ours := s.bootstrap("arm64")
	theirs, err := s.minimal(ctx, "arm64")
	if err != nil {
		return r, err
	}
	sizes := map[string]int64{}
	zips := map[string]int64{}
	for _, path := range []string{ours, theirs} {
		if sizes[path], zips[path], err = weigh(path); err != nil {
			return r, err
		}
	}
	start, err := s.starts(ctx)
	if err != nil {
		return r, err
	}
	r.Lines = []record.Line{
		{What: "bootstrap for arm64, time zones included", Value: float64(sizes[ours]) / megabyte, Unit: "MB", Goal: record.AtMost(9), Detail: "the minimal one " + record.Quantity(float64(sizes[theirs])/megabyte, "MB")},
		{What: "its zip", Value: float64(zips[ours]) / megabyte, Unit: "MB", Goal: record.AtMost(3.5), Detail: "the minimal one's " + record.Quantity(float64(zips[theirs])/megabyte, "MB")},
		start.Line("start to first poll, by the minimal one", "ms", record.AtMost(1.25)),
	}
	return r, nil
}

// weigh returns the size of a program, and that of its Lambda package.
func weigh(path string) (plain, zipped int64, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, err
	}
	var out bytes.Buffer
	err = bundle.Pack(&out, bytes.NewReader(b))
	return int64(len(b)), int64(out.Len()), err
}

// starts compares the milliseconds until the first poll. One start is short, so
// there are more of them than of other measurements.
func (s *Suite) starts(ctx context.Context) (p record.Pair, err error) {
	minimal, err := s.minimal(ctx, runtime.GOARCH)
	if err != nil {
		return p, err
	}
	binaries := []string{s.bootstrap(runtime.GOARCH), minimal}
	start := func(binary string) func() (float64, error) {
		return func() (float64, error) {
			l, err := startLambda(ctx, binary)
			if err != nil {
				return 0, err
			}
			defer l.stop()
			took, err := l.firstPoll()
			return float64(took.Microseconds()) / 1000, err
		}
	}
	// The first start of each reads it from the disk.
	for _, b := range binaries {
		if _, err := start(b)(); err != nil {
			return p, fmt.Errorf("start: %w", err)
		}
	}
	return record.Alternate(s.sized(31, 3), start(binaries[0]), start(binaries[1]))
}
