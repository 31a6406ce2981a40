// Package awsclient makes the provider's AWS clients, and is what the provider
// hands to its resources and data sources.
package awsclient

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Data is what the provider hands to its resources and data sources.
type Data struct {
	// DynamoDB and EventBridge are nil while the settings that they need are
	// unknown, which can only be at plan.
	DynamoDB    *dynamodb.Client
	EventBridge *eventbridge.Client
	// The provider's defaults; null if not configured, unknown while they are.
	TableName, CadenceIndexName, GlobalIDIndexName, TimeZone types.String
	// DefaultTags are those of every rule; null if there are none, unknown while
	// they are.
	DefaultTags types.Map
	Now         func() time.Time
	// Sleep is how a range waits before it sends again what was turned down; nil is by
	// the machine's clock.
	Sleep func(context.Context, time.Duration) error
}

// Ready says whether there are clients. Without them a Read leaves the state as
// it is.
func (d *Data) Ready() bool { return d != nil && d.DynamoDB != nil && d.EventBridge != nil }

// Region is where the clients work; "" while there are none.
func (d *Data) Region() string {
	if !d.Ready() {
		return ""
	}
	return d.EventBridge.Options().Region
}

// From reads the provider data that a resource's Configure is given; nil where
// the provider is not configured yet, as for validation.
func From(providerData any, diags *diag.Diagnostics) *Data {
	if providerData == nil {
		return nil
	}
	data, ok := providerData.(*Data)
	if !ok {
		diags.AddError("Unable to configure resource", fmt.Sprintf("The provider handed over a %T, not its own data. This is a mistake in the provider: please report it.", providerData))
		return nil
	}
	return data
}
