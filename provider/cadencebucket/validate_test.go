package cadencebucket_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// Every mistake that can be seen without AWS is named at plan, with the attribute
// that it is in.
func TestBucket_validation(t *testing.T) {
	t.Parallel()
	driver := acctest.NewOfflineDriver(t, typeName)
	const summary = "Invalid cadence bucket: "
	target := acctest.Config{"arn": functionARN}
	with := func(attribute string, v any) acctest.Config {
		config := acctest.Config{"name": "5min", "cadence": acctest.Config{"minutes": 5}, "target": target}
		config[attribute] = v
		return config
	}
	cron := func(expression any) acctest.Config {
		return acctest.Config{"name": "5min", "cron": expression, "target": target}
	}
	const cronGot = `cron: Invalid cadence bucket: Invalid cron expression `
	const noQueue = `target.dead_letter_arn: Invalid Attribute Value Match: Attribute target.dead_letter_arn expected the ARN of an SQS queue that is no FIFO queue, such as arn:aws:sqs:ca-central-1:123456789012:missed-ticks, got: `
	const anyName = ": expected 1 to 40 lower-case letters, digits and hyphens, beginning with a letter or digit, such as 5min."
	tests := map[string]struct {
		config acctest.Config
		want   []string
	}{
		"minimal":      {config: with("enabled", true)},
		"name 15min":   {config: with("name", "15min")},
		"longest name": {config: with("name", strings.Repeat("a", 40))},
		"unknown name": {config: with("name", acctest.Unknown{})},
		"name in capitals": {
			config: with("name", "5Min"),
			want:   []string{`name: ` + summary + `Invalid bucket name "5Min"` + anyName},
		},
		"empty name": {
			config: with("name", ""),
			want:   []string{`name: ` + summary + `Invalid bucket name ""` + anyName},
		},
		"name too long": {
			config: with("name", strings.Repeat("a", 41)),
			want:   []string{`name: ` + summary + `Invalid bucket name "` + strings.Repeat("a", 41) + `"` + anyName},
		},

		"cadence of hours":  {config: with("cadence", acctest.Config{"hours": 1})},
		"cadence of days":   {config: with("cadence", acctest.Config{"days": 365})},
		"unknown cadence":   {config: with("cadence", acctest.Unknown{})},
		"unknown minutes":   {config: with("cadence", acctest.Config{"minutes": acctest.Unknown{}})},
		"unknown and known": {config: with("cadence", acctest.Config{"minutes": acctest.Unknown{}, "hours": 1})},
		"no schedule": {
			config: with("cadence", nil),
			want:   []string{summary + "It has no schedule: set cadence, such as cadence = { minutes = 5 }, or cron."},
		},
		"two schedules": {
			config: with("cron", "0 12 * * ? *"),
			want:   []string{"cron: " + summary + "cron and cadence are both set: a bucket has one schedule, remove either."},
		},
		"a schedule and an unknown one": {config: with("cron", acctest.Unknown{})},
		"empty cadence": {
			config: with("cadence", acctest.Config{}),
			want:   []string{"cadence: " + summary + "Invalid cadence: expected exactly one of minutes, hours and days, set to 1 or more, such as { minutes = 5 }; got none."},
		},
		"two units": {
			config: with("cadence", acctest.Config{"minutes": 30, "hours": 1}),
			want:   []string{"cadence: " + summary + "Invalid cadence: expected exactly one of minutes, hours and days, set to 1 or more, such as { minutes = 5 }; got minutes = 30, hours = 1."},
		},
		"no minutes": {
			config: with("cadence", acctest.Config{"minutes": 0}),
			want:   []string{"cadence.minutes: " + summary + "Invalid cadence: minutes: expected a whole number of at least 1, got 0. Leave out the units that are not used."},
		},
		"half a minute more": {
			config: with("cadence", acctest.Config{"minutes": 1.5}),
			want:   []string{"cadence.minutes: " + summary + "Expected a whole number, got 1.5."},
		},
		"more than 64 bits": {
			config: with("cadence", acctest.Config{"minutes": 1e30}),
			want:   []string{"cadence.minutes: " + summary + "Expected a whole number of at most 64 bits, got 1e+30."},
		},
		"half a shard more": {config: with("shards", 1.5), want: []string{"shards: " + summary + "Expected a whole number, got 1.5."}},
		"half a check": {
			config: with("checks", acctest.Config{"concurrency": 0.5}),
			want:   []string{"checks.concurrency: " + summary + "Expected a whole number, got 0.5."},
		},
		"half a retry": {
			config: with("target", acctest.Config{"arn": functionARN, "maximum_retry_attempts": 2.5}),
			want:   []string{"target.maximum_retry_attempts: " + summary + "Expected a whole number, got 2.5."},
		},
		"negative hours": {
			config: with("cadence", acctest.Config{"hours": -1}),
			want:   []string{"cadence.hours: " + summary + "Invalid cadence: hours: expected a whole number from 1 to 8760, a year, got -1."},
		},
		"too many days": {
			config: with("cadence", acctest.Config{"days": 366}),
			want:   []string{"cadence.days: " + summary + "Invalid cadence: days: expected a whole number from 1 to 365, a year, got 366."},
		},

		"cron":              {config: cron("0 12 * * ? *")},
		"cron, wrapped":     {config: cron("cron(0/15 6-22 ? * MON-FRI *)")},
		"unknown cron":      {config: cron(acctest.Unknown{})},
		"cron of five":      {config: cron("*/5 * * * *"), want: []string{cronGot + "\"*/5 * * * *\": EventBridge needs six fields (minutes hours day-of-month month day-of-week year); got five, as Unix cron writes it; did you mean `cron(*/5 * * * ? *)`?"}},
		"cron without ?":    {config: cron("0 12 * * * *"), want: []string{cronGot + "\"0 12 * * * *\": day-of-month and day-of-week: EventBridge needs ? in exactly one of them, got * and *; did you mean `cron(0 12 * * ? *)`?"}},
		"cron out of range": {config: cron("61 12 * * ? *"), want: []string{cronGot + "\"61 12 * * ? *\": minutes: 61 is out of range; allowed: 0-59 and , - * /."}},
		"rate as cron":      {config: cron("rate(5 minutes)"), want: []string{cronGot + "\"rate(5 minutes)\": this is a rate; set cadence = { minutes = 5 } instead."}},
		"empty cron":        {config: cron(""), want: []string{cronGot + "\"\": EventBridge needs six fields (minutes hours day-of-month month day-of-week year); got 0."}},

		"no target": {
			config: with("target", nil),
			want:   []string{`target: Missing Configuration for Required Attribute: Must set a configuration value for the target attribute as the provider has marked it as required.` + "\n\n" + `Refer to the provider documentation or contact the provider developers for additional information about configurable attributes that are required.`},
		},
		"unknown target":          {config: with("target", acctest.Unknown{})},
		"unknown arn":             {config: with("target", acctest.Config{"arn": acctest.Unknown{}})},
		"name as an ARN":          {config: with("target", acctest.Config{"arn": "availability"}), want: []string{`target.arn: Invalid Attribute Value Match: Attribute target.arn expected the ARN of a Lambda function, or of an alias or version of it, such as arn:aws:lambda:ca-central-1:123456789012:function:availability, got: availability`}},
		"a queue's ARN":           {config: with("target", acctest.Config{"arn": queueARN}), want: []string{`target.arn: Invalid Attribute Value Match: Attribute target.arn expected the ARN of a Lambda function, or of an alias or version of it, such as arn:aws:lambda:ca-central-1:123456789012:function:availability, got: ` + queueARN}},
		"empty dead letters":      {config: with("target", acctest.Config{"arn": functionARN, "dead_letter_arn": ""}), want: []string{noQueue}},
		"dead letters to a topic": {config: with("target", acctest.Config{"arn": functionARN, "dead_letter_arn": "arn:aws:sns:ca-central-1:123456789012:missed-ticks"}), want: []string{noQueue + "arn:aws:sns:ca-central-1:123456789012:missed-ticks"}},
		"dead letters in order":   {config: with("target", acctest.Config{"arn": functionARN, "dead_letter_arn": queueARN + ".fifo"}), want: []string{noQueue + queueARN + ".fifo"}},
		"event age 59":            {config: with("target", acctest.Config{"arn": functionARN, "maximum_event_age_seconds": 59}), want: []string{`target.maximum_event_age_seconds: Invalid Attribute Value: Attribute target.maximum_event_age_seconds value must be between 60 and 86400, got: 59`}},
		"no retries":              {config: with("target", acctest.Config{"arn": functionARN, "maximum_retry_attempts": 0})},
		"186 retries":             {config: with("target", acctest.Config{"arn": functionARN, "maximum_retry_attempts": 186}), want: []string{`target.maximum_retry_attempts: Invalid Attribute Value: Attribute target.maximum_retry_attempts value must be between 0 and 185, got: 186`}},

		"16 shards":      {config: with("shards", 16)},
		"unknown shards": {config: with("shards", acctest.Unknown{})},
		"no shards":      {config: with("shards", 0), want: []string{`shards: Invalid Attribute Value: Attribute shards value must be between 1 and 16, got: 0`}},
		"17 shards":      {config: with("shards", 17), want: []string{`shards: Invalid Attribute Value: Attribute shards value must be between 1 and 16, got: 17`}},
		"no audits":      {config: with("checks", acctest.Config{"max_staleness_minutes": 0})},
		"empty checks":   {config: with("checks", acctest.Config{})},
		"short lease":    {config: with("checks", acctest.Config{"lease_seconds": 29}), want: []string{`checks.lease_seconds: Invalid Attribute Value: Attribute checks.lease_seconds value must be between 30 and 3600, got: 29`}},

		"tags":           {config: with("tags", acctest.Config{"team": "reservations", "empty": ""})},
		"no tags":        {config: with("tags", acctest.Config{})},
		"unknown tag":    {config: with("tags", acctest.Config{"team": acctest.Unknown{}})},
		"unknown tags":   {config: with("tags", acctest.Unknown{})},
		"reserved tag":   {config: with("tags", acctest.Config{"availability:bucket": "x"}), want: []string{`tags.availability:bucket: ` + summary + `Tag keys that begin with "availability:" are the provider's own.`}},
		"AWS's tag":      {config: with("tags", acctest.Config{"aws:x": "y"}), want: []string{`tags.aws:x: ` + summary + `Tag keys that begin with "aws:" are AWS's own.`}},
		"null tag":       {config: with("tags", acctest.Config{"team": nil}), want: []string{`tags.team: ` + summary + `Tag "team" is null; leave it out, or set it to "".`}},
		"long tag value": {config: with("tags", acctest.Config{"team": strings.Repeat("x", 257)}), want: []string{`tags.team: ` + summary + `The value of tag "team" has more than 256 characters.`}},

		"empty description": {config: with("description", "")},
		"long description":  {config: with("description", strings.Repeat("é", 513)), want: []string{`description: Invalid Attribute Value Length: Attribute description UTF-8 character count must be at most 512, got: 513`}},
		"rule name with /":  {config: with("rule_name", "a/b"), want: []string{`rule_name: Invalid Attribute Value Match: Attribute rule_name expected 1 to 64 letters, digits, dots, hyphens and underscores, got: a/b`}},
		"table ARN": {
			config: with("table_name", "arn:aws:dynamodb:ca-central-1:123456789012:table/reservations"),
			want:   []string{`table_name: ` + summary + `Table name "arn:aws:dynamodb:ca-central-1:123456789012:table/reservations": expected the name of a table, not its ARN: 3 to 255 letters, digits, dots, hyphens and underscores.`},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { holdErrors(t, driver.Validate(tt.config), tt.want...) })
	}
}

