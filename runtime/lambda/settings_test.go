package lambda_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/availability-signal/terraform-provider-availability/runtime/lambda"
)

// Whatever the environment says, the function can use it or says which variables it
// cannot use, and shows no secret.
func FuzzSettings(f *testing.F) {
	const table = "AVAILABILITY_TABLE_NAME=reservations\n"
	f.Add(table, "", "")
	f.Add(table+"AVAILABILITY_SOURCE=http", "https://availability.example.com/estimates?key=hunter22", "hunter2hunter2")
	f.Add(table+"AVAILABILITY_SOURCE=http\nAVAILABILITY_SOURCE_TIMEOUT_SECONDS=0\nAVAILABILITY_SOURCE_SIGNING_SERVICE=Lambda", "ftp://hunter22", "hunter2 hunter2")
	f.Add(table+"AVAILABILITY_SOURCE=lambda\nAVAILABILITY_SOURCE_FUNCTION=123456789012:function:x:1\nAVAILABILITY_SOURCE_QUALIFIER=live", "", "")
	f.Add(table+"AVAILABILITY_SOURCE=inventory-units\nAVAILABILITY_SOURCE_KEY_TEMPLATE={date}::{productId}\nAVAILABILITY_SOURCE_RETIRED_STATUSES=a,,b", "", "")
	f.Add("AVAILABILITY_TABLE_NAME=arn:aws:dynamodb\nAVAILABILITY_DEFAULT_PATTERN={\"estimationMode\": \"exact\"}\nAVAILABILITY_DEFAULT_BUCKET=5Min", "", "")
	f.Fuzz(func(t *testing.T, variables, url, token string) {
		environment := map[string]string{}
		for line := range strings.Lines(variables) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			environment[name] = value
		}
		if url != "" {
			environment["AVAILABILITY_SOURCE_URL"] = url
		}
		if token != "" {
			environment["AVAILABILITY_SOURCE_BEARER_TOKEN"] = token
		}
		getenv := func(name string) string {
			switch name {
			case "AWS_REGION":
				return "us-east-1"
			case "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY":
				return "of the function's role"
			}
			return environment[name]
		}
		err := lambda.ReadSettings(getenv)
		faults := lambda.CheckSettings(getenv)
		if (err != nil) != (len(faults) > 0) {
			t.Fatalf("%d faults of %v", len(faults), err)
		}
		for _, fault := range faults {
			text := fault.Error()
			if !strings.HasPrefix(fault.Variable, "AVAILABILITY_") && !strings.HasPrefix(fault.Variable, "AWS_ENDPOINT_URL") || !utf8.ValidString(text) || strings.ContainsAny(text, "\n\r") {
				t.Errorf("%q: %q", fault.Variable, text)
			}
			// What is as long as this is in no text by chance.
			for _, secret := range []string{url, token} {
				if len(secret) > 12 && !strings.Contains(variables, secret) && strings.Contains(text, secret) {
					t.Errorf("it shows %q: %q", secret, text)
				}
			}
		}
	})
}
