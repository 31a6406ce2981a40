package main_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

func TestBootstrap_version(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), build(t), "-version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^availability runtime v1\.2\.3, time zone data 20\d\d[a-z]\n$`).Match(out) {
		t.Errorf("it says %q", out)
	}
}

// Whoever looks at why an invocation failed must learn which variable is wrong.
func TestBootstrap_settings(t *testing.T) {
	bootstrap := build(t)
	const ok = "signals"
	for name, test := range map[string]struct {
		env   map[string]string
		wants []string
	}{
		"no table":          {map[string]string{"AVAILABILITY_TABLE_NAME": ""}, []string{"AVAILABILITY_TABLE_NAME is not set: expected the name of the table that has the signals"}},
		"bad table":         {map[string]string{"AVAILABILITY_TABLE_NAME": "my table"}, []string{`AVAILABILITY_TABLE_NAME is "my table": expected a table's ARN, or its name of 3 to 255 letters, digits, and _ . -`}},
		"bad index":         {map[string]string{"AVAILABILITY_CADENCE_INDEX_NAME": "x"}, []string{`AVAILABILITY_CADENCE_INDEX_NAME is "x": expected an index's name`}},
		"bad inventory":     {map[string]string{"AVAILABILITY_INVENTORY_TABLE_NAME": "#"}, []string{`AVAILABILITY_INVENTORY_TABLE_NAME is "#": expected a table's ARN`}},
		"unknown source":    {map[string]string{"AVAILABILITY_SOURCE": "pigeons"}, []string{`AVAILABILITY_SOURCE is "pigeons": expected inventory-pool, which is the default, inventory-units, lambda or http`}},
		"unknown log level": {map[string]string{"AVAILABILITY_LOG_LEVEL": "loud"}, []string{`AVAILABILITY_LOG_LEVEL is "loud": expected debug, info, warn or error`}},
		"no region":         {map[string]string{"AWS_REGION": ""}, []string{"AWS_REGION is not set: expected the region of the table"}},
		"no credentials": {
			map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""},
			[]string{"AWS_ACCESS_KEY_ID is not set", "AWS_SECRET_ACCESS_KEY is not set"},
		},
		"bad endpoint":              {map[string]string{"AWS_ENDPOINT_URL": "localhost:4566"}, []string{"AWS_ENDPOINT_URL is not a URL: expected http or https"}},
		"bad endpoint of a service": {map[string]string{"AWS_ENDPOINT_URL_DYNAMODB": "http://"}, []string{"AWS_ENDPOINT_URL_DYNAMODB is not a URL"}},
		"several at once": {
			map[string]string{"AVAILABILITY_TABLE_NAME": "", "AVAILABILITY_SOURCE": "pigeons"},
			[]string{"AVAILABILITY_TABLE_NAME is not set", `AVAILABILITY_SOURCE is "pigeons"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			env := lambdaEnv(map[string]string{"AVAILABILITY_TABLE_NAME": ok})
			for k, v := range test.env {
				env[k] = v
			}
			l := start(t, bootstrap, env)
			// Twice: it must go on saying so.
			for range 2 {
				a := l.invoke(`{"cadenceBucket": "cadenceBucket::5min"}`)
				if a.ErrorType != "BadSettings" {
					t.Errorf("type %q", a.ErrorType)
				}
				for _, want := range test.wants {
					if !strings.Contains(a.ErrorMessage, "environment variable "+want) {
						t.Errorf(" got %s\nwant %s", a.ErrorMessage, want)
					}
				}
				if strings.Contains(a.ErrorMessage+l.log.String(), "canary") {
					t.Error("a credential is in the message or the log")
				}
			}
			if lines := l.logged("settings unusable"); len(lines) != 1 {
				t.Errorf("log: %s", l.log.String())
			}
		})
	}
}

func TestBootstrap_malformedEvents(t *testing.T) {
	l := start(t, build(t), lambdaEnv(map[string]string{"AVAILABILITY_TABLE_NAME": "signals"}))
	const expected = `unusable event: expected {"cadenceBucket": "cadenceBucket::5min"}, which is the constant input of the bucket's rule; `
	for event, want := range map[string]string{
		``:                      "this one cannot be used: it is no JSON object",
		`{`:                     "this one cannot be used: it is no JSON object",
		`null`:                  "this one cannot be used: it is no JSON object",
		`[]`:                    "this one cannot be used: it is no JSON object",
		`"cadenceBucket::5min"`: "this one cannot be used: it is no JSON object",
		// A schedule names a bucket and nothing else.
		`{"cadenceBucket": "cadenceBucket::5min", "table": "other"}`:                        `this one has another field, too: "table"`,
		`{"cadenceBucket": "cadenceBucket::5min", "cadenceBucket": "cadenceBucket::1h"}`:    `this one cannot be used: it has the field "cadenceBucket" twice`,
		`{"cadenceBucket": "cadenceBucket::5min"} {"cadenceBucket": "cadenceBucket::5min"}`: "this one cannot be used: it goes on after the object's end",
		`{"cadenceBucket": "cadenceBucket::5min", "task": "check", "bucket": "5min"}`:       "this one has more than one of cadenceBucket, task and Records",
		`{"Records": [], "task": "sync", "all": true}`:                                      "this one has more than one of cadenceBucket, task and Records",
		`{}`:                       `this one has no field "cadenceBucket"`,
		`{"cadencebucket": "x"}`:   `this one has no field "cadenceBucket"`,
		`{"cadenceBucket": 5}`:     "in this one cadenceBucket is no text",
		`{"cadenceBucket": null}`:  "in this one cadenceBucket is no text",
		`{"cadenceBucket": ["x"]}`: "in this one cadenceBucket is no text",
		`{"cadenceBucket": ""}`:    `in this one cadenceBucket is no bucket's ID: invalid bucket name: bucket ID "" does not begin with "cadenceBucket::"`,
		`{"cadenceBucket": "5min"}`: `in this one cadenceBucket is no bucket's ID: invalid bucket name: ` +
			`bucket ID "5min" does not begin with "cadenceBucket::"`,
		`{"cadenceBucket": "cadenceBucket::5 min"}`: `in this one cadenceBucket is no bucket's ID: invalid bucket name "5 min": ` +
			`expected 1 to 40 lower-case letters, digits and hyphens, beginning with a letter or digit, such as 5min`,
		// What EventBridge sends when the target has no constant input.
		`{"version": "0", "detail-type": "Scheduled Event", "source": "aws.events", "detail": {}}`: `this one has no field "cadenceBucket"`,
	} {
		t.Run(event, func(t *testing.T) {
			a := l.invoke(event)
			if a.ErrorType != "BadEvent" || a.ErrorMessage != expected+want {
				t.Errorf("type %s\n got %s\nwant %s", a.ErrorType, a.ErrorMessage, expected+want)
			}
		})
	}
}

// What Lambda gives the function is what its requests are signed with.
func TestBootstrap_requests(t *testing.T) {
	requests := make(chan *http.Request, 1)
	dynamoDB := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- r
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(dynamoDB.Close)
	l := start(t, build(t), map[string]string{
		"AVAILABILITY_TABLE_NAME": "signals", "AWS_ENDPOINT_URL": dynamoDB.URL, "AWS_REGION": "ca-west-1",
		"AWS_ACCESS_KEY_ID": "canary-key", "AWS_SECRET_ACCESS_KEY": "canary-secret", "AWS_SESSION_TOKEN": "canary-token",
	})
	if a := l.invoke(`{"cadenceBucket": "cadenceBucket::5min"}`); a.ErrorType != "BucketNotRegistered" {
		t.Errorf("from an empty table: %+v", a)
	}
	r := <-requests
	if got := r.Header.Get("X-Amz-Target"); got != "DynamoDB_20120810.GetItem" {
		t.Errorf("first request: %s", got)
	}
	if got := r.Header.Get("Authorization"); !strings.Contains(got, "Credential=canary-key/") || !strings.Contains(got, "/ca-west-1/dynamodb/") {
		t.Errorf("signed with %s", got)
	}
	if got := r.Header.Get("X-Amz-Security-Token"); got != "canary-token" {
		t.Errorf("session token %q", got)
	}
	if strings.Contains(l.log.String(), "canary") {
		t.Errorf("a credential is in the log: %s", l.log.String())
	}
}
