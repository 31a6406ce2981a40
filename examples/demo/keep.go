package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// stay leaves everything running until it is interrupted, and prints how to look
// around.
func (d *demo) stay(ctx context.Context) error {
	d.out.scene("Kept", "Everything goes on running, a tick each minute, until Ctrl-C. To look around, in another terminal:")
	fmt.Fprintf(d.out.w, "\n%s\n", d.tour())
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, errInterrupted) {
		return err
	}
	d.out.line("stopped; the local AWS ends with all that is in it")
	return nil
}

// tour is shell commands to paste.
func (d *demo) tour() string {
	day := season.Day{Product: d.season.Telling(d.before, d.after)}
	date := d.season.ProductDate(day)
	key, bucket := date.Key(), d.season.Products[day.Product].Bucket
	var b strings.Builder
	add := func(comment string, commands ...string) {
		fmt.Fprintf(&b, "# %s\n%s\n\n", comment, strings.Join(commands, "\n"))
	}
	add("the local AWS, with credentials that mean nothing",
		"unset AWS_PROFILE AWS_SESSION_TOKEN",
		"export AWS_ENDPOINT_URL="+d.endpoint+" AWS_REGION="+d.cfg.Region+" AWS_DEFAULT_REGION="+d.cfg.Region+" AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test",
		"export TF_CLI_CONFIG_FILE="+quoted(d.tool.configFile))
	add("a signal",
		"aws dynamodb get-item --table-name "+tableName+" --key "+quoted(itemKey(key.PK, key.SK)))
	add("a bucket: its registry item and its last run",
		"aws dynamodb query --table-name "+tableName+" --key-condition-expression 'pk = :b' --expression-attribute-values "+
			quoted(fmt.Sprintf(`{":b": {"S": %q}}`, signal.BucketID(bucket))))
	if pools := d.season.Products[day.Product].Pools; len(pools) > 0 {
		add("take one by hand, then flip; a minute later the signal shows it",
			"aws dynamodb update-item --table-name "+tableName+" --key "+quoted(itemKey(date.PoolPK(), pools[0].Asset))+
				" --update-expression 'ADD availability :n' --expression-attribute-values '{\":n\": {\"N\": \"-1\"}}'",
			"aws dynamodb update-item --table-name "+tableName+" --key "+quoted(itemKey(key.PK, key.SK))+
				" --condition-expression 'attribute_exists(pk)'"+
				" --update-expression 'SET gsisk = :d, dirtySince = if_not_exists(dirtySince, :now) ADD rev :one'"+
				` --expression-attribute-values '{":d": {"S": "dirty"}, ":one": {"N": "1"}, ":now": {"S": "'$(date -u +%Y-%m-%dT%H:%M:%S.000Z)'"}}'`)
	}
	add("why a day shows what it shows, and whether all is well: the operators' command, in the source tree",
		"make operator",
		"bin/operator explain -function "+functionName+" "+quoted(date.String()),
		"bin/operator doctor -table "+tableName)
	add("the rules, and what the function logs",
		"aws events list-rules --name-prefix "+rulePrefix,
		"aws logs filter-log-events --log-group-name /aws/lambda/"+functionName+" --query 'events[].message' --output text")
	add("the configuration and its state",
		"cd "+quoted(d.tool.dir),
		d.tool.name+" state list",
		d.tool.name+" plan")
	return strings.TrimRight(b.String(), "\n")
}

func itemKey(pk, sk string) string { return fmt.Sprintf(`{"pk": {"S": %q}, "sk": {"S": %q}}`, pk, sk) }

// quoted is a word for the shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
