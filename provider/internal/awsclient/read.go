package awsclient

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
)

// ReadTable is the table that a data source reads: the configured one, else the
// provider's. ok is false if it cannot be read now; resp then says why: Terraform
// takes no unknown values from a data source, so that it is read later, or not at
// all.
func (d *Data) ReadTable(configured types.String, thing string, req datasource.ReadRequest, resp *datasource.ReadResponse) (table string, ok bool) {
	configured = d.Table(configured)
	switch {
	case !d.Ready() || configured.IsUnknown():
		if req.ClientCapabilities.DeferralAllowed {
			resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
			return "", false
		}
		resp.Diagnostics.Append(diagnose.Failure{
			Verb: "read", Thing: thing,
			What: "Settings of the provider are not known before the apply, and Terraform cannot put off reading a data source because of them.",
			Do:   "Set them to values that are known at plan, or make this data source depend on what they come from, by depends_on, so that it is read during the apply.",
		}.Error())
		return "", false
	case configured.IsNull():
		resp.Diagnostics.Append(NoTable("read", thing))
		return "", false
	}
	return configured.ValueString(), true
}

// Reader reads the signals of a table, strongly consistent.
func (d *Data) Reader(table string) *read.Reader {
	return read.New(d.DynamoDB, table,
		read.WithClock(d.Now), read.WithConsistentReads(),
		read.WithCadenceIndex(d.CadenceIndexName.ValueString()), read.WithGlobalIDIndex(d.GlobalIDIndexName.ValueString()))
}

// ReadFailure words an error of reading by a Reader.
func ReadFailure(thing, table string, err error) diagnose.Failure {
	f := diagnose.Failure{Verb: "read", Thing: thing, Err: err, What: diagnose.Sentence(err), Do: "Run Terraform again."}
	if what, do, ok := diagnose.Table(err, table); ok {
		f.What, f.Do = what, do
	}
	return f
}

// NotFound words that there is no such thing in a table.
func NotFound(thing, table, do string) diagnose.Failure {
	return diagnose.Failure{Verb: "read", Thing: thing, What: fmt.Sprintf("There is none in table %q.", table), Do: do}
}
