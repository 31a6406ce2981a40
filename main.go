// Command terraform-provider-availability is the Terraform provider availability.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/availability-signal/terraform-provider-availability/provider"
	"github.com/availability-signal/terraform-provider-availability/runtime/bundle"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// version is the release, set by the linker.
var version = "dev"

const address = "registry.terraform.io/availability-signal/availability"

func main() {
	log.SetFlags(0)
	debug := flag.Bool("debug", false, "serve for a debugger: print the environment variable that connects Terraform, and keep running")
	printVersion := flag.Bool("version", false, "print the version, and that of the embedded time zones, then exit")
	architecture := flag.String("extract-runtime", "", "write the Lambda package for an architecture, arm64 or x86_64, to the file that follows, then exit")
	flag.Parse()
	switch {
	case *printVersion:
		fmt.Printf("terraform-provider-availability %s (Lambda package %s, time zones %s)\n", version, bundle.Version(), signal.ZoneVersion())
	case *architecture != "":
		if err := extract(*architecture, flag.Args()); err != nil {
			log.Fatal(err)
		}
	default:
		if !*debug {
			if err := provider.Tune(); err != nil {
				log.Fatal(err)
			}
		}
		err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{Address: address, Debug: *debug})
		if err != nil {
			log.Fatal(err)
		}
	}
}

func extract(architecture string, files []string) error {
	if len(files) != 1 {
		return fmt.Errorf("unable to extract the Lambda package: expected one file, as in -extract-runtime %s runtime.zip", architecture)
	}
	p, err := bundle.Embedded().Package(architecture)
	if err == nil {
		err = p.WriteFile(files[0])
	}
	if err != nil {
		return fmt.Errorf("unable to extract the Lambda package: %w", err)
	}
	return nil
}
