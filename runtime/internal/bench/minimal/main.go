// Minimal is the least that a Lambda in Go can be which reads an item of a table:
// what the runtime's size and start are compared with.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func main() {
	db := dynamodb.New(dynamodb.Options{
		Region: os.Getenv("AWS_REGION"),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"), SessionToken: os.Getenv("AWS_SESSION_TOKEN")}, nil
		}),
	})
	lambda.Start(func(ctx context.Context, key string) (bool, error) {
		out, err := db.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: aws.String(os.Getenv("TABLE_NAME")),
			Key:       map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: key}},
		})
		return err == nil && len(out.Item) > 0, err
	})
}
