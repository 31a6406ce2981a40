package diagnose

import (
	"errors"
	"fmt"
	"unicode"

	"github.com/aws/smithy-go"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Table words an error of package dynamo about a table: what it is, and what to
// do. Errors of no class that all resources share are ok false.
func Table(err error, table string) (what, do string, ok bool) {
	if credentials, ok := errors.AsType[*dynamo.CredentialsError](err); ok {
		what, do = explainCredentials(credentials)
		return what, do, true
	}
	switch {
	case errors.Is(err, dynamo.ErrTableNotFound):
		return fmt.Sprintf("There is no table %q in this account and region.", table),
			"Create it in the same configuration and take table_name from that resource, or correct table_name, the provider's region or its credentials.", true
	case errors.Is(err, dynamo.ErrIndexNotFound):
		return fmt.Sprintf("Table %q has no such index.", table),
			"Add the index to the table, or set the provider's cadence_index_name and global_id_index_name to what they are called there.", true
	case errors.Is(err, dynamo.ErrAccessDenied):
		what, do = Denied(err, fmt.Sprintf("do this with table %q", table))
		return what, do, true
	case errors.Is(err, dynamo.ErrThrottled):
		return fmt.Sprintf("Table %q is throttled: it had no capacity left, however often the request was repeated.", table),
			"Raise the table's capacity or wait for the load to pass, then run terraform apply again.", true
	case errors.Is(err, dynamo.ErrConflict):
		return fmt.Sprintf("Transactions of the application on table %q were in the way, however often the request was repeated.", table),
			"Run terraform apply again.", true
	case errors.Is(err, dynamo.ErrUnknown):
		return fmt.Sprintf("Table %q did not answer, so that it is not known whether the request was carried out.", table),
			"Run terraform apply again once AWS can be reached.", true
	case errors.Is(err, signal.ErrFormat):
		return Sentence(err), "Install the release of the provider that wrote it, or a later one.", true
	case errors.Is(err, dynamo.ErrRejected):
		return fmt.Sprintf("Table %q did not accept the request.", table),
			"Check that it has the keys pk and sk, both strings, and the cadence index the keys gsipk and gsisk.", true
	}
	return "", "", false
}

// Denied words AWS's refusal of a request because of its credentials: they have
// expired, are none that AWS knows, or are not allowed to do what they were used for.
func Denied(err error, to string) (what, do string) {
	code := ""
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		code = api.ErrorCode()
	}
	switch code {
	case "ExpiredTokenException":
		return "The AWS credentials have expired.", "Get new ones, then run Terraform again."
	case "UnrecognizedClientException", "InvalidClientTokenId", "MissingAuthenticationTokenException",
		"InvalidSignatureException", "IncompleteSignatureException", "SignatureDoesNotMatch":
		return "AWS does not accept the credentials.", "Check which ones the provider uses: its access_key, secret_key and token, its profile, or what the environment has. Check the clock of this machine too."
	}
	return "The credentials are not allowed to " + to + ".", "Allow them the action that AWS names, or have the provider use others."
}

// explainCredentials tells what nobody has set up from what AWS has refused.
func explainCredentials(err *dynamo.CredentialsError) (what, do string) {
	if _, answered := errors.AsType[smithy.APIError](err.Err); answered {
		return "AWS did not give the credentials, so that nothing was sent.",
			"Check the role and whom it trusts, and the credentials that are used to assume it."
	}
	return "No AWS credentials were found, so that nothing was sent.",
		"Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the provider's profile, or its access_key and secret_key, or have the role's token at hand."
}

// Credentials words an error of getting credentials; ok is false for all others.
func Credentials(err error) (text string, ok bool) {
	credentials, ok := errors.AsType[*dynamo.CredentialsError](err)
	if !ok {
		return "", false
	}
	what, do := explainCredentials(credentials)
	return what + "\n\n" + do + "\n\n" + Cause(err), true
}

// Sentence is an error's text as a sentence.
func Sentence(err error) string {
	text := []rune(err.Error())
	if len(text) == 0 {
		return ""
	}
	text[0] = unicode.ToUpper(text[0])
	if last := text[len(text)-1]; last == '.' || last == '?' {
		return string(text)
	}
	return string(text) + "."
}
