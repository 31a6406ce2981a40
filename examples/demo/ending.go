package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func (d *demo) plan(ctx context.Context) error {
	d.out.scene("Plan", "All those values were written behind %s's back. Does it want to change anything?", d.tool.name)
	if err := d.tool.emptyPlan(ctx); err != nil {
		return err
	}
	d.out.line("no changes: what the runtime computes is no attribute of a resource")
	return nil
}

func (d *demo) destroy(ctx context.Context) error {
	d.out.scene("Destroy", "%s destroy, then the function and the table.", d.tool.name)
	if err := d.tool.destroy(ctx); err != nil {
		return err
	}
	if err := d.nothingLeft(ctx); err != nil {
		return &logged{d.tool.log, err}
	}
	if err := errors.Join(deleteFunction(ctx, d.lambda), deleteTable(ctx, d.db, tableName)); err != nil {
		return err
	}
	d.out.line("no signal, rule or bucket is left; all of it took %s", time.Since(d.out.began).Round(time.Second))
	return nil
}

// nothingLeft fails if a destroy has forgotten something.
func (d *demo) nothingLeft(ctx context.Context) error {
	signals, err := readSignals(ctx, d.store, d.season)
	if err != nil {
		return err
	}
	if len(signals) > 0 {
		return fmt.Errorf("%s left after the destroy", plural(len(signals), "signal"))
	}
	for _, name := range d.season.Buckets() {
		item, err := d.store.Get(ctx, signal.RegistryKey(name))
		if err != nil {
			return err
		}
		if item != nil {
			return fmt.Errorf("bucket %q is still registered after the destroy", name)
		}
	}
	out, err := d.rules.ListRules(ctx, &eventbridge.ListRulesInput{NamePrefix: aws.String(rulePrefix)})
	if err != nil {
		return fmt.Errorf("list the rules: %w", err)
	}
	if n := len(out.Rules); n > 0 {
		return fmt.Errorf("%s left after the destroy, %q among them", plural(n, "rule"), aws.ToString(out.Rules[0].Name))
	}
	return nil
}
