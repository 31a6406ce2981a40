package simulator

import "fmt"

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	// tokenWord is a name or keyword, tokenName an alias #x, tokenValue a
	// placeholder :x, tokenSign punctuation, tokenQuoted and tokenText what
	// stands in double and single quotes, tokenNumber a number.
	tokenWord
	tokenName
	tokenValue
	tokenSign
	tokenQuoted
	tokenText
	tokenNumber
)

type lexeme struct {
	kind tokenKind
	text string
}

func (l lexeme) String() string {
	if l.kind == tokenEnd {
		return "<EOF>"
	}
	return l.text
}

// syntaxError is what AWS says of an expression that it cannot read.
type syntaxError struct{ near lexeme }

func (e *syntaxError) Error() string { return fmt.Sprintf("Syntax error; token: %q", e.near.String()) }

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// lex splits an expression or a statement.
func lex(s string) ([]lexeme, error) {
	var out []lexeme
	for i := 0; i < len(s); {
		start := i
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case digit(c):
			for i < len(s) && (digit(s[i]) || s[i] == '.') {
				i++
			}
			if i < len(s) && letter(s[i]) {
				return nil, &syntaxError{lexeme{tokenNumber, s[start : i+1]}}
			}
			out = append(out, lexeme{tokenNumber, s[start:i]})
		case letter(c) || c == '#' || c == ':':
			for i++; i < len(s) && letter(s[i]); i++ {
			}
			kind := tokenWord
			switch {
			case c == '#':
				kind = tokenName
			case c == ':':
				kind = tokenValue
			}
			if kind != tokenWord && i == start+1 && c == '#' {
				return nil, &syntaxError{lexeme{tokenSign, "#"}}
			}
			if kind == tokenValue && i == start+1 {
				kind = tokenSign
			}
			out = append(out, lexeme{kind, s[start:i]})
		case c == '"' || c == '\'':
			text, end, ok := quoted(s, i)
			if !ok {
				return nil, &syntaxError{lexeme{tokenSign, s[i:]}}
			}
			kind := tokenQuoted
			if c == '\'' {
				kind = tokenText
			}
			out = append(out, lexeme{kind, text})
			i = end
		case i+1 < len(s) && (s[i:i+2] == "<=" || s[i:i+2] == ">=" || s[i:i+2] == "<>"):
			out = append(out, lexeme{tokenSign, s[i : i+2]})
			i += 2
		default:
			out = append(out, lexeme{tokenSign, s[i : i+1]})
			i++
		}
	}
	return append(out, lexeme{}), nil
}

// quoted reads what stands in quotes, in which a doubled quote is one.
func quoted(s string, at int) (text string, end int, ok bool) {
	quote := s[at]
	var b []byte
	for i := at + 1; i < len(s); i++ {
		if s[i] != quote {
			b = append(b, s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == quote {
			b = append(b, quote)
			i++
			continue
		}
		return string(b), i + 1, true
	}
	return "", 0, false
}
