package lambda

import (
	"flag"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Function is what tells one binary from another.
type Function struct {
	// Version is what -version prints.
	Version string
	// NewSource makes the source of a binary that has one of its own; its error is
	// what every invocation then answers with. Nil is the source that
	// AVAILABILITY_SOURCE names.
	NewSource NewSource
}

// Main is the main function of a Lambda. It returns only after -version.
func Main(f Function) {
	flags := flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	printVersion := flags.Bool("version", false, "print the version and that of the time zone data, and exit")
	_ = flags.Parse(os.Args[1:]) // It exits on errors.
	if *printVersion {
		_, _ = fmt.Fprintf(os.Stdout, "availability runtime %s, time zone data %s\n", f.Version, signal.ZoneVersion())
		return
	}
	// The Lambda library logs errors as JSON, by the standard logger.
	log.SetFlags(0)
	s, err := readSettings(os.Getenv, f.NewSource != nil)
	logger := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: s.level}))
	var h *handler
	if err == nil {
		h, err = newHandler(s, f.NewSource, logger)
	}
	if err != nil {
		// It goes on: an invocation's error is seen by whoever looks at why it
		// failed, which a process that ends is not.
		logger.Error("settings unusable", "error", err.Error())
		lambda.Start(&handler{log: logger, unusable: err})
		return
	}
	logger.Debug("start", "version", f.Version, "zones", signal.ZoneVersion())
	lambda.Start(h)
}
