package lambda

// alphabet is texts of some length and of some bytes. A regular expression would be
// compiled at every start of the function, which these are looked at once in.
type alphabet struct {
	least, most int
	has         func(byte) bool
}

// MatchString is whether a text is one of them.
func (a alphabet) MatchString(s string) bool {
	if len(s) < a.least || len(s) > a.most {
		return false
	}
	for i := range len(s) {
		if !a.has(s[i]) {
			return false
		}
	}
	return true
}

func isLowerOrDigit(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

func isNameByte(c byte) bool {
	return isLowerOrDigit(c) || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '-'
}

func isServiceByte(c byte) bool { return isLowerOrDigit(c) || c == '-' }

// isTokenByte is what a header's value may have and is no space.
func isTokenByte(c byte) bool { return c >= '!' && c <= '~' }
