package signal_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// What AWS refuses for its credentials or its rate is said in full, for a signal and
// for a range: what, on which table, what it means, what to do, and AWS's own words.
func TestSignals_refused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	settings := through(proxy)
	settings["max_retries"] = 0
	single, season := w.driver(signalType, settings), w.driver(rangeType, settings)
	one, many := exactSignal(nil), exactRange(acctest.Config{"start_date": "2090-07-02"})
	in15 := acctest.Config{"cadence_bucket": "15min"}
	const (
		oneName    = `signal "mockPark1/backcountryCamp/1/1 2090-07-01"`
		manyName   = `signal range "mockPark1/backcountryCamp/1/1 2090-07-02/2090-07-31"`
		notMade    = "It is not in the table, and not in the state."
		notSeeded  = "Nothing has been seeded, and it is not in the state."
		asItWas    = "The state is as it was."
		notUpdated = "The state is as it was. What has been written all the same, the next plan shows."
		inPart     = "Part of the change may have been made: the next plan shows what is left to do."
		stays      = "It stays in the state."
		staysPart  = "It stays in the state, though part of it may be gone."
	)
	refusals := []struct{ name, code, message, what, do string }{
		{"expired", "ExpiredTokenException", "The security token included in the request is expired", "The AWS credentials have expired.", "Get new ones, then run Terraform again."},
		{
			"unknown", "UnrecognizedClientException", "The security token included in the request is invalid.", "AWS does not accept the credentials.",
			"Check which ones the provider uses: its access_key, secret_key and token, its profile, or what the environment has. Check the clock of this machine too.",
		},
		{
			"not allowed", "AccessDeniedException", "User: arn:aws:iam::123456789012:user/planner is not authorized to perform: that on resource: this",
			fmt.Sprintf("The credentials are not allowed to do this with table %q.", w.table), "Allow them the action that AWS names, or have the provider use others.",
		},
		{
			"throttled", "ThrottlingException", "Rate exceeded",
			fmt.Sprintf("Table %q is throttled: it had no capacity left, however often the request was repeated.", w.table),
			"Raise the table's capacity or wait for the load to pass, then run terraform apply again.",
		},
	}
	steps := []struct {
		verb, thing, operation, state string
		do                            func() []string
	}{
		{"create", oneName, "GetItem", notMade, func() []string { return single.Apply(one) }},
		{"create", oneName, "PutItem", notMade, func() []string { return single.Apply(one) }},
		{"", "", "", "", func() []string { return single.Apply(one) }},
		{"read", oneName, "GetItem", asItWas, single.Refresh},
		{"update", oneName, "UpdateItem", notUpdated, func() []string { return single.Apply(with(one, in15)) }},
		{"destroy", oneName, "DeleteItem", stays, single.Destroy},
		{"", "", "", "", single.Destroy},
		{"create", manyName, "GetItem", notSeeded, func() []string { return season.Apply(many) }},
		{"create", manyName, "Query", notSeeded, func() []string { return season.Apply(many) }},
		{"", "", "", "", func() []string { return season.Apply(many) }},
		{"read", manyName, "Query", asItWas, season.Refresh},
		{"update", manyName, "UpdateItem", inPart, func() []string { return season.Apply(with(many, in15)) }},
		{"destroy", manyName, "Query", staysPart, season.DestroyUnrefreshed},
		{"", "", "", "", season.Destroy},
	}
	for _, step := range steps {
		if step.operation == "" {
			proxy.Set()
			holdErrors(t, step.do())
			continue
		}
		for _, r := range refusals {
			proxy.Set(acctest.Fault{Operation: step.operation, Effect: acctest.Fail(http.StatusBadRequest, r.code, r.message)})
			got, do := step.do(), r.do
			if step.verb == "destroy" && step.thing == manyName {
				do += " The next destroy does the rest."
			}
			t.Run(step.verb+" "+step.operation+" "+r.name, func(t *testing.T) {
				holdErrors(t, got, fmt.Sprintf("Unable to %s %s: %s\n\n%s\n\n%s\n\nDynamoDB answered %s with %s: %s (request id injected)",
					step.verb, step.thing, r.what, step.state, do, step.operation, r.code, r.message))
			})
		}
	}
	if err := holdThere(w, ""); err != nil {
		t.Error(err)
	}
}

// A table of another key cannot have signals: nothing is written, and what its keys
// are to be is said.
func TestSignals_tableOfAnotherKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	table := acctest.Name("availability-other-key")
	_, err := w.client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &table, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { acctest.DeleteTable(t, table) })
	in := acctest.Config{"table_name": table}
	said := func(what string) string {
		return what + fmt.Sprintf(`Table %q did not accept the request.

%%s

Check that it has the keys pk and sk, both strings, and the cadence index the keys gsipk and gsisk.

DynamoDB answered GetItem with ValidationException: ANY`, table)
	}
	single, season := w.driver(signalType, nil), w.driver(rangeType, nil)
	for _, tt := range []struct {
		got  []string
		want string
	}{
		{single.Apply(exactSignal(in)), fmt.Sprintf(said(`Unable to create signal "mockPark1/backcountryCamp/1/1 2090-07-01": `), "It is not in the table, and not in the state.")},
		{season.Apply(exactRange(in)), fmt.Sprintf(said(`Unable to create signal range "mockPark1/backcountryCamp/1/1 2090-07-01/2090-07-31": `), "Nothing has been seeded, and it is not in the state.")},
	} {
		if len(tt.got) != 1 || !acctest.Text(tt.want).MatchString(tt.got[0]) {
			t.Errorf("errors: %q\nwant: %s", tt.got, tt.want)
		}
	}
	if single.State() != nil || season.State() != nil {
		t.Error("there is a state")
	}
}
