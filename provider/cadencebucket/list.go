package cadencebucket

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// list yields a table's buckets that have a rule, as they are. An error that is
// yielded is of one bucket, whose ref is then all that is known, or the last.
func (b buckets) list(ctx context.Context, table string) iter.Seq2[observation, error] {
	return func(yield func(observation, error) bool) {
		for listed, err := range b.triggers.List(ctx) {
			if err != nil {
				if !yield(observation{ref: ref{table: table, rule: listed.Name}}, err) {
					return
				}
				continue
			}
			name, ours := strings.CutPrefix(listed.Owner, table+"/")
			if !ours || signal.ValidateBucketName(name) != nil {
				continue
			}
			r := ref{table: table, name: name, rule: listed.Name}
			o, err := b.read(ctx, r, "")
			// A rule without a bucket is what an interrupted create leaves.
			if errors.Is(err, errGone) {
				continue
			}
			o.ref = r
			if !yield(o, err) {
				return
			}
		}
	}
}
