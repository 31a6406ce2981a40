package acctest

import (
	"regexp"
	"strings"
)

// Text matches a message as Terraform prints it, whose lines it breaks and
// decorates as it likes: all of the text's words, in order, with nothing between
// them. A word that is ANY matches whatever is in its place, as a request id.
func Text(text string) *regexp.Regexp {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = strings.ReplaceAll(regexp.QuoteMeta(w), "ANY", `[\s\S]+?`)
	}
	return regexp.MustCompile(strings.Join(words, `[\s│]+`))
}
