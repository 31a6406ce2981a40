// Package served puts a client of the simulator behind HTTP, in DynamoDB's own
// protocol, so that another process can use it: the real Lambda, whose memory and
// start are to be measured.
package served

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// Handler serves the operations that api, a client of the simulator, has as
// methods.
func Handler(api any) http.Handler { return handler{reflect.ValueOf(api)} }

type handler struct{ api reflect.Value }

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	out, err := h.call(r.Context(), operation, r)
	status := http.StatusOK
	var body []byte
	if err == nil {
		body = encode(nil, reflect.ValueOf(out))
	} else {
		status, body = failure(err)
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(status)
	_, _ = w.Write(body) // A caller that has gone needs no answer.
}

func (h handler) call(ctx context.Context, operation string, r *http.Request) (any, error) {
	method := h.api.MethodByName(operation)
	if !method.IsValid() || method.Type().NumIn() != 3 {
		return nil, &smithy.GenericAPIError{Code: "UnknownOperationException", Message: operation}
	}
	var raw json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&raw); err != nil {
		return nil, &smithy.GenericAPIError{Code: "SerializationException", Message: err.Error()}
	}
	in := reflect.New(method.Type().In(1).Elem())
	if err := decode(raw, in.Elem()); err != nil {
		return nil, &smithy.GenericAPIError{Code: "SerializationException", Message: err.Error()}
	}
	answer := method.Call([]reflect.Value{reflect.ValueOf(ctx), in})
	if err, failed := answer[1].Interface().(error); failed {
		return nil, err
	}
	return answer[0].Interface(), nil
}

func failure(err error) (status int, body []byte) {
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		api = &smithy.GenericAPIError{Code: "InternalServerError", Message: err.Error()}
	}
	status = http.StatusBadRequest
	if api.ErrorCode() == "InternalServerError" {
		status = http.StatusInternalServerError
	}
	body = text(name([]byte{'{'}, "__type"), "com.amazonaws.dynamodb.v20120810#"+api.ErrorCode())
	body = text(name(body, "message"), api.ErrorMessage())
	if refused, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok && refused.Item != nil {
		body = attributes(name(body, "Item"), refused.Item)
	}
	return status, append(body, '}')
}

var errValue = errors.New("no attribute value")

// attribute adds an attribute value as it is sent.
func attribute(b []byte, v types.AttributeValue) []byte {
	b = append(b, '{')
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		b = text(name(b, "S"), v.Value)
	case *types.AttributeValueMemberN:
		b = text(name(b, "N"), v.Value)
	case *types.AttributeValueMemberBOOL:
		b = strconv.AppendBool(name(b, "BOOL"), v.Value)
	case *types.AttributeValueMemberNULL:
		b = strconv.AppendBool(name(b, "NULL"), v.Value)
	case *types.AttributeValueMemberM:
		b = attributes(name(b, "M"), v.Value)
	case *types.AttributeValueMemberL:
		b = append(name(b, "L"), '[')
		for _, e := range v.Value {
			b = attribute(next(b), e)
		}
		b = append(b, ']')
	default:
		panic(fmt.Sprintf("an attribute value of type %T, which no signal has", v))
	}
	return append(b, '}')
}

func parseAttribute(raw json.RawMessage) (types.AttributeValue, error) {
	var v struct {
		S, N       *string
		BOOL, NULL *bool
		M          map[string]json.RawMessage
		L          []json.RawMessage
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, err
	}
	switch {
	case v.S != nil:
		return &types.AttributeValueMemberS{Value: *v.S}, nil
	case v.N != nil:
		return &types.AttributeValueMemberN{Value: *v.N}, nil
	case v.BOOL != nil:
		return &types.AttributeValueMemberBOOL{Value: *v.BOOL}, nil
	case v.NULL != nil:
		return &types.AttributeValueMemberNULL{Value: *v.NULL}, nil
	case v.L != nil:
		l := &types.AttributeValueMemberL{Value: make([]types.AttributeValue, len(v.L))}
		return l, decodeList(v.L, reflect.ValueOf(l.Value))
	case v.M != nil:
		m := &types.AttributeValueMemberM{Value: make(map[string]types.AttributeValue, len(v.M))}
		return m, decodeMap(v.M, reflect.ValueOf(m.Value))
	}
	return nil, fmt.Errorf("%w: %s", errValue, raw)
}
