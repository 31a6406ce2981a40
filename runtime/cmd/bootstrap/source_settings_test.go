package main_test

import (
	"strings"
	"testing"
)

// Whoever chooses a source must learn which variable is wrong.
func TestBootstrap_settingsOfTheSource(t *testing.T) {
	bootstrap := build(t)
	const (
		pool, units, lambda, http = "inventory-pool", "inventory-units", "lambda", "http"
		url                       = "https://availability.example.com/"
		prefix                    = "AVAILABILITY_SOURCE_"
		attribute                 = ": expected an attribute's name of 1 to 255 bytes, without spaces around it"
	)
	type env = map[string]string
	for name, test := range map[string]struct {
		source string
		env    env
		wants  []string
	}{
		"template without a date": {pool, env{"KEY_TEMPLATE": "pool::{productId}"}, []string{
			`KEY_TEMPLATE is "pool::{productId}": unusable key template: it has no {date}, so that several signals would have one key; ` +
				`expected one such as inventoryPool::{collectionId}::{activityType}::{activityId}::{productId}::{date}`,
		}},
		"template with another field": {units, env{"KEY_TEMPLATE": "pool::{product}::{date}"}, []string{`KEY_TEMPLATE is "pool::{product}::{date}": unusable key template: {product} is no field`}},
		"names of attributes": {pool, env{"AVAILABLE_ATTRIBUTE": " free", "CAPACITY_ATTRIBUTE": strings.Repeat("x", 256)}, []string{
			`AVAILABLE_ATTRIBUTE is " free"` + attribute, `CAPACITY_ATTRIBUTE is "` + strings.Repeat("x", 256) + `"` + attribute,
		}},
		"one attribute for two": {pool, env{"AVAILABLE_ATTRIBUTE": "capacity"}, []string{`CAPACITY_ATTRIBUTE is "capacity", and so is AVAILABILITY_SOURCE_AVAILABLE_ATTRIBUTE: expected two attributes`}},
		"key as a status":       {units, env{"STATUS_ATTRIBUTE": "sk"}, []string{`STATUS_ATTRIBUTE is "sk", and so is AVAILABILITY_SOURCE_SORT_KEY_ATTRIBUTE: expected two attributes`}},
		"one key for two":       {units, env{"PARTITION_KEY_ATTRIBUTE": "id", "SORT_KEY_ATTRIBUTE": "id"}, []string{`SORT_KEY_ATTRIBUTE is "id", and so is AVAILABILITY_SOURCE_PARTITION_KEY_ATTRIBUTE`}},
		"empty status":          {units, env{"AVAILABLE_STATUSES": "free,,back"}, []string{`AVAILABLE_STATUSES is "free,,back": expected statuses separated by commas`}},
		"status of both":        {units, env{"AVAILABLE_STATUSES": "free, retired"}, []string{`RETIRED_STATUSES has "retired", which AVAILABILITY_SOURCE_AVAILABLE_STATUSES has too`}},
		"another's setting": {units, env{"CAPACITY_ATTRIBUTE": "total", "URL": url}, []string{
			"CAPACITY_ATTRIBUTE is set, but it is for the source inventory-pool, and AVAILABILITY_SOURCE is inventory-units",
			"URL is set, but it is for the source http, and AVAILABILITY_SOURCE is inventory-units",
		}},
		"no function": {lambda, nil, []string{"FUNCTION is not set: expected the name or ARN of the function that estimates availability"}},
		"bad function": {lambda, env{"FUNCTION": "my function"}, []string{
			`FUNCTION or AVAILABILITY_SOURCE_QUALIFIER is wrong: unusable function "my function": expected its name`,
		}},
		"two qualifiers": {lambda, env{"FUNCTION": "estimate:live", "QUALIFIER": "test"}, []string{`FUNCTION or AVAILABILITY_SOURCE_QUALIFIER is wrong: unusable function "estimate:live": it ends with a version or alias`}},
		"numbers": {
			lambda,
			env{"FUNCTION": "estimate", "TIMEOUT_SECONDS": "0", "ATTEMPTS": "11", "BATCH_SIZE": "many", "BATCH_LINGER_MILLISECONDS": "-1", "CONCURRENCY": "1.5"},
			[]string{
				`TIMEOUT_SECONDS is "0": expected a whole number from 1 to 880`, `ATTEMPTS is "11": expected a whole number from 1 to 10`,
				`BATCH_SIZE is "many": expected a whole number from 1 to 1000`, `BATCH_LINGER_MILLISECONDS is "-1": expected a whole number from 0 to 1000`,
				`CONCURRENCY is "1.5": expected a whole number from 1 to 100`,
			},
		},
		"no URL":        {http, env{"BEARER_TOKEN": "canary"}, []string{"URL is not set: expected the URL that answers with estimates"}},
		"URL of http":   {http, env{"BEARER_TOKEN": "canary", "URL": "http://canary.example.com"}, []string{"URL is wrong: unusable URL: http is for this machine itself"}},
		"URL of a user": {http, env{"BEARER_TOKEN": "canary", "URL": "https://me:canary@example.com"}, []string{"URL is wrong: unusable URL: it has a user or a password"}},
		"no proof":      {http, env{"URL": url}, []string{"BEARER_TOKEN and AVAILABILITY_SOURCE_SIGNING_SERVICE are not set: expected one of them"}},
		"two proofs":    {http, env{"URL": url, "BEARER_TOKEN": "canary", "SIGNING_SERVICE": "lambda"}, []string{"BEARER_TOKEN and AVAILABILITY_SOURCE_SIGNING_SERVICE are both set: expected one of them"}},
		"bad token":     {http, env{"URL": url, "BEARER_TOKEN": "canary\n"}, []string{"BEARER_TOKEN has a space, a line's end or something else that no token has"}},
		"bad service":   {http, env{"URL": url, "SIGNING_SERVICE": "Execute API"}, []string{`SIGNING_SERVICE is "Execute API": expected lower-case letters, digits and hyphens`}},
		"bad region":    {http, env{"URL": url, "SIGNING_SERVICE": "lambda", "SIGNING_REGION": "?"}, []string{`SIGNING_REGION is "?": expected lower-case letters, digits and hyphens`}},
		"region unused": {http, env{"URL": url, "BEARER_TOKEN": "canary", "SIGNING_REGION": "ca-west-1"}, []string{"SIGNING_REGION is set, but nothing is signed without AVAILABILITY_SOURCE_SIGNING_SERVICE"}},
	} {
		t.Run(name, func(t *testing.T) {
			env := lambdaEnv(map[string]string{"AVAILABILITY_TABLE_NAME": "signals", "AVAILABILITY_SOURCE": test.source})
			for k, v := range test.env {
				env[prefix+k] = v
			}
			l := start(t, bootstrap, env)
			a := l.invoke(fiveMinutes)
			if a.ErrorType != "BadSettings" {
				t.Errorf("type %q", a.ErrorType)
			}
			for _, want := range test.wants {
				if !strings.Contains(a.ErrorMessage, "environment variable "+prefix+want) {
					t.Errorf(" got %s\nwant %s", a.ErrorMessage, want)
				}
			}
			if n := strings.Count(a.ErrorMessage, "environment variable"); n != len(test.wants) {
				t.Errorf("%d faults, want %d: %s", n, len(test.wants), a.ErrorMessage)
			}
			if strings.Contains(a.ErrorMessage+l.log.String(), "canary") {
				t.Error("a secret is in the message or the log")
			}
		})
	}
}
