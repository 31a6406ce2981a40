package signal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const tableItemType = "aws_dynamodb_table_item"

// tableItem is what a state of aws_dynamodb_table_item says.
type tableItem struct {
	TableName string `json:"table_name"`
	HashKey   string `json:"hash_key"`
	RangeKey  string `json:"range_key"`
	Item      string `json:"item"`
}

// moveTableItem makes the state of an aws_dynamodb_table_item a signal's. The
// provider is not configured yet, so that all comes from that state; what it does
// not say, the read that follows does.
func moveTableItem(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	// The registry's host differs between Terraform, OpenTofu and mirrors.
	if req.SourceTypeName != tableItemType || !strings.HasSuffix(req.SourceProviderAddress, "/hashicorp/aws") {
		return
	}
	moved, err := readTableItem(req.SourceRawState.JSON)
	if err != nil {
		resp.Diagnostics.Append(moveFailure(diagnose.Sentence(err)))
		return
	}
	id := signalIdentity{newProductIdentity(moved.table, moved.Product), types.StringValue(moved.Date.String())}
	state := model{termsModel: id.terms(), Date: id.Date}
	resp.Diagnostics.Append(state.observe(ctx, moved.Seeded)...)
	resp.Diagnostics.Append(resp.TargetState.Set(ctx, &state)...)
	if resp.TargetIdentity != nil {
		resp.Diagnostics.Append(resp.TargetIdentity.Set(ctx, id)...)
	}
}

type movedItem struct {
	table string
	dynamo.Seeded
}

func readTableItem(state []byte) (movedItem, error) {
	var from tableItem
	if err := json.Unmarshal(state, &from); err != nil {
		return movedItem{}, errors.New("its state cannot be read")
	}
	if from.HashKey != signal.AttrPK || from.RangeKey != signal.AttrSK {
		return movedItem{}, fmt.Errorf("its table has the keys %q and %q, not pk and sk", from.HashKey, from.RangeKey)
	}
	item, err := parseItem([]byte(from.Item))
	if err != nil {
		return movedItem{}, err
	}
	if schema := item.Text(signal.AttrSchema); schema != signal.SchemaSignal {
		return movedItem{}, fmt.Errorf("the item's schema is %q, not %q", schema, signal.SchemaSignal)
	}
	key := item.Key()
	d, err := signal.ParseKey(key)
	if err != nil {
		return movedItem{}, err
	}
	if d.Key() != key {
		return movedItem{}, fmt.Errorf("the parts of the item's key %q are not joined by \"::\"", key)
	}
	return movedItem{table: from.TableName, Seeded: dynamo.ParseSeeded(d, item)}, tableText.Check(from.TableName)
}

// parseItem reads an item in DynamoDB's own JSON, in which each value is wrapped
// in its type.
func parseItem(text []byte) (signal.Item, error) {
	var wrapped map[string]wrappedValue
	if err := json.Unmarshal(text, &wrapped); err != nil {
		return nil, errors.New("the item in its state cannot be read")
	}
	item := signal.Item{}
	for name, v := range wrapped {
		item[name] = v.value()
	}
	return item, nil
}

// wrappedValue is a value of the types that a signal has.
type wrappedValue struct {
	S    *string                 `json:"S"`
	N    *string                 `json:"N"`
	BOOL *bool                   `json:"BOOL"`
	NULL *bool                   `json:"NULL"`
	M    map[string]wrappedValue `json:"M"`
	L    []wrappedValue          `json:"L"`
}

func (w wrappedValue) value() signal.Value {
	switch {
	case w.S != nil:
		return signal.S(*w.S)
	case w.N != nil:
		return signal.Decimal(*w.N)
	case w.BOOL != nil:
		return signal.Bool(*w.BOOL)
	case w.NULL != nil:
		return signal.Null()
	case w.M != nil:
		fields := make(map[string]signal.Value, len(w.M))
		for name, v := range w.M {
			fields[name] = v.value()
		}
		return signal.M(fields)
	case w.L != nil:
		elements := make([]signal.Value, len(w.L))
		for i, v := range w.L {
			elements[i] = v.value()
		}
		return signal.L(elements...)
	}
	return signal.Other()
}
