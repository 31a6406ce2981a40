package trigger

import (
	"crypto/sha256"
	"encoding/hex"
)

// maxName is what EventBridge takes as a rule's name.
const maxName = 64

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
	digits := hex.EncodeToString(sum[:4])
	return text[:most-len(digits)] + digits
}
