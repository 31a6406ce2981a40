package runtimeenvironment

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
)

// setting is a setting by its place in the configuration, such as source.url.
type setting string

const (
	tableName   setting = "table_name"
	indexName   setting = "cadence_index_name"
	sourceType  setting = "source.type"
	bearerToken setting = "source.bearer_token"
)

// variable is its environment variable.
func (s setting) variable() string {
	if s == sourceType {
		return "AVAILABILITY_SOURCE"
	}
	return "AVAILABILITY_" + strings.ToUpper(strings.ReplaceAll(string(s), ".", "_"))
}

func (s setting) path() path.Path {
	first, second, nested := strings.Cut(string(s), ".")
	if nested {
		return path.Root(first).AtName(second)
	}
	return path.Root(first)
}
