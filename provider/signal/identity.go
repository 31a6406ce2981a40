package signal

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// productIdentity is what the identities of both resources have in common. Their
// parts never change in place.
type productIdentity struct {
	TableName    types.String `tfsdk:"table_name"`
	CollectionID types.String `tfsdk:"collection_id"`
	ActivityType types.String `tfsdk:"activity_type"`
	ActivityID   types.String `tfsdk:"activity_id"`
	ProductID    types.String `tfsdk:"product_id"`
}

type signalIdentity struct {
	productIdentity
	Date types.String `tfsdk:"date"`
}

type rangeIdentity struct {
	productIdentity
	RangeID types.String `tfsdk:"range_id"`
}

// IdentitySchema describes the resource's identity.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityOf("date", "The calendar date, YYYY-MM-DD.")
}

// IdentitySchema describes the resource's identity.
func (r *RangeResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityOf("range_id", "UUID of the range: what its signals' seededBy has after terraform:.")
}

func identityOf(last, description string) identityschema.Schema {
	attributes := map[string]identityschema.Attribute{}
	for name, text := range map[string]string{
		"table_name":    "Name of the table.",
		"collection_id": "Id of the collection.",
		"activity_type": "Id of the activity's type.",
		"activity_id":   "Id of the activity.",
		"product_id":    "Id of the product.",
		last:            description,
	} {
		attributes[name] = identityschema.StringAttribute{RequiredForImport: true, Description: text}
	}
	return identityschema.Schema{Attributes: attributes}
}

func (m termsModel) identity() productIdentity {
	return productIdentity{
		TableName: m.TableName, CollectionID: m.CollectionID, ActivityType: m.ActivityType,
		ActivityID: m.ActivityID, ProductID: m.ProductID,
	}
}

func (m model) identity() signalIdentity {
	return signalIdentity{productIdentity: m.termsModel.identity(), Date: m.Date}
}

func (m rangeModel) identity() rangeIdentity {
	return rangeIdentity{productIdentity: m.termsModel.identity(), RangeID: m.RangeID}
}

// terms is a state of which only the key is known.
func (i productIdentity) terms() termsModel {
	return termsModel{
		TableName: i.TableName, CollectionID: i.CollectionID, ActivityType: i.ActivityType,
		ActivityID: i.ActivityID, ProductID: i.ProductID, Pattern: types.ObjectNull(patternTypes()),
	}
}

func (i productIdentity) validate() error {
	p := i.terms().product()
	if err := tableText.Check(i.TableName.ValueString()); err != nil {
		return err
	}
	return p.Validate()
}

func newProductIdentity(table string, p signal.Product) productIdentity {
	return productIdentity{
		TableName:    types.StringValue(table),
		CollectionID: types.StringValue(p.CollectionID),
		ActivityType: types.StringValue(p.ActivityType),
		ActivityID:   types.StringValue(p.ActivityID),
		ProductID:    types.StringValue(p.ProductID),
	}
}

// importedSignal is the signal that an import names, by its id or its identity.
func importedSignal(ctx context.Context, req resource.ImportStateRequest) (id signalIdentity, diags diag.Diagnostics) {
	if req.ID == "" && given(req) {
		if diags = req.Identity.Get(ctx, &id); diags.HasError() {
			return id, diags
		}
		err := id.validate()
		if err == nil {
			err = dateText.Check(id.Date.ValueString())
		}
		if err != nil {
			diags.Append(importIdentityFailure("signal", err))
		}
		return id, diags
	}
	ref, err := parseImportID(req.ID)
	if err != nil {
		diags.Append(importIDFailure("signal", req.ID, err, signalIDForm, signalIDExample))
	}
	return signalIdentity{newProductIdentity(ref.table, ref.Product), types.StringValue(ref.Date.String())}, diags
}

// importedRange is the range that an import names, by its id or its identity.
func importedRange(ctx context.Context, req resource.ImportStateRequest) (id rangeIdentity, diags diag.Diagnostics) {
	if req.ID == "" && given(req) {
		if diags = req.Identity.Get(ctx, &id); diags.HasError() {
			return id, diags
		}
		err := id.validate()
		if err == nil {
			err = validateRangeID(id.RangeID.ValueString())
		}
		if err != nil {
			diags.Append(importIdentityFailure("signal range", err))
		}
		return id, diags
	}
	table, product, rangeID, err := splitID(req.ID)
	if err == nil {
		err = validateRangeID(rangeID)
	}
	if err != nil {
		diags.Append(importIDFailure("signal range", req.ID, err, rangeIDForm, rangeIDExample))
	}
	return rangeIdentity{newProductIdentity(table, product), types.StringValue(rangeID)}, diags
}

func given(req resource.ImportStateRequest) bool {
	return req.Identity != nil && !req.Identity.Raw.IsNull()
}
