// Custom-source is the runtime's Lambda function with a source of its own: a date's
// availability is its quota less the permits issued from it.
package main

import (
	"github.com/availability-signal/terraform-provider-availability/runtime/lambda"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// version is set by the linker.
var version = "dev"

func main() {
	lambda.Main(lambda.Function{
		Version: version,
		NewSource: func(p lambda.Platform) (source.Source, error) {
			return NewQuota(p.Inventory)
		},
	})
}
