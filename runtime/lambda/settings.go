package lambda

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

// The environment variables of the tables.
const (
	EnvTable     = "AVAILABILITY_TABLE_NAME"
	EnvIndex     = "AVAILABILITY_CADENCE_INDEX_NAME"
	EnvInventory = "AVAILABILITY_INVENTORY_TABLE_NAME"
)

// The function's other environment variables.
const (
	envLogLevel = "AVAILABILITY_LOG_LEVEL"

	envRegion       = "AWS_REGION"
	envKeyID        = "AWS_ACCESS_KEY_ID"
	envSecret       = "AWS_SECRET_ACCESS_KEY"
	envToken        = "AWS_SESSION_TOKEN"
	envEndpoint     = "AWS_ENDPOINT_URL"
	envEndpointOfDB = "AWS_ENDPOINT_URL_DYNAMODB"

	envEndpointOfLambda = "AWS_ENDPOINT_URL_LAMBDA"
)

const defaultIndex = "cadence-index"

// errSettings is what an environment that cannot be used answers to.
var errSettings = errors.New("unusable settings")

// settings are what the environment says.
type settings struct {
	platformSettings
	level       slog.Level
	region      string
	credentials aws.Credentials
	// endpoint is DynamoDB's, or "" for AWS's own.
	endpoint string
}

// platformSettings are those that mean the same wherever the runtime's work is
// done.
type platformSettings struct {
	table, index, inventory string
	source                  sourceSettings
	// settle is by how much the source may lag behind what has been committed.
	settle   time.Duration
	defaults stream.Defaults
}

var tableOrIndexName = alphabet{3, 255, isNameByte}

// readSettings reads all settings, and reports all that cannot be used at once,
// each by its variable's name. ownSource is whether the binary has a source of its
// own, which its settings are nothing to do with.
func readSettings(getenv func(string) string, ownSource bool) (settings, error) {
	r := settingsReader{getenv: getenv}
	s := settings{
		level:    r.level(),
		region:   r.required(envRegion, "the region of the table, such as ca-central-1; Lambda sets it"),
		endpoint: r.endpoint(envEndpointOfDB),
		credentials: aws.Credentials{
			AccessKeyID:     r.required(envKeyID, "the credentials of the function's role; Lambda sets it"),
			SecretAccessKey: r.required(envSecret, "the credentials of the function's role; Lambda sets it"),
			SessionToken:    getenv(envToken),
			Source:          "environment",
		},
	}
	s.platformSettings = r.platform(s.region, ownSource)
	return s, r.err()
}

func (r *settingsReader) platform(region string, ownSource bool) platformSettings {
	p := platformSettings{table: r.table(EnvTable, ""), index: r.index(EnvIndex, defaultIndex)}
	p.inventory = r.table(EnvInventory, p.table)
	p.source = r.source(region, ownSource)
	p.settle = time.Duration(r.number(envSettle, 0, 0, 3600)) * time.Second
	p.defaults = r.defaults()
	return p
}

// err is all that is wrong with the settings, or nil.
func (r *settingsReader) err() error {
	if len(r.faults) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", errSettings, errors.Join(r.faults...))
}

type settingsReader struct {
	getenv func(string) string
	faults []error
}

func (r *settingsReader) fault(name, format string, args ...any) {
	r.faults = append(r.faults, &SettingError{Variable: name, Reason: fmt.Errorf(format, args...)})
}

func (r *settingsReader) required(name, meaning string) string {
	v := r.getenv(name)
	if v == "" {
		r.fault(name, "is not set: expected %s", meaning)
	}
	return v
}

// table is a table's name or ARN.
func (r *settingsReader) table(name, byDefault string) string {
	v := r.getenv(name)
	switch {
	case v == "" && name == EnvTable:
		r.fault(name, "is not set: expected the name of the table that has the signals")
	case v == "":
		return byDefault
	case !tableOrIndexName.MatchString(v) && !strings.HasPrefix(v, "arn:"):
		r.fault(name, "is %q: expected a table's ARN, or its name of 3 to 255 letters, digits, and _ . -", v)
	}
	return v
}

func (r *settingsReader) index(name, byDefault string) string {
	v := r.getenv(name)
	if v == "" {
		return byDefault
	}
	if !tableOrIndexName.MatchString(v) {
		r.fault(name, "is %q: expected an index's name of 3 to 255 letters, digits, and _ . -", v)
	}
	return v
}

func (r *settingsReader) level() slog.Level {
	switch v := r.getenv(envLogLevel); strings.ToLower(v) {
	case "", "info":
		return slog.LevelInfo
	case "debug":
		return slog.LevelDebug
	case "warn":
		return slog.LevelWarn
	case "error":
		return slog.LevelError
	default:
		r.fault(envLogLevel, "is %q: expected debug, info, warn or error", v)
		return slog.LevelInfo
	}
}

// endpoint is that of a service's own variable, or that of all services.
func (r *settingsReader) endpoint(ofService string) string {
	for _, name := range []string{ofService, envEndpoint} {
		v := r.getenv(name)
		if v == "" {
			continue
		}
		u, err := url.Parse(v)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			// Not the text itself: a URL may carry a password.
			r.fault(name, "is not a URL: expected http or https, such as https://dynamodb.ca-central-1.amazonaws.com")
		}
		return v
	}
	return ""
}
