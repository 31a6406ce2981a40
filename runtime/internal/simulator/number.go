package simulator

import (
	"math/big"
	"strconv"
	"strings"
)

// What DynamoDB stores of a number.
const (
	maxDigits   = 38
	maxExponent = 125  // of the first digit: 9.9E+125
	minExponent = -130 // 1E-130
)

// decimal is a number as 0.digits x 10^exponent, digits without zeros at either
// end; zero has none.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// small reads the plain integers that nearly all numbers are.
func small(s string) (n int64, ok bool) {
	digits := s
	if strings.HasPrefix(s, "-") {
		digits = s[1:]
		if digits == "0" {
			return 0, false
		}
	}
	if digits == "" || len(digits) > 18 || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(s) {
		n = -n
	}
	return n, true
}

// canonical is a number as DynamoDB gives it back.
func canonical(s string) (string, error) {
	if _, ok := small(s); ok {
		return s, nil
	}
	d, err := parseDecimal(s)
	if err != nil {
		return "", err
	}
	return d.String(), nil
}

func parseDecimal(s string) (decimal, error) {
	bad := func() (decimal, error) {
		return decimal{}, invalid("The parameter cannot be converted to a numeric value: %s", s)
	}
	var d decimal
	mantissa, exponent := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil {
			return bad()
		}
		mantissa, exponent = s[:i], e
	}
	switch {
	case strings.HasPrefix(mantissa, "-"):
		d.negative, mantissa = true, mantissa[1:]
	case strings.HasPrefix(mantissa, "+"):
		mantissa = mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return bad()
	}
	exponent += len(whole)
	trimmed := strings.TrimLeft(digits, "0")
	exponent -= len(digits) - len(trimmed)
	d.digits, d.exponent = strings.TrimRight(trimmed, "0"), exponent
	switch {
	case d.digits == "":
		return decimal{}, nil
	case len(d.digits) > maxDigits:
		return decimal{}, invalid("Attempting to store more than 38 significant digits in a Number")
	case d.exponent-1 > maxExponent:
		return decimal{}, invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
	case d.exponent-1 < minExponent:
		return decimal{}, invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	}
	return d, nil
}

// String is the number in full, without an exponent.
func (d decimal) String() string {
	if d.digits == "" {
		return "0"
	}
	var s string
	switch {
	case d.exponent <= 0:
		s = "0." + strings.Repeat("0", -d.exponent) + d.digits
	case d.exponent >= len(d.digits):
		s = d.digits + strings.Repeat("0", d.exponent-len(d.digits))
	default:
		s = d.digits[:d.exponent] + "." + d.digits[d.exponent:]
	}
	if d.negative {
		return "-" + s
	}
	return s
}

// sign is -1, 0 or 1.
func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d decimal) compare(e decimal) int {
	if d.sign() != e.sign() {
		return d.sign() - e.sign()
	}
	order := d.exponent - e.exponent
	if order == 0 {
		order = strings.Compare(d.digits, e.digits)
	}
	if d.negative {
		return -order
	}
	return order
}

// compareNumbers compares two canonical numbers.
func compareNumbers(a, b string) int {
	m, ok := small(a)
	n, ok2 := small(b)
	if ok && ok2 {
		switch {
		case m < n:
			return -1
		case m > n:
			return 1
		}
		return 0
	}
	return mustParse(a).compare(mustParse(b))
}

// addNumbers adds two canonical numbers.
func addNumbers(a, b string) (string, error) {
	m, ok := small(a)
	n, ok2 := small(b)
	if ok && ok2 {
		// Two of 18 digits cannot overflow.
		return strconv.FormatInt(m+n, 10), nil
	}
	x, y := mustParse(a), mustParse(b)
	exponent := min(x.exponent-len(x.digits), y.exponent-len(y.digits))
	sum := new(big.Int).Add(x.scaled(exponent), y.scaled(exponent))
	return canonical(sum.String() + "e" + strconv.Itoa(exponent))
}

// scaled is the number divided by 10^exponent, which leaves no fraction.
func (d decimal) scaled(exponent int) *big.Int {
	n, _ := new(big.Int).SetString("0"+d.digits, 10)
	n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(d.exponent-len(d.digits)-exponent, 0))), nil))
	if d.negative {
		n.Neg(n)
	}
	return n
}

// mustParse reads a number that was checked when it came in.
func mustParse(s string) decimal {
	d, err := parseDecimal(s)
	if err != nil {
		panic("unchecked number " + strconv.Quote(s))
	}
	return d
}

// numberSize is the bytes that a canonical number counts for: one for every two
// significant digits, one more, and one for a sign.
func numberSize(s string) int {
	negative := strings.HasPrefix(s, "-")
	digits := strings.TrimPrefix(s, "-")
	if strings.Contains(digits, ".") {
		digits = strings.TrimLeft(strings.Replace(digits, ".", "", 1), "0")
	} else {
		digits = strings.TrimRight(digits, "0")
	}
	size := (len(digits)+1)/2 + 1
	if negative {
		size++
	}
	return size
}

// sortableNumber is a canonical number as text whose order is the number's.
func sortableNumber(s string) string {
	d := mustParse(s)
	if d.sign() == 0 {
		return "1"
	}
	exponent := uint16(d.exponent + 1000)
	body := []byte{byte(exponent >> 8), byte(exponent)}
	body = append(body, d.digits...)
	if d.sign() > 0 {
		return "2" + string(body)
	}
	// Turned round, and ended by what is above any digit: -1.5 is below -1.
	for i := range body {
		body[i] = ^body[i]
	}
	return "0" + string(append(body, 0xff))
}
