package iampolicy_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

const (
	region  = "ca-central-1"
	account = "123456789012"
)

func tableARN(name string) string {
	return "arn:aws:dynamodb:" + region + ":" + account + ":table/" + name
}

func ruleARN(name string) string { return "arn:aws:events:" + region + ":" + account + ":rule/" + name }

func functionARN(name string) string {
	return "arn:aws:lambda:" + region + ":" + account + ":function:" + name
}

// recorder stands between a role and the local AWS, and takes down what IAM would be
// asked about each call.
type recorder struct {
	t   *testing.T
	url string

	mu       sync.Mutex
	requests []request
}

func newRecorder(t *testing.T) *recorder {
	t.Helper()
	acctest.PreCheck(t)
	address := os.Getenv("AWS_ENDPOINT_URL")
	if address == "" {
		t.Skip("records calls, which needs a local AWS: AWS_ENDPOINT_URL is not set")
	}
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{t: t}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		body, err := io.ReadAll(in.Body)
		if err != nil {
			return
		}
		in.Body = io.NopCloser(bytes.NewReader(body))
		r.note(in, body)
		proxy.ServeHTTP(w, in)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// settings are a provider's that goes through the recorder.
func (r *recorder) settings(table string) acctest.Config {
	return acctest.Config{
		"table_name": table, "time_zone": "America/Vancouver",
		"endpoints": acctest.Config{"dynamodb": r.url, "eventbridge": r.url},
	}
}

// take returns the requests since the last time, each once.
func (r *recorder) take() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[string]bool{}
	var once []request
	for _, q := range r.requests {
		if text := q.String(); !seen[text] {
			seen[text] = true
			once = append(once, q)
		}
	}
	r.requests = nil
	return once
}

func (r *recorder) note(in *http.Request, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if q, ok := lambdaRequest(in); ok {
		r.requests = append(r.requests, q)
		return
	}
	service, operation, _ := strings.Cut(in.Header.Get("X-Amz-Target"), ".")
	if service == "AWSEvents" {
		r.requests = append(r.requests, eventsRequest(r.t, operation, body))
		return
	}
	var c call
	if err := json.Unmarshal(body, &c); err != nil {
		r.t.Errorf("%s: %v in %s", operation, err, body)
	}
	r.requests = append(r.requests, c.asks(r.t, operation)...)
}

// lambdaRequest is what IAM is asked about a call of Lambda's, which has its
// operation in its path.
func lambdaRequest(in *http.Request) (request, bool) {
	parts := strings.Split(strings.TrimPrefix(in.URL.Path, "/"), "/")
	if len(parts) == 2 && parts[1] == "event-source-mappings" {
		return request{action: "lambda:ListEventSourceMappings", resource: "*"}, true
	}
	if len(parts) != 4 || parts[1] != "functions" {
		return request{}, false
	}
	action := map[string]string{
		"invocations": "InvokeFunction", "configuration": "GetFunctionConfiguration", "event-invoke-config": "GetFunctionEventInvokeConfig",
		"concurrency": "GetFunctionConcurrency", "policy": "GetPolicy",
	}[parts[3]]
	// By its name or by its ARN.
	name := parts[2][strings.LastIndex(parts[2], ":")+1:]
	return request{action: "lambda:" + action, resource: functionARN(name)}, action != ""
}

func eventsRequest(t *testing.T, operation string, body []byte) request {
	var in struct{ Name, Rule, ResourceARN string }
	if err := json.Unmarshal(body, &in); err != nil {
		t.Errorf("%s: %v in %s", operation, err, body)
	}
	if operation == "ListRuleNamesByTarget" {
		return request{action: "events:" + operation, resource: "*"}
	}
	name := in.Name + in.Rule
	if in.ResourceARN != "" {
		_, name, _ = strings.Cut(in.ResourceARN, ":rule/")
	}
	return request{action: "events:" + operation, resource: ruleARN(name)}
}

// call is a call of DynamoDB's, of whatever kind.
type call struct {
	TableName, IndexName      string
	Key, Item                 map[string]value
	KeyConditionExpression    string
	ProjectionExpression      *string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]value
	Select, ReturnValues      string
	RequestItems              map[string]struct {
		Keys                     []map[string]value
		ProjectionExpression     *string
		ExpressionAttributeNames map[string]string
	}
	Statements []struct {
		Statement  string
		Parameters []value
	}
	TransactItems []struct{ Update *call }
}

type value struct{ S string }

