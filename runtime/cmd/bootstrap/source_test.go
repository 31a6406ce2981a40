package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// estimates answers for each signal with 12 of 20, or nothing but an error.
func estimates(t *testing.T, answers http.HandlerFunc) (url string, authorization func() string) {
	t.Helper()
	var seen atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization"))
		if answers != nil {
			answers(w, r)
			return
		}
		var asked struct{ Signals []struct{ Key string } }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		list := make([]map[string]any, len(asked.Signals))
		for i, s := range asked.Signals {
			list[i] = map[string]any{"key": s.Key, "available": 12, "capacity": 20}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"version": 1, "answers": list})
	}))
	t.Cleanup(server.Close)
	return server.URL, func() string { s, _ := seen.Load().(string); return s }
}

func TestBootstrap_sourceOverTheNetwork(t *testing.T) {
	db := awstest.DynamoDB(t)
	bootstrap := build(t)
	url, asked := estimates(t, nil)
	for name, test := range map[string]struct {
		env  map[string]string
		want string
	}{
		"http with a token": {
			map[string]string{"AVAILABILITY_SOURCE": "http", "AVAILABILITY_SOURCE_URL": url + "/estimates", "AVAILABILITY_SOURCE_BEARER_TOKEN": "canary-token"},
			"POST /estimates Bearer canary-token",
		},
		"http, signed": {
			map[string]string{
				"AVAILABILITY_SOURCE": "http", "AVAILABILITY_SOURCE_URL": url + "/estimates",
				"AVAILABILITY_SOURCE_SIGNING_SERVICE": "execute-api", "AVAILABILITY_SOURCE_SIGNING_REGION": "ca-west-1",
			},
			"/ca-west-1/execute-api/aws4_request",
		},
		"lambda": {
			map[string]string{
				"AVAILABILITY_SOURCE": "lambda", "AVAILABILITY_SOURCE_FUNCTION": "estimate", "AVAILABILITY_SOURCE_QUALIFIER": "live",
				// The service's own goes before the one for all.
				"AWS_ENDPOINT_URL_LAMBDA": url,
			},
			"/ca-central-1/lambda/aws4_request",
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := newStore(t, db, awstest.Included)
			key := seed(t, db, store, store.Table(), "2027-07-01")
			test.env["AVAILABILITY_TABLE_NAME"] = store.Table()
			test.env["AVAILABILITY_LOG_LEVEL"] = "debug"
			l := start(t, bootstrap, lambdaEnv(test.env))
			if r := report(t, l.invoke(fiveMinutes)); r.Cleaned != 1 {
				t.Errorf("report: %+v", r)
			}
			wantClean(t, store, key)
			if got := asked(); !strings.Contains(got, test.want) {
				t.Errorf("asked by %s, want %s", got, test.want)
			}
			if strings.Contains(l.log.String(), "canary") {
				t.Error("a secret is in the log")
			}
		})
	}
}

func TestBootstrap_busySource(t *testing.T) {
	db := awstest.DynamoDB(t)
	store := newStore(t, db, awstest.Included)
	key := seed(t, db, store, store.Table(), "2027-07-01")
	url, _ := estimates(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	l := start(t, build(t), lambdaEnv(map[string]string{
		"AVAILABILITY_TABLE_NAME": store.Table(), "AVAILABILITY_SOURCE": "http",
		"AVAILABILITY_SOURCE_URL": url, "AVAILABILITY_SOURCE_BEARER_TOKEN": "canary-token",
	}))
	r := report(t, l.invoke(fiveMinutes))
	if r.BackedOff != 1 || r.Throttles != 1 || !strings.Contains(r.SourceError, "source is busy: the source answers 429 Too Many Requests") {
		t.Errorf("report: %+v", r)
	}
	if item, err := store.Get(t.Context(), key); err != nil || item[signal.AttrAttempts].Exists() {
		t.Errorf("item: %v, %v", item, err)
	}
	if strings.Contains(l.log.String(), "canary") {
		t.Error("a secret is in the log")
	}
}

func put(t *testing.T, db *dynamodb.Client, table string, item map[string]types.AttributeValue) {
	t.Helper()
	if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
		t.Fatal(err)
	}
}

func s(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }

func TestBootstrap_unitsOfAnotherLayout(t *testing.T) {
	db := awstest.DynamoDB(t)
	store := newStore(t, db, awstest.Included)
	key := seed(t, db, store, store.Table(), "2027-07-01")
	for i := range 16 {
		state := map[bool]string{true: "returned", false: "sold"}[i < 12]
		put(t, db, store.Table(), map[string]types.AttributeValue{"pk": s("site#1#2027-07-01"), "sk": s(string(rune('a' + i))), "state": s(state)})
	}
	l := start(t, build(t), lambdaEnv(map[string]string{
		"AVAILABILITY_TABLE_NAME": store.Table(), "AVAILABILITY_SOURCE": "inventory-units",
		"AVAILABILITY_SOURCE_KEY_TEMPLATE": "site#{productId}#{date}", "AVAILABILITY_SOURCE_STATUS_ATTRIBUTE": "state",
		"AVAILABILITY_SOURCE_AVAILABLE_STATUSES": "free, returned", "AVAILABILITY_SOURCE_RETIRED_STATUSES": "gone",
	}))
	if r := report(t, l.invoke(fiveMinutes)); r.Cleaned != 1 {
		t.Errorf("report: %+v", r)
	}
	wantClean(t, store, key)
}

// The time-out is the function's setting, and the lease the bucket's.
func TestBootstrap_timeoutLongerThanTheLease(t *testing.T) {
	db := awstest.DynamoDB(t)
	store := newStore(t, db, awstest.Included)
	url, _ := estimates(t, nil)
	for timeout, warnings := range map[string]int{"100": 0, "101": 1} {
		l := start(t, build(t), lambdaEnv(map[string]string{
			"AVAILABILITY_TABLE_NAME": store.Table(), "AVAILABILITY_SOURCE": "http", "AVAILABILITY_SOURCE_URL": url,
			"AVAILABILITY_SOURCE_BEARER_TOKEN": "canary-token", "AVAILABILITY_SOURCE_TIMEOUT_SECONDS": timeout,
		}))
		if r := report(t, l.invoke(fiveMinutes)); len(r.Warnings) != warnings {
			t.Errorf("with a time-out of %s s: %+v", timeout, r)
		}
		if lines := l.logged("lease too short for the source"); len(lines) != warnings {
			t.Errorf("with a time-out of %s s: log %s", timeout, l.log.String())
		}
	}
}
