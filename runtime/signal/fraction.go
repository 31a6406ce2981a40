package signal

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// maxScale keeps a fraction and its products within 128 bits. JavaScript's and
// Go's shortest decimals of a float64 in [0.01, 1] all fit.
const maxScale = 18

// Fraction is an exact decimal in [0, 1]. The zero Fraction is 0; equal
// fractions compare equal with ==.
type Fraction struct {
	units uint64 // fraction x 10^scale
	scale uint8  // as small as it can be
}

// ParseFraction reads a decimal in [0, 1] with at most 18 decimal places, with
// or without an exponent.
func ParseFraction(text string) (Fraction, error) {
	invalid := func(why string) (Fraction, error) {
		return Fraction{}, fmt.Errorf("fraction %q %s: expected a decimal from 0 to 1, such as 0.25", text, why)
	}
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(text[i+1:])
		if err != nil || e < -1000 || e > 1000 {
			return invalid("is not a number")
		}
		mantissa, exponent = text[:i], e
	}
	mantissa = strings.TrimPrefix(mantissa, "+")
	if strings.HasPrefix(mantissa, "-") {
		return invalid("is negative or not a number")
	}
	whole, decimals, _ := strings.Cut(mantissa, ".")
	digits := whole + decimals
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return invalid("is not a number")
	}
	scale := len(decimals) - exponent
	for strings.HasSuffix(digits, "0") && len(digits) > 1 {
		digits, scale = digits[:len(digits)-1], scale-1
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return Fraction{}, nil
	}
	if scale < 0 || scale > maxScale && len(digits) > scale {
		return invalid("is greater than 1")
	}
	if scale > maxScale {
		return invalid("has more than 18 decimal places")
	}
	units, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || units > pow10(scale) {
		return invalid("is greater than 1")
	}
	return Fraction{units: units, scale: uint8(scale)}, nil
}

func pow10(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}

// String renders the fraction in decimal: 0.25.
func (f Fraction) String() string {
	digits := strconv.FormatUint(f.units, 10)
	if f.scale == 0 {
		return digits
	}
	if pad := int(f.scale) + 1 - len(digits); pad > 0 {
		digits = strings.Repeat("0", pad) + digits
	}
	point := len(digits) - int(f.scale)
	return digits[:point] + "." + digits[point:]
}

// Compare is negative, zero or positive as f is below, equal to or above g.
func (f Fraction) Compare(g Fraction) int {
	return compareProducts(f.units, pow10(int(g.scale)), g.units, pow10(int(f.scale)))
}

// covers is whether available <= f x capacity, without rounding.
func (f Fraction) covers(available, capacity int64) bool {
	return compareProducts(uint64(available), pow10(int(f.scale)), f.units, uint64(capacity)) <= 0
}

// compareProducts compares a x b with c x d in 128 bits.
func compareProducts(a, b, c, d uint64) int {
	ah, al := bits.Mul64(a, b)
	ch, cl := bits.Mul64(c, d)
	switch {
	case ah != ch && ah < ch, ah == ch && al < cl:
		return -1
	case ah == ch && al == cl:
		return 0
	}
	return 1
}
