// Function is a platform's own: it answers with estimates by what a test put into
// the product's id.
package main

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"
)

type request struct {
	Version int `json:"version"`
	Signals []struct {
		Key       string `json:"key"`
		ProductID string `json:"productId"`
	} `json:"signals"`
}

type answer struct {
	Key       string `json:"key"`
	Available *int   `json:"available,omitempty"`
	Capacity  *int   `json:"capacity,omitempty"`
	None      bool   `json:"none,omitempty"`
	Error     string `json:"error,omitempty"`
}

type response struct {
	Version int      `json:"version"`
	Answers []answer `json:"answers"`
}

func main() {
	lambda.Start(func(_ context.Context, r request) (response, error) {
		out := response{Version: r.Version, Answers: []answer{}}
		for _, s := range r.Signals {
			available, capacity := len(r.Signals), 100
			a := answer{Key: s.Key}
			switch kind, _, _ := strings.Cut(s.ProductID, "-"); kind {
			case "poison":
				return response{}, errors.New("poisoned by " + s.ProductID)
			case "huge":
				a.Error = strings.Repeat("x", 7<<20)
			case "forgotten":
				continue
			case "none":
				a.None = true
			case "broken":
				a.Error = "broken as ordered"
			default:
				a.Available, a.Capacity = &available, &capacity
			}
			out.Answers = append(out.Answers, a)
		}
		return out, nil
	})
}
