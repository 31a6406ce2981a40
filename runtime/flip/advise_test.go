package flip_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
)

func TestAdvise(t *testing.T) {
	cancelled := func(codes ...string) error {
		e := &types.TransactionCanceledException{}
		for _, c := range codes {
			e.CancellationReasons = append(e.CancellationReasons, types.CancellationReason{Code: aws.String(c)})
		}
		return fmt.Errorf("book: %w", e)
	}
	const none, refused, conflict = "None", "ConditionalCheckFailed", "TransactionConflict"
	tests := map[string]struct {
		err  error
		want flip.Advice
	}{
		"the signal is missing":            {cancelled(none, refused), flip.WithoutFlips},
		"missing, and a conflict":          {cancelled(conflict, refused), flip.WithoutFlips},
		"conflict":                         {cancelled(none, conflict), flip.Repeat},
		"all None":                         {cancelled(none, none), flip.Repeat},
		"throttled":                        {cancelled("ThrottlingError", none), flip.Repeat},
		"over its provisioned rate":        {cancelled(none, "ProvisionedThroughputExceeded"), flip.Repeat},
		"sold out":                         {cancelled(refused, none), flip.GiveUp},
		"sold out, and the signal missing": {cancelled(refused, refused), flip.GiveUp},
		"sold out, and a conflict":         {cancelled(refused, conflict), flip.GiveUp},
		"invalid":                          {cancelled("ValidationError", none), flip.GiveUp},
		"without reasons":                  {cancelled(), flip.GiveUp},
		"under way under the same token":   {&types.TransactionInProgressException{}, flip.Repeat},
		"no answer":                        {errors.New("connection reset"), flip.Repeat},
		"the service failed":               {&types.InternalServerError{}, flip.Repeat},
		"the whole request throttled":      {&types.ProvisionedThroughputExceededException{}, flip.Repeat},
		"not allowed":                      {&smithy.GenericAPIError{Code: "AccessDeniedException"}, flip.GiveUp},
		"none":                             {nil, flip.GiveUp},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := flip.Advise(tt.err, 1); got != tt.want {
				t.Errorf("advice %d, want %d", got, tt.want)
			}
		})
	}
}
