package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// mostReaders is how many readers a stream's shard can feed before they slow one
// another down.
const mostReaders = 2

// streams examines the stream of the platform's table, and who reads it.
func (x *exam) streams(ctx context.Context) {
	out, err := x.DynamoDB.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &x.Inventory})
	if err != nil {
		x.failed(AreaStream, "dynamodb:DescribeTable", x.Inventory, err)
		return
	}
	about := "stream of " + x.Inventory
	const kept = "enable the table's stream (KEYS_ONLY is enough) and map it to the function (aws_lambda_event_source_mapping), or take the signals over by Terraform or another seeder"
	on := out.Table.StreamSpecification != nil && aws.ToBool(out.Table.StreamSpecification.StreamEnabled)
	arn := aws.ToString(out.Table.LatestStreamArn)
	if !on || arn == "" {
		if x.census.byStream > 0 {
			x.find(AreaStream, Fault, about, fmt.Sprintf("the stream is off, and %d signals are kept by it: neither changes of their inventory nor of their dates reach them", x.census.byStream), kept)
		}
		return
	}
	mappings, err := x.mappings(ctx, arn)
	if err != nil {
		x.failed(AreaStream, "lambda:ListEventSourceMappings", about, err)
		return
	}
	if len(mappings) > mostReaders {
		x.find(AreaStream, Warning, about, fmt.Sprintf("%d functions read it: more than two slow one another down", len(mappings)), "let one function hand the records on (EventBridge Pipes, SNS, Kinesis)")
	}
	ours := 0
	for _, m := range mappings {
		if x.ours(aws.ToString(m.FunctionArn)) {
			ours++
			x.mapping(m)
		}
	}
	if ours == 0 && x.census.byStream > 0 && !x.rulesUnread {
		x.find(AreaStream, Fault, about, fmt.Sprintf("no function of the buckets reads it, and %d signals are kept by it", x.census.byStream), kept)
	}
}

func (x *exam) mappings(ctx context.Context, stream string) ([]types.EventSourceMappingConfiguration, error) {
	var all []types.EventSourceMappingConfiguration
	in := &lambda.ListEventSourceMappingsInput{EventSourceArn: &stream}
	for {
		out, err := x.Functions.ListEventSourceMappings(ctx, in)
		if err != nil {
			return nil, err
		}
		all = append(all, out.EventSourceMappings...)
		if aws.ToString(out.NextMarker) == "" {
			return all, nil
		}
		in.Marker = out.NextMarker
	}
}

// ours is whether a function is one that a bucket's rule invokes.
func (x *exam) ours(arn string) bool {
	return slices.ContainsFunc(x.report.Buckets, func(b Bucket) bool {
		return slices.ContainsFunc(b.Functions, func(f string) bool { return unqualified(f) == unqualified(arn) })
	})
}

// unqualified is a function's ARN without its version or alias.
func unqualified(arn string) string {
	parts := strings.Split(arn, ":")
	return strings.Join(parts[:min(len(parts), 7)], ":")
}

func (x *exam) mapping(m types.EventSourceMappingConfiguration) {
	about := "event source mapping " + aws.ToString(m.UUID)
	if state := aws.ToString(m.State); state == "Disabled" || state == "Disabling" {
		x.find(AreaStream, Fault, about, "it is "+state+": no change in the platform's table reaches a signal", "enable it; then operator sync, for what it has missed, and operator audit")
	}
	if result := aws.ToString(m.LastProcessingResult); strings.Contains(result, "PROBLEM") {
		x.find(AreaStream, Fault, about, "its last batch failed: "+result, "the function's log says why; records wait for a day, then they are lost: operator sync and operator audit mend that")
	}
	if !slices.Contains(m.FunctionResponseTypes, types.FunctionResponseTypeReportBatchItemFailures) {
		x.find(AreaStream, Fault, about, "it has no ReportBatchItemFailures: records that the function wants again are lost", `function_response_types = ["ReportBatchItemFailures"]`)
	}
	if m.DestinationConfig == nil || m.DestinationConfig.OnFailure == nil || aws.ToString(m.DestinationConfig.OnFailure.Destination) == "" {
		x.find(AreaStream, Note, about, "records that are given up on go nowhere", "an on-failure destination, with an alarm on it")
	}
	x.filters(about, m)
}

func (x *exam) filters(about string, m types.EventSourceMappingConfiguration) {
	remedy := `filter_criteria with a filter {"dynamodb": {"Keys": {"pk": {"S": [{"prefix": "..."}]}}}} for each of inventoryPool:: or inventory::, productDate:: and product::`
	var prefixes []string
	if m.FilterCriteria != nil {
		for _, f := range m.FilterCriteria.Filters {
			prefixes = append(prefixes, prefixesOf(aws.ToString(f.Pattern))...)
		}
	}
	if m.FilterCriteria == nil || len(m.FilterCriteria.Filters) == 0 {
		if x.Table == x.Inventory {
			x.find(AreaStream, Warning, about, "it has no filter: the runtime's own writes invoke the function, in vain", remedy)
		}
		return
	}
	passes := func(pk string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(pk, p) })
	}
	if passes(signal.SchemaSignal + "::") {
		x.find(AreaStream, Warning, about, "its filters let signals through: the runtime's own writes invoke the function, in vain", remedy)
	}
	if !passes(signal.SchemaPool+"::") && !passes(signal.SchemaUnit+"::") {
		x.find(AreaStream, Fault, about, "its filters keep the inventory out: no booking flips a signal by it", remedy)
	}
	severity := Warning
	if x.census.byStream == 0 {
		severity, remedy = Note, "nothing, if signals are seeded otherwise; else "+remedy
	}
	for _, schema := range []string{signal.SchemaProductDate, signal.SchemaProduct} {
		if !passes(schema + "::") {
			x.find(AreaStream, severity, about, "its filters keep "+schema+" items out: their changes seed, change and delete no signal", remedy)
		}
	}
}

// prefixesOf are the prefixes of pk that a filter's pattern lets through.
func prefixesOf(pattern string) []string {
	var p struct {
		DynamoDB struct {
			Keys struct {
				PK struct {
					S []json.RawMessage `json:"S"`
				} `json:"pk"`
			} `json:"Keys"`
		} `json:"dynamodb"`
	}
	if json.Unmarshal([]byte(pattern), &p) != nil {
		return nil
	}
	var prefixes []string
	for _, raw := range p.DynamoDB.Keys.PK.S {
		var match struct {
			Prefix *string `json:"prefix"`
		}
		if json.Unmarshal(raw, &match) == nil && match.Prefix != nil {
			prefixes = append(prefixes, *match.Prefix)
		}
	}
	return prefixes
}
