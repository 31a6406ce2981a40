package function

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
)

// argumentError is what is wrong with an argument, by its number. Terraform puts a
// period behind it.
func argumentError(argument int64, err error) *function.FuncError {
	return function.NewArgumentFuncError(argument, sentence(err))
}

func sentence(err error) string { return strings.TrimSuffix(diagnose.Sentence(err), ".") }
