package trigger

import (
	"crypto/sha256"
	"encoding/hex"
)

const (
	// maxName is what EventBridge takes as a rule's name.
	maxName = 64
	// hashDigits end a text that was cut.
	hashDigits = 8
)

// DefaultName is the name of the trigger of a table's bucket.
func DefaultName(table, bucket string) string {
	return Shorten("availability-"+table+"-"+bucket, maxName)
}

// Shorten cuts a text that is longer than most bytes, of which there are at least
// 8, and ends it with 8 hex digits of the whole text's SHA-256.
func Shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return text[:most-hashDigits] + hex.EncodeToString(sum[:hashDigits/2])
}

// NamesOf is what all names that DefaultName gives to a table's buckets begin with.
func NamesOf(table string) string {
	prefix := "availability-" + table + "-"
	return prefix[:min(len(prefix), maxName-hashDigits)]
}
