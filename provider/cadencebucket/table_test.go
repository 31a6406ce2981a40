package cadencebucket_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// tableShape is a table as somebody may have made it. The zero value is the
// contract's, except that its TTL is off.
type tableShape struct {
	keys [2]string
	// types are of the attributes that are no strings.
	types map[string]ddbtypes.ScalarAttributeType
	// indexes are the keys of each.
	indexes map[string][]string
	// project is of the indexes that do not project what they should.
	project map[string]*ddbtypes.Projection
	ttl     string
}

func (s tableShape) create(w world) {
	w.t.Helper()
	if s.keys == [2]string{} {
		s.keys = [2]string{"pk", "sk"}
	}
	if s.indexes == nil {
		s.indexes = map[string][]string{"cadence-index": {"gsipk", "gsisk"}, "globalId-index": {"globalId"}}
	}
	attributes := map[string]bool{}
	schema := func(names []string) (keys []ddbtypes.KeySchemaElement) {
		for i, kind := range []ddbtypes.KeyType{ddbtypes.KeyTypeHash, ddbtypes.KeyTypeRange}[:len(names)] {
			attributes[names[i]] = true
			keys = append(keys, ddbtypes.KeySchemaElement{AttributeName: &names[i], KeyType: kind})
		}
		return keys
	}
	in := &dynamodb.CreateTableInput{TableName: &w.table, BillingMode: ddbtypes.BillingModePayPerRequest}
	names := s.keys[:]
	if s.keys[1] == "" {
		names = names[:1]
	}
	in.KeySchema = schema(names)
	for name, keys := range s.indexes {
		projection := s.project[name]
		if projection == nil {
			projection = include("dirtySince", "ttl", "notBefore")
		}
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, ddbtypes.GlobalSecondaryIndex{IndexName: &name, KeySchema: schema(keys), Projection: projection})
	}
	for name := range attributes {
		kind := s.types[name]
		if kind == "" {
			kind = ddbtypes.ScalarAttributeTypeS
		}
		in.AttributeDefinitions = append(in.AttributeDefinitions, ddbtypes.AttributeDefinition{AttributeName: &name, AttributeType: kind})
	}
	if _, err := w.db.CreateTable(w.ctx(), in); err != nil && !strings.Contains(err.Error(), "ResourceInUse") {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { acctest.DeleteTable(w.t, w.table) })
	active := dynamodb.NewTableExistsWaiter(w.db, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = 20 * time.Millisecond })
	if err := active.Wait(w.ctx(), &dynamodb.DescribeTableInput{TableName: &w.table}, 2*time.Minute); err != nil {
		w.t.Fatal(err)
	}
	if s.ttl == "" {
		return
	}
	on := &ddbtypes.TimeToLiveSpecification{AttributeName: &s.ttl, Enabled: aws.Bool(true)}
	if _, err := w.db.UpdateTimeToLive(w.ctx(), &dynamodb.UpdateTimeToLiveInput{TableName: &w.table, TimeToLiveSpecification: on}); err != nil {
		w.t.Fatal(err)
	}
}

func include(attributes ...string) *ddbtypes.Projection {
	return &ddbtypes.Projection{ProjectionType: ddbtypes.ProjectionTypeInclude, NonKeyAttributes: attributes}
}

