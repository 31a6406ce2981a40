package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

const (
	functionName = "availability-runtime"
	// account is the local AWS's.
	account = "000000000000"

	functionTimeoutSeconds = 300
	functionMemoryMB       = 512
)

// deployFunction creates the runtime's function, lets the table's rules invoke
// it, and returns its ARN.
func deployFunction(ctx context.Context, l *lambda.Client, region string, zip []byte) (arn string, err error) {
	architecture := types.ArchitectureX8664
	if runtime.GOARCH == "arm64" {
		architecture = types.ArchitectureArm64
	}
	f, err := l.CreateFunction(ctx, &lambda.CreateFunctionInput{
		FunctionName:  aws.String(functionName),
		Runtime:       types.RuntimeProvidedal2023,
		Handler:       aws.String("bootstrap"),
		Architectures: []types.Architecture{architecture},
		Code:          &types.FunctionCode{ZipFile: zip},
		Role:          aws.String(fmt.Sprintf("arn:aws:iam::%s:role/%s", account, functionName)),
		Timeout:       aws.Int32(functionTimeoutSeconds),
		MemorySize:    aws.Int32(functionMemoryMB),
		Environment:   &types.Environment{Variables: map[string]string{"AVAILABILITY_TABLE_NAME": tableName}},
	})
	if err != nil {
		return "", fmt.Errorf("create function %q: %w", functionName, err)
	}
	if err := lambda.NewFunctionActiveV2Waiter(l).Wait(ctx, &lambda.GetFunctionInput{FunctionName: aws.String(functionName)}, awaitable); err != nil {
		return "", fmt.Errorf("wait for function %q: %w", functionName, err)
	}
	// As in production: what a tick has not done, the next one does.
	_, err = l.PutFunctionEventInvokeConfig(ctx, &lambda.PutFunctionEventInvokeConfigInput{
		FunctionName:             aws.String(functionName),
		MaximumRetryAttempts:     aws.Int32(0),
		MaximumEventAgeInSeconds: aws.Int32(60),
	})
	if err != nil {
		return "", fmt.Errorf("set how function %q is invoked: %w", functionName, err)
	}
	_, err = l.AddPermission(ctx, &lambda.AddPermissionInput{
		FunctionName: aws.String(functionName),
		StatementId:  aws.String("rules"),
		Action:       aws.String("lambda:InvokeFunction"),
		Principal:    aws.String("events.amazonaws.com"),
		SourceArn:    aws.String(fmt.Sprintf("arn:aws:events:%s:%s:rule/%s*", region, account, rulePrefix)),
	})
	if err != nil {
		return "", fmt.Errorf("let EventBridge invoke function %q: %w", functionName, err)
	}
	return aws.ToString(f.FunctionArn), nil
}

func deleteFunction(ctx context.Context, l *lambda.Client) error {
	if _, err := l.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: aws.String(functionName)}); err != nil {
		return fmt.Errorf("delete function %q: %w", functionName, err)
	}
	return nil
}
