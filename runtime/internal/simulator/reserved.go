package simulator

import (
	_ "embed"
	"strings"
	"sync"
)

// reservedText is DynamoDB's list of reserved words.
//
//go:embed reserved.txt
var reservedText string

var reservedWords = sync.OnceValue(func() map[string]struct{} {
	words := map[string]struct{}{}
	for word := range strings.FieldsSeq(reservedText) {
		words[word] = struct{}{}
	}
	return words
})

// reserved is whether a name cannot stand in an expression without an alias.
func reserved(name string) bool {
	_, is := reservedWords()[strings.ToUpper(name)]
	return is
}
