// Command terraform-provider-availability is the Terraform provider availability.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/availability-signal/terraform-provider-availability/provider"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// version is the release, set by the linker.
var version = "dev"

const address = "registry.terraform.io/availability-signal/availability"

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger: print the environment variable that connects Terraform, and keep running")
	printVersion := flag.Bool("version", false, "print the version, and that of the embedded time zones, then exit")
	flag.Parse()
	if *printVersion {
		fmt.Printf("terraform-provider-availability %s (time zones %s)\n", version, signal.ZoneVersion())
		return
	}
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{Address: address, Debug: *debug})
	if err != nil {
		log.Fatal(err)
	}
}
