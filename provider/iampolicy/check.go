package iampolicy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	indexPattern    = regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)
	rulePattern     = regexp.MustCompile(`^[a-zA-Z0-9_.*-]{1,64}$`)
	keyPattern      = regexp.MustCompile(`^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[a-zA-Z0-9-]+$`)
	functionPattern = regexp.MustCompile(`^arn:aws[a-z-]*:lambda:[a-z0-9-]+:[0-9]{12}:function:[a-zA-Z0-9_-]+(:[a-zA-Z0-9$_-]+)?$`)
	streamPattern   = regexp.MustCompile(`^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:[0-9]{12}:table/[a-zA-Z0-9_.-]+/stream/[^/]+$`)
	logGroupPattern = regexp.MustCompile(`^arn:aws[a-z-]*:logs:[a-z0-9-]+:[0-9]{12}:log-group:[^:*]+$`)
	failurePattern  = regexp.MustCompile(`^arn:aws[a-z-]*:(sqs|sns):[a-z0-9-]+:[0-9]{12}:[a-zA-Z0-9_.-]+$`)
	literalPattern  = regexp.MustCompile(`^[^*?$]+$`)

	errEmptySet = errors.New("has no entry; leave it out for the default")
)

// check is what is wrong with the text of an attribute, or of an element of one.
func check(attribute, text string) error {
	one := func(of []string) error {
		if slices.Contains(of, text) {
			return nil
		}
		return fmt.Errorf("%q: expected one of %s", text, strings.Join(of, ", "))
	}
	match := func(pattern *regexp.Regexp, expected string) error {
		if pattern.MatchString(text) {
			return nil
		}
		return fmt.Errorf("%q: expected %s", text, expected)
	}
	switch attribute {
	case "role":
		return one(roles())
	case "source_type":
		return one(sources())
	case "tasks":
		return one(tasks())
	case "table_arn", "inventory_table_arn":
		_, err := parseTable(text)
		return err
	case "cadence_index_name", "global_id_index_name":
		return match(indexPattern, "an index's name of 3 to 255 letters, digits, and _ . -")
	case "kms_key_arns":
		return match(keyPattern, "a key's ARN, such as arn:aws:kms:ca-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab")
	case "rule_names":
		return match(rulePattern, "a rule's name of 1 to 64 letters, digits, and _ . -, with * for anything")
	case "source_function_arn":
		return match(functionPattern, "a function's ARN, such as arn:aws:lambda:ca-central-1:123456789012:function:estimate")
	case "stream_arn":
		return match(streamPattern, "a table's stream's ARN, such as arn:aws:dynamodb:ca-central-1:123456789012:table/reservations/stream/2027-01-01T00:00:00.000")
	case "log_group_arn":
		return match(logGroupPattern, "a log group's ARN without :* at its end, such as arn:aws:logs:ca-central-1:123456789012:log-group:/aws/lambda/availability")
	case "failure_destination_arn":
		return match(failurePattern, "the ARN of an SQS queue or of an SNS topic")
	case "inventory_key_prefix":
		return match(literalPattern, "what keys begin with, without *, ? and $, which IAM takes for patterns")
	case "inventory_attributes":
		return match(literalPattern, "an attribute's name, without *, ? and $, which IAM takes for patterns")
	}
	return nil
}