// A table in which signals cannot be gets no bucket; what only costs more is a
// warning. Nothing is asked before the apply.
func TestBucket_table(t *testing.T) {
	t.Parallel()
	all := &ddbtypes.Projection{ProjectionType: ddbtypes.ProjectionTypeAll}
	keysOnly := &ddbtypes.Projection{ProjectionType: ddbtypes.ProjectionTypeKeysOnly}
	const nothing = ".\n\nNothing was written, and the bucket is not in the state.\n\n"
	const ttl = "DynamoDB then does not delete expired signals. They are neither checked nor served as fresh, and runs remove them bit by bit, which costs writes.\n\n" +
		"Turn TTL on for the attribute ttl, by which DynamoDB deletes them for nothing. A table has one such attribute: where another one is needed, keep signals in a table of their own."
	const cadenceKey = "gsipk (string) and gsisk (string)"
	const included = "the projection INCLUDE of dirtySince, ttl and notBefore"
	const addCadence = "Add it to the table, with the key " + cadenceKey + " and " + included + ". Or, if there is one already, set the provider's cadence_index_name to what it is called."
	const otherCadence = "Add an index with the key " + cadenceKey + " and " + included + ", and set the provider's cadence_index_name to its name."
	const addGlobalID = "Add it to the table, with the key globalId (string) and the projection KEYS_ONLY. Or, if there is one already, set the provider's global_id_index_name to what it is called."
	const noIndex = ` has no index "cadence-index", by which a run finds what it has to check: `
	const noGlobalID = ` has no index "globalId-index", by which a signal is found by its globalId: `
	tests := map[string]struct {
		shape    tableShape
		settings acctest.Config
		// errs are after `Unable to create cadence bucket "5min": Table "..."`, or
		// after "Index" where they begin with it.
		errs []string
		// warnings have %s for the table.
		warnings []string
	}{
		"as it should be": {shape: tableShape{ttl: "ttl"}},
		"a platform's own": {
			shape: tableShape{
				indexes: map[string][]string{"gsi1": {"gsipk", "gsisk"}, "gsi2": {"globalId", "pk"}},
				project: map[string]*ddbtypes.Projection{"gsi1": all, "gsi2": all}, ttl: "ttl",
			},
			settings: acctest.Config{"cadence_index_name": "gsi1", "global_id_index_name": "gsi2"},
			warnings: []string{
				"table_name: Index \"gsi1\" of table %s projects all attributes: A clean check then costs 5 write units instead of 4, and a flip that is written to a signal already dirty 2 instead of 1. checks.write_budget does not know of it: halve it.\n\n" +
					"Everything works. To save that, add an index of its own for signals, with " + included + ", or keep signals in a table of their own.",
				"table_name: Index \"gsi2\" of table %s projects all attributes: Every write of a signal then costs one write unit more, to keep it up to date.\n\n" +
					"Everything works. To save that, add an index of its own for signals, with the projection KEYS_ONLY, or keep signals in a table of their own.",
			},
		},
		"TTL is off":      {warnings: []string{"table_name: TTL of table %s is off: " + ttl}},
		"TTL is on other": {shape: tableShape{ttl: "expires"}, warnings: []string{"table_name: TTL of table %s is on the attribute expires: " + ttl}},
		"other key": {
			shape: tableShape{keys: [2]string{"PK", "SK"}, ttl: "ttl"},
			errs:  []string{" has the key PK (string) and SK (string), not pk (string) and sk (string)" + nothing + "A table's key cannot be changed: make another table, and correct table_name."},
		},
		"half the key": {
			shape: tableShape{keys: [2]string{"pk", ""}, ttl: "ttl"},
			errs:  []string{" has the key pk (string), not pk (string) and sk (string)" + nothing + "A table's key cannot be changed: make another table, and correct table_name."},
		},
		"a number in the key": {
			shape: tableShape{types: map[string]ddbtypes.ScalarAttributeType{"sk": "N"}, ttl: "ttl"},
			errs:  []string{" has the key pk (string) and sk (number), not pk (string) and sk (string)" + nothing + "A table's key cannot be changed: make another table, and correct table_name."},
		},
		"no indexes": {
			shape: tableShape{indexes: map[string][]string{}, ttl: "ttl"},
			errs:  []string{noIndex + "it has none" + nothing + addCadence, noGlobalID + "it has none" + nothing + addGlobalID},
		},
		"other names": {
			shape: tableShape{indexes: map[string][]string{"gsi1": {"gsipk", "gsisk"}, "gsi2": {"globalId"}}, ttl: "ttl"},
			errs:  []string{noIndex + "it has gsi1, gsi2" + nothing + addCadence, noGlobalID + "it has gsi1, gsi2" + nothing + addGlobalID},
		},
		"other keys of indexes": {
			shape: tableShape{indexes: map[string][]string{"cadence-index": {"gsipk"}, "globalId-index": {"gsisk"}}, ttl: "ttl"},
			errs: []string{
				`Index "cadence-index" of table %s has the key gsipk (string), not ` + cadenceKey + nothing + otherCadence,
				`Index "globalId-index" of table %s has the key gsisk (string), not globalId (string)` + nothing + "Add an index with the key globalId (string) and the projection KEYS_ONLY, and set the provider's global_id_index_name to its name.",
			},
		},
		"keys only": {
			shape: tableShape{project: map[string]*ddbtypes.Projection{"cadence-index": keysOnly}, ttl: "ttl"},
			errs: []string{`Index "cadence-index" of table %s does not project dirtySince, ttl, notBefore, which every run reads of it: DynamoDB would refuse that` + nothing +
				"A projection cannot be changed: add another index with " + included + ", and set the provider's cadence_index_name to its name."},
		},
		"one short": {
			shape: tableShape{project: map[string]*ddbtypes.Projection{"cadence-index": include("ttl", "dirtySince", "note")}, ttl: "ttl"},
			errs: []string{`Index "cadence-index" of table %s does not project notBefore, which every run reads of it: DynamoDB would refuse that` + nothing +
				"A projection cannot be changed: add another index with " + included + ", and set the provider's cadence_index_name to its name."},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world{t: t, table: acctest.Name("availability-shape"), db: acctest.DynamoDB(t), eb: acctest.EventBridge(t)}
			tt.shape.create(w)
			quoted := fmt.Sprintf("%q", w.table)
			var errs, warnings []string
			for _, e := range tt.errs {
				if !strings.HasPrefix(e, "Index") {
					e = "Table " + quoted + e
				}
				errs = append(errs, `table_name: Unable to create cadence bucket "5min": `+strings.ReplaceAll(e, "%s", quoted))
			}
			for _, warning := range tt.warnings {
				warnings = append(warnings, strings.ReplaceAll(warning, "%s", quoted))
			}
			proxy := acctest.NewFaultProxy(t)
			d := acctest.NewDriver(t, typeName, proxy.Settings(tt.settings))
			config := bucketConfig(w, "5min", nil)
			proxy.Set()
			holdPlan(t, d, config, acctest.Create)
			if calls := proxy.Calls(); len(calls) > 0 {
				t.Errorf("a plan calls %v", calls)
			}
			holdErrors(t, d.Apply(config), errs...)
			holdErrors(t, d.Warnings(), warnings...)
			if len(errs) > 0 {
				w.holdRuleless("5min", d)
				return
			}
			holdPlan(t, d, config, acctest.NoOp)
			holdErrors(t, d.Warnings())
			holdDestroyed(t, w, d, "5min")
		})
	}
}

