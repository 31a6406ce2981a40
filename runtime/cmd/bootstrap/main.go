// Bootstrap is the runtime's Lambda function: each invocation checks the dirty
// signals of one bucket, or handles records of the platform's stream.
package main

import "github.com/availability-signal/terraform-provider-availability/runtime/lambda"

// version is set by the linker.
var version = "dev"

func main() { lambda.Main(lambda.Function{Version: version}) }