// asks is what IAM is asked about the call.
func (c call) asks(t *testing.T, operation string) []request {
	r := request{action: "dynamodb:" + operation, resource: tableARN(c.TableName)}
	switch operation {
	case "DescribeTable", "DescribeTimeToLive":
		return []request{r}
	case "GetItem", "PutItem", "UpdateItem", "DeleteItem":
		item := c.Key
		if operation == "PutItem" {
			item = c.Item
		}
		r.context = map[string][]string{
			"dynamodb:LeadingKeys": {item["pk"].S},
			"dynamodb:Attributes":  attributes(maps.Keys(item), maps.Values(c.ExpressionAttributeNames)),
		}
		if operation == "GetItem" {
			return []request{r.with("dynamodb:Select", selected(c.Select, c.ProjectionExpression))}
		}
		return []request{r.with("dynamodb:ReturnValues", orNone(c.ReturnValues))}
	case "Query":
		if c.IndexName != "" {
			r.resource += "/index/" + c.IndexName
		}
		first := regexp.MustCompile(`^(#\w+) = (:\w+)`).FindStringSubmatch(c.KeyConditionExpression)
		if first == nil {
			t.Errorf("no partition in %q", c.KeyConditionExpression)
			return nil
		}
		r.context = map[string][]string{
			"dynamodb:LeadingKeys": {c.ExpressionAttributeValues[first[2]].S},
			"dynamodb:Attributes":  attributes(maps.Values(c.ExpressionAttributeNames)),
			"dynamodb:Select":      {selected(c.Select, c.ProjectionExpression)},
		}
		return []request{r}
	case "Scan":
		r.context = map[string][]string{
			"dynamodb:Attributes": attributes(maps.Values(c.ExpressionAttributeNames)),
			"dynamodb:Select":     {selected(c.Select, c.ProjectionExpression)},
		}
		return []request{r}
	case "BatchGetItem":
		var all []request
		for table, asked := range c.RequestItems {
			r := request{action: r.action, resource: tableARN(table), context: map[string][]string{
				"dynamodb:Attributes": attributes(slices.Values([]string{"pk", "sk"}), maps.Values(asked.ExpressionAttributeNames)),
				"dynamodb:Select":     {selected("", asked.ProjectionExpression)},
			}}
			for _, key := range asked.Keys {
				r.context["dynamodb:LeadingKeys"] = append(r.context["dynamodb:LeadingKeys"], key["pk"].S)
			}
			all = append(all, r)
		}
		return all
	case "BatchExecuteStatement":
		var all []request
		for _, s := range c.Statements {
			all = append(all, statementAsks(t, s.Statement, s.Parameters))
		}
		return all
	case "TransactWriteItems":
		var all []request
		for _, entry := range c.TransactItems {
			if entry.Update == nil {
				t.Error("a transaction has another entry than an update")
				continue
			}
			for _, r := range entry.Update.asks(t, "UpdateItem") {
				all = append(all, r.with("dynamodb:EnclosingOperation", operation))
			}
		}
		return all
	}
	t.Errorf("nobody has said what IAM is asked about %s", operation)
	return nil
}

// statementAsks is what IAM is asked about a statement in PartiQL, of the two kinds
// that there are.
func statementAsks(t *testing.T, text string, parameters []value) request {
	verb, rest, _ := strings.Cut(text, " ")
	words := regexp.MustCompile(`["'](.*?)["']`).FindAllStringSubmatch(rest, -1)
	if verb != "INSERT" && verb != "DELETE" || len(words) < 2 {
		t.Errorf("nobody has said what IAM is asked about %q", text)
		return request{}
	}
	r := request{
		action:   "dynamodb:PartiQL" + verb[:1] + strings.ToLower(verb[1:]),
		resource: tableARN(words[0][1]),
		context:  map[string][]string{"dynamodb:ReturnValues": {"NONE"}},
	}
	for i, word := range words[1:] {
		if word[1] == "pk" {
			r = r.with("dynamodb:LeadingKeys", parameters[i].S)
		}
		r = r.with("dynamodb:Attributes", append(r.context["dynamodb:Attributes"], word[1])...)
	}
	return r
}

func attributes(of ...func(yield func(string) bool)) []string {
	all := map[string]bool{}
	for _, names := range of {
		for name := range names {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// selected is the Select of a read, which DynamoDB derives where none is given.
func selected(given string, projection *string) string {
	switch {
	case given != "":
		return given
	case projection != nil:
		return "SPECIFIC_ATTRIBUTES"
	}
	return "ALL_ATTRIBUTES"
}

func orNone(returnValues string) string {
	if returnValues == "" {
		return "NONE"
	}
	return returnValues
}
