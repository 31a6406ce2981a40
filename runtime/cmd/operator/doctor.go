package main

import (
	"context"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	awslambda "github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/availability-signal/terraform-provider-availability/runtime/doctor"
	"github.com/availability-signal/terraform-provider-availability/runtime/lambda"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
)

func (a *access) doctor(ctx context.Context, out io.Writer) (findings bool, err error) {
	table := a.getenv(lambda.EnvTable)
	d := doctor.Doctor{
		DynamoDB: a.db, Rules: eventbridge.NewFromConfig(a.cfg), Functions: awslambda.NewFromConfig(a.cfg),
		Table: table, Inventory: a.or(lambda.EnvInventory, table),
		CadenceIndex: a.or(lambda.EnvIndex, read.DefaultCadenceIndex), GlobalIDIndex: read.DefaultGlobalIDIndex,
		Now: time.Now, Skew: a.skew,
	}
	if a.globalID != "" {
		d.GlobalIDIndex = a.globalID
	}
	report, err := d.Examine(ctx)
	if err != nil {
		return false, err
	}
	return report.Bad(), a.print(out, report)
}
