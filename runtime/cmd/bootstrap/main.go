// Bootstrap is the runtime's Lambda function: each invocation checks the dirty
// signals of one bucket, or handles records of the platform's stream.
package main

import (
	"flag"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// version is set by the linker.
var version = "dev"

func main() {
	printVersion := flag.Bool("version", false, "print the version and that of the time zone data, and exit")
	flag.Parse()
	if *printVersion {
		fmt.Printf("availability runtime %s, time zone data %s\n", version, signal.ZoneVersion())
		return
	}
	// The Lambda library logs errors as JSON, by the standard logger.
	log.SetFlags(0)
	s, err := readSettings(os.Getenv)
	logger := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: s.level}))
	if err != nil {
		// It goes on: an invocation's error is seen by whoever looks at why it
		// failed, which a process that ends is not.
		logger.Error("settings unusable", "error", err.Error())
		lambda.Start(&handler{log: logger, unusable: err})
		return
	}
	logger.Debug("start", "version", version, "zones", signal.ZoneVersion())
	lambda.Start(newHandler(s, logger))
}
