package signal

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A range's items do not say in which zone their days end. Until an update after
// an import has settled it, that of the provider is a guess, and another expiry no
// drift; whether there is one is kept, for a plan that knows better.
const (
	zoneKey     = "imported_zone"
	zoneSettled = `"settled"`
	zoneGuessed = `"guessed"`
	zoneDiffers = `"differs"`
)

type privateReader interface {
	GetKey(context.Context, string) ([]byte, diag.Diagnostics)
}

type privateWriter interface {
	SetKey(context.Context, string, []byte) diag.Diagnostics
}

func importedZone(ctx context.Context, private privateReader) (string, diag.Diagnostics) {
	kept, diags := private.GetKey(ctx, zoneKey)
	if len(kept) == 0 {
		return zoneSettled, diags
	}
	return string(kept), diags
}

func keepZone(ctx context.Context, private privateWriter, differs bool) diag.Diagnostics {
	if differs {
		return private.SetKey(ctx, zoneKey, []byte(zoneDiffers))
	}
	return private.SetKey(ctx, zoneKey, []byte(zoneGuessed))
}

func settleZone(ctx context.Context, private privateWriter) diag.Diagnostics {
	return private.SetKey(ctx, zoneKey, []byte(zoneSettled))
}

// importInto sets what a range's state has before it is read for the first time.
func (i rangeIdentity) importInto(ctx context.Context, state *tfsdk.State) diag.Diagnostics {
	var diags diag.Diagnostics
	for name, value := range map[string]types.String{
		"table_name": i.TableName, "collection_id": i.CollectionID, "activity_type": i.ActivityType,
		"activity_id": i.ActivityID, "product_id": i.ProductID, "range_id": i.RangeID,
	} {
		diags.Append(state.SetAttribute(ctx, path.Root(name), value)...)
	}
	diags.Append(state.SetAttribute(ctx, path.Root("adopt_existing"), false)...)
	return diags
}