// EventBridge reaches functions and queues of its own region only, which a plan says
// if it knows the region.
func TestBucket_targetOfAnotherRegion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := acctest.NewDriver(t, typeName, acctest.Config{"region": "eu-west-1"})
	config := bucketConfig(w, "5min", acctest.Config{"target": acctest.Config{"arn": functionARN, "dead_letter_arn": queueARN}})
	_, _, errs := d.Plan(config)
	holdErrors(t, errs, "target.arn: Invalid cadence bucket: The function is in region ca-central-1, but the provider's region, in which the rule is, is eu-west-1: a rule calls functions of its own region only. Correct the ARN or the provider's region.",
		"target.dead_letter_arn: Invalid cadence bucket: The queue is in region ca-central-1, but the provider's region, in which the rule is, is eu-west-1: a rule sends what it could not deliver to queues of its own region only. Correct the ARN or the provider's region.")
	if errs := d.Configure(acctest.Config{"region": acctest.Unknown{}}); len(errs) > 0 {
		t.Fatal(errs)
	}
	holdPlan(t, d, config, acctest.Create)
}

// The same messages through Terraform, which adds where they come from.
func TestBucket_validationInTerraform(t *testing.T) {
	t.Parallel()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      strings.Replace(minimal("reservations"), "{ minutes = 5 }", "{ minutes = 90, hours = 1 }", 1),
				PlanOnly:    true,
				ExpectError: acctest.Text("Error: Invalid cadence bucket with availability_cadence_bucket.test, on terraform_plugin_test.tf line ANY, in resource \"availability_cadence_bucket\" \"test\": ANY cadence = { minutes = 90, hours = 1 } Invalid cadence: expected exactly one of minutes, hours and days, set to 1 or more, such as { minutes = 5 }; got minutes = 90, hours = 1."),
			},
			{
				Config:      strings.Replace(minimal("reservations"), "cadence    = { minutes = 5 }", `cron = "0 12 * * * *"`, 1),
				PlanOnly:    true,
				ExpectError: acctest.Text("Error: Invalid cadence bucket ANY Invalid cron expression \"0 12 * * * *\": day-of-month and day-of-week: EventBridge needs ? in exactly one of them, got * and *; did you mean `cron(0 12 * * ? *)`?"),
			},
		},
	})
}
