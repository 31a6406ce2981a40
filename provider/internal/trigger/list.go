package trigger

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
)

// List yields the triggers of the account and region that have an owner. It reads
// the tags of every scheduled rule of the default bus, of which there are 300
// unless the quota has been raised. An error that is yielded is of one rule, or
// the last.
func (e *EventBridge) List(ctx context.Context) iter.Seq2[Listed, error] {
	return func(yield func(Listed, error) bool) {
		in := &eventbridge.ListRulesInput{}
		for {
			out, err := e.api.ListRules(ctx, in)
			if err != nil {
				yield(Listed{}, fmt.Errorf("list rules: %w", classify(err)))
				return
			}
			for _, rule := range out.Rules {
				if aws.ToString(rule.ManagedBy) != "" {
					continue
				}
				name := aws.ToString(rule.Name)
				tags, err := e.tags(ctx, name, rule.Arn)
				// It was deleted in the meantime.
				if errors.Is(err, ErrNotFound) || err == nil && tags[TagOwner] == "" {
					continue
				}
				if !yield(Listed{Name: name, Owner: tags[TagOwner]}, err) {
					return
				}
			}
			if aws.ToString(out.NextToken) == "" {
				return
			}
			in.NextToken = out.NextToken
		}
	}
}
