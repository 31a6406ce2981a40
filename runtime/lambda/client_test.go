package lambda_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/lambda"
)

// A connection may die while the function is frozen: nothing on it is ever
// answered, and nothing says so.
func TestClient_givesUpADeadConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dialled := 0
		client := lambda.NewClientOver(func() net.Conn {
			dialled++
			ours, theirs := net.Pipe()
			go serve(theirs, dialled > 1)
			return ours
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		_, err := client.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: aws.String("signals"),
			Key:       map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "p"}},
		})
		if err != nil || dialled != 2 {
			t.Errorf("want an answer on a second connection: %d dialled, error %v", dialled, err)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("it took %s to give the first one up", took)
		}
	})
}

// serve reads the one request of a connection, and answers it unless the connection
// is dead.
func serve(conn net.Conn, alive bool) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	request, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	if _, err := io.Copy(io.Discard, request.Body); err != nil {
		return
	}
	if !alive {
		_, _ = in.ReadByte() // until the client closes it
		return
	}
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
}