// holdRuleless holds that a create has made no rule, in a table that may have other
// keys than items can be read by, and has no state.
func (w world) holdRuleless(bucket string, d *acctest.Driver) {
	w.t.Helper()
	if found := w.describe(w.rule(bucket)); found != nil {
		w.t.Errorf("there is a rule: %v", found)
	}
	if d.State() != nil || d.Tainted() {
		w.t.Errorf("there is a state: %v", d.State())
	}
	out, err := w.db.Scan(context.WithoutCancel(w.t.Context()), &dynamodb.ScanInput{TableName: &w.table})
	if err != nil || len(out.Items) > 0 {
		w.t.Errorf("the table has %v, %v", out, err)
	}
}

// Who may write a bucket but not describe its table gets one all the same.
func TestBucket_tableNotDescribed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	denied := acctest.Fail(http.StatusBadRequest, "AccessDeniedException", "not you")
	d := acctest.NewDriver(t, typeName, proxy.Settings(nil))
	for _, operations := range [][]string{{"DescribeTable"}, {"DescribeTimeToLive"}, {"DescribeTable", "DescribeTimeToLive"}} {
		var faults []acctest.Fault
		for _, operation := range operations {
			faults = append(faults, acctest.Fault{Operation: operation, Effect: denied})
		}
		proxy.Set(faults...)
		config := bucketConfig(w, "5min", nil)
		holdApplied(t, d, config)
		holdErrors(t, d.Warnings())
		calls := strings.Join(proxy.Calls(), " ")
		if !strings.Contains(calls, "DescribeTable ") || !strings.Contains(calls, "DescribeTimeToLive") {
			t.Errorf("not asked: %s", calls)
		}
		holdDestroyed(t, w, d, "5min")
	}
}
