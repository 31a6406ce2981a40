package provider_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

const (
	role    = "arn:aws:iam::123456789012:role/planner"
	account = "123456789012"
)

// service is a service of AWS's that answers what it must, and notes what is asked
// of it.
type service struct {
	*httptest.Server
	mu    sync.Mutex
	calls []asked
}

// asked is what a request says of who sends it, and of a role what it wants.
type asked struct {
	// Key, Region and Token are what the request is signed with.
	Key, Region, Token string
	Operation          string
	Role, Session      string
	ExternalID         string
	Seconds            string
	WebToken           string
}

var credential = regexp.MustCompile(`Credential=([^/]+)/\d+/([^/]+)/`)

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a := asked{Token: r.Header.Get("X-Amz-Security-Token")}
		if m := credential.FindStringSubmatch(r.Header.Get("Authorization")); m != nil {
			a.Key, a.Region = m[1], m[2]
		}
		if _, a.Operation, _ = strings.Cut(r.Header.Get("X-Amz-Target"), "."); a.Operation == "" {
			form, _ := url.ParseQuery(string(body))
			a.Operation, a.Role, a.Session = form.Get("Action"), form.Get("RoleArn"), form.Get("RoleSessionName")
			a.ExternalID, a.Seconds, a.WebToken = form.Get("ExternalId"), form.Get("DurationSeconds"), form.Get("WebIdentityToken")
		}
		s.mu.Lock()
		s.calls = append(s.calls, a)
		s.mu.Unlock()
		switch a.Operation {
		case "AssumeRole", "AssumeRoleWithWebIdentity":
			key := "ROLE"
			if a.WebToken != "" {
				key = "WEB"
			}
			fmt.Fprintf(w, `<%[1]sResponse><%[1]sResult><Credentials><AccessKeyId>%[2]s</AccessKeyId><SecretAccessKey>s</SecretAccessKey>`+
				`<SessionToken>%[2]s-token</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></%[1]sResult></%[1]sResponse>`, a.Operation, key)
		case "GetCallerIdentity":
			fmt.Fprintf(w, `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>%s</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`, account)
		default:
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			_, _ = io.WriteString(w, `{}`)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// TestProvider_roles observes what requests carry: who signs them, for which
// region, and what is asked of STS before.
func TestProvider_roles(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	token, otherToken := write("token", "web-token"), write("other-token", "other-token")
	configFile := write("config", "[profile chained]\nregion = us-west-2\nrole_arn = "+role+"-of-profile\nsource_profile = base\n[profile base]\nregion = us-west-1\n")
	credentialsFile := write("credentials", "[base]\naws_access_key_id = BASE\naws_secret_access_key = s\n")
	keys := map[string]string{"AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s"}
	web := map[string]string{"AWS_REGION": "eu-west-1", "AWS_WEB_IDENTITY_TOKEN_FILE": token, "AWS_ROLE_ARN": role + "-env", "AWS_ROLE_SESSION_NAME": "env-session"}
	const session = "terraform-provider-availability"
	assumed := asked{Key: "ROLE", Region: "eu-west-1", Token: "ROLE-token"}
	byWeb := asked{Key: "WEB", Region: "eu-west-1", Token: "WEB-token"}

	tests := map[string]struct {
		environment []map[string]string
		settings    acctest.Config
		sts         []asked
		want        asked
	}{
		"no role": {[]map[string]string{keys}, nil, nil, asked{Key: "ENV", Region: "eu-west-1"}},
		"assume_role": {
			[]map[string]string{keys},
			acctest.Config{"assume_role": acctest.Config{"role_arn": role}},
			[]asked{{Key: "ENV", Region: "eu-west-1", Operation: "AssumeRole", Role: role, Session: session, Seconds: "900"}},
			assumed,
		},
		"all of assume_role": {
			[]map[string]string{keys, {"AWS_ROLE_SESSION_NAME": "env-session"}},
			acctest.Config{"assume_role": acctest.Config{"role_arn": role, "session_name": "ours", "external_id": "x-1", "duration": "1h30m"}},
			[]asked{{Key: "ENV", Region: "eu-west-1", Operation: "AssumeRole", Role: role, Session: "ours", ExternalID: "x-1", Seconds: "5400"}},
			assumed,
		},
		"session from the environment": {
			[]map[string]string{keys, {"AWS_ROLE_SESSION_NAME": "env-session"}},
			acctest.Config{"assume_role": acctest.Config{"role_arn": role}},
			[]asked{{Key: "ENV", Region: "eu-west-1", Operation: "AssumeRole", Role: role, Session: "env-session", Seconds: "900"}},
			assumed,
		},
		"assume_role with given keys": {
			[]map[string]string{keys},
			acctest.Config{"region": "ca-central-1", "access_key": "CONF", "secret_key": "s", "token": "conf-token", "assume_role": acctest.Config{"role_arn": role}},
			[]asked{{Key: "CONF", Region: "ca-central-1", Token: "conf-token", Operation: "AssumeRole", Role: role, Session: session, Seconds: "900"}},
			asked{Key: "ROLE", Region: "ca-central-1", Token: "ROLE-token"},
		},
		"role of a profile": {
			[]map[string]string{{"AWS_CONFIG_FILE": configFile, "AWS_SHARED_CREDENTIALS_FILE": credentialsFile, "AWS_ROLE_SESSION_NAME": "env-session"}},
			acctest.Config{"profile": "chained"},
			[]asked{{Key: "BASE", Region: "us-west-2", Operation: "AssumeRole", Role: role + "-of-profile", Seconds: "900"}},
			asked{Key: "ROLE", Region: "us-west-2", Token: "ROLE-token"},
		},
		"web identity from the environment": {
			[]map[string]string{web},
			nil,
			[]asked{{Operation: "AssumeRoleWithWebIdentity", Role: role + "-env", Session: "env-session", WebToken: "web-token"}},
			byWeb,
		},
		"web identity, all from the environment": {
			[]map[string]string{web},
			acctest.Config{"assume_role_with_web_identity": acctest.Config{}},
			[]asked{{Operation: "AssumeRoleWithWebIdentity", Role: role + "-env", Session: "env-session", WebToken: "web-token"}},
			byWeb,
		},
		"web identity configured": {
			[]map[string]string{web},
			acctest.Config{"assume_role_with_web_identity": acctest.Config{"role_arn": role, "session_name": "ours", "web_identity_token_file": otherToken}},
			[]asked{{Operation: "AssumeRoleWithWebIdentity", Role: role, Session: "ours", WebToken: "other-token"}},
			byWeb,
		},
		"web identity before keys of the environment": {
			[]map[string]string{keys},
			acctest.Config{"assume_role_with_web_identity": acctest.Config{"role_arn": role, "web_identity_token_file": token}},
			[]asked{{Operation: "AssumeRoleWithWebIdentity", Role: role, Session: session, WebToken: "web-token"}},
			byWeb,
		},
		"web identity, then a role": {
			[]map[string]string{{"AWS_REGION": "eu-west-1"}},
			acctest.Config{
				"assume_role_with_web_identity": acctest.Config{"role_arn": role + "-web", "web_identity_token_file": token},
				"assume_role":                   acctest.Config{"role_arn": role},
			},
			[]asked{
				{Operation: "AssumeRoleWithWebIdentity", Role: role + "-web", Session: session, WebToken: "web-token"},
				{Key: "WEB", Token: "WEB-token", Region: "eu-west-1", Operation: "AssumeRole", Role: role, Session: session, Seconds: "900"},
			},
			assumed,
		},
		"allowed account": {
			[]map[string]string{keys},
			acctest.Config{"allowed_account_ids": []any{"000000000000", account}},
			[]asked{{Key: "ENV", Region: "eu-west-1", Operation: "GetCallerIdentity"}},
			asked{Key: "ENV", Region: "eu-west-1"},
		},
		"allowed account of a role": {
			[]map[string]string{keys},
			acctest.Config{"allowed_account_ids": []any{account}, "assume_role": acctest.Config{"role_arn": role}},
			[]asked{
				{Key: "ENV", Region: "eu-west-1", Operation: "AssumeRole", Role: role, Session: session, Seconds: "900"},
				{Key: "ROLE", Token: "ROLE-token", Region: "eu-west-1", Operation: "GetCallerIdentity"},
			},
			assumed,
		},
	}
	for name, tt := range tests {
		for _, by := range []string{"environment", "endpoints"} {
			// The endpoint that is configured concerns the provider's own roles alone.
			if by == "endpoints" && (name == "role of a profile" || name == "web identity from the environment") {
				continue
			}
			t.Run(name+", "+by, func(t *testing.T) {
				noEnvironment(t)
				sts, db, events := newService(t), newService(t), newService(t)
				settings := acctest.Config{"max_retries": 0}
				for setting, value := range tt.settings {
					settings[setting] = value
				}
				if by == "environment" {
					t.Setenv("AWS_ENDPOINT_URL_STS", sts.URL)
					t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", db.URL)
					t.Setenv("AWS_ENDPOINT_URL_EVENTBRIDGE", events.URL)
				} else {
					t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
					settings["endpoints"] = acctest.Config{"sts": sts.URL, "dynamodb": db.URL, "eventbridge": events.URL}
				}
				for _, environment := range tt.environment {
					for variable, v := range environment {
						t.Setenv(variable, v)
					}
				}
				data, errs := configure(t, settings)
				if len(errs) > 0 {
					t.Fatal(errs)
				}
				if _, err := data.DynamoDB.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err != nil {
					t.Fatal(err)
				}
				if _, err := data.EventBridge.ListRules(t.Context(), &eventbridge.ListRulesInput{}); err != nil {
					t.Fatal(err)
				}
				// Without a name, the SDK makes one of the time.
				if name == "role of a profile" {
					sts.calls[0].Session = ""
				}
				if diff := cmp.Diff(tt.sts, sts.calls); diff != "" {
					t.Errorf("STS was asked (-want +got):\n%s", diff)
				}
				for operation, s := range map[string]*service{"ListTables": db, "ListRules": events} {
					want := tt.want
					want.Operation = operation
					if diff := cmp.Diff([]asked{want}, s.calls); diff != "" {
						t.Errorf("%s (-want +got):\n%s", operation, diff)
					}
				}
			})
		}
	}
}

// With credentials of an account that is not allowed, there is nothing to work
// with.
func TestProvider_accountNotAllowed(t *testing.T) {
	noEnvironment(t)
	sts := newService(t)
	settings := acctest.Config{
		"region": "ca-central-1", "access_key": "A", "secret_key": "s", "max_retries": 0,
		"allowed_account_ids": []any{"222222222222", "111111111111"}, "endpoints": acctest.Config{"sts": sts.URL},
	}
	data, errs := configure(t, settings)
	want := []string{"allowed_account_ids: The credentials are of account 123456789012, which is not one of 111111111111, 222222222222. Nothing was read or written. Use credentials of one of those accounts, or add this one."}
	if diff := cmp.Diff(want, errs); diff != "" || data.Ready() {
		t.Errorf("ready %t, errors (-want +got):\n%s", data.Ready(), diff)
	}

	sts.Close()
	data, errs = configure(t, settings)
	if len(errs) != 1 || !strings.HasPrefix(errs[0], "allowed_account_ids: Which account the credentials are of could not be found out. Check the credentials, and that STS can be reached.\n\nGetCallerIdentity of STS got no answer: Post ") || data.Ready() {
		t.Errorf("ready %t, errors %q", data.Ready(), errs)
	}
}

func TestProvider_defaultTags(t *testing.T) {
	noEnvironment(t)
	configured := func(settings acctest.Config) types.Map {
		settings["region"] = "ca-central-1"
		data, errs := configure(t, settings)
		if len(errs) > 0 || !data.Ready() {
			t.Fatalf("errors %q, ready %t", errs, data.Ready())
		}
		return data.DefaultTags
	}
	if got := configured(acctest.Config{}); !got.IsNull() {
		t.Errorf("without any: %v", got)
	}
	if got := configured(acctest.Config{"default_tags": acctest.Unknown{}}); !got.IsUnknown() {
		t.Errorf("unknown ones: %v", got)
	}
	want := types.MapValueMust(types.StringType, map[string]attr.Value{"team": types.StringValue("reservations"), "empty": types.StringValue("")})
	if got := configured(acctest.Config{"default_tags": acctest.Config{"team": "reservations", "empty": ""}}); !got.Equal(want) {
		t.Errorf("got %v", got)
	}
}

// The local AWS gives a role's credentials, too.
func TestProvider_roleOfTheEngine(t *testing.T) {
	acctest.PreCheck(t)
	if os.Getenv("AWS_ENDPOINT_URL") == "" {
		t.Skip("assumes a role that only a local AWS has")
	}
	data, errs := configure(t, acctest.Config{"assume_role": acctest.Config{"role_arn": role}, "max_retries": 1})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	credentials, err := data.DynamoDB.Options().Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if credentials.SessionToken == "" || credentials.AccessKeyID == os.Getenv("AWS_ACCESS_KEY_ID") {
		t.Errorf("they are not a role's, but of %s", credentials.Source)
	}
	if _, err := data.DynamoDB.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err != nil {
		t.Error(err)
	}
}
