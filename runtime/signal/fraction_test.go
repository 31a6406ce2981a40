package signal_test

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// exactFractions compares fractions by what they are.
var exactFractions = cmp.Comparer(func(a, b signal.Fraction) bool { return a == b })

func fraction(t testing.TB, text string) signal.Fraction {
	t.Helper()
	f, err := signal.ParseFraction(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestParseFraction(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "1": "1", "0.25": "0.25", "0.0": "0", "1.000": "1", "0.250": "0.25", ".5": "0.5", "1.": "1", "00.5": "0.5",
		"+0.5": "0.5", "0e5": "0", "0E-999": "0", "25e-2": "0.25", "2.5E-1": "0.25", "0.025e+1": "0.25", "10e-1": "1", "1e0": "1",
		"0.000000000000000001": "0.000000000000000001", "0.999999999999999999": "0.999999999999999999",
		"0.30000000000000004":              "0.30000000000000004", // what JavaScript makes of 0.1 + 0.2
		"0.100000000000000000000000000000": "0.1",
	} {
		f, err := signal.ParseFraction(text)
		if err != nil || f.String() != want {
			t.Errorf("ParseFraction(%q) = %v, %v, want %s", text, f, err, want)
		}
	}
}

func TestParseFraction_invalid(t *testing.T) {
	t.Parallel()
	const (
		noNumber = "is not a number"
		negative = "is negative or not a number"
		greater  = "is greater than 1"
		places   = "has more than 18 decimal places"
	)
	for text, why := range map[string]string{
		"": noNumber, ".": noNumber, "e5": noNumber, "1e": noNumber, "1e5.0": noNumber, "abc": noNumber, "0,25": noNumber, "0.2.5": noNumber,
		" 0.25": noNumber, "0.25 ": noNumber, "25%": noNumber, "NaN": noNumber, "Inf": noNumber, "0x1": noNumber, "1_0e-1": noNumber, "٠.٥": noNumber,
		"1e9999999999": noNumber, "1e1001": noNumber,
		"-0.25": negative, "-0": negative,
		"1.1": greater, "2": greater, "25": greater, "1e1": greater, "1.000000000000000000001": greater, "99999999999999999999e-19": greater,
		"18446744073709551617e-18": greater,
		"0.0000000000000000001":    places, "0.1234567890123456789": places, "1e-19": places, "1e-999": places,
	} {
		f, err := signal.ParseFraction(text)
		if err == nil {
			t.Errorf("ParseFraction(%q) = %v, want an error", text, f)
			continue
		}
		want := "fraction " + strconv.Quote(text) + " " + why + ": expected a decimal from 0 to 1, such as 0.25"
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("message (-want +got):\n%s", diff)
		}
	}
}

func TestFraction_equalOnesAreTheSame(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"0.5", "0.50"}, {"0", "0.000"}, {"1", "10e-1"}, {"0.25", "25e-2"}} {
		if fraction(t, pair[0]) != fraction(t, pair[1]) {
			t.Errorf("%s and %s differ", pair[0], pair[1])
		}
	}
}

// rational is what a decimal means, by the standard library.
func rational(text string) (*big.Rat, bool) { return new(big.Rat).SetString(text) }

// decimals are decimals in [0, 1] of up to 18 places.
func decimals() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		scale := rapid.IntRange(0, 18).Draw(t, "scale")
		one := uint64(1)
		for range scale {
			one *= 10
		}
		digits := strconv.FormatUint(rapid.Uint64Range(0, one).Draw(t, "units"), 10)
		return digits + "e-" + strconv.Itoa(scale)
	})
}

func TestFraction_isExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := decimals().Draw(t, "a"), decimals().Draw(t, "b")
		f, err := signal.ParseFraction(a)
		if err != nil {
			t.Fatal(err)
		}
		g, err := signal.ParseFraction(b)
		if err != nil {
			t.Fatal(err)
		}
		ra, _ := rational(a)
		rb, _ := rational(b)
		if got, want := f.Compare(g), ra.Cmp(rb); got != want {
			t.Errorf("Compare(%s, %s) = %d, want %d", a, b, got, want)
		}
		if r, ok := rational(f.String()); !ok || r.Cmp(ra) != 0 {
			t.Errorf("ParseFraction(%s).String() = %s", a, f)
		}
		if again, err := signal.ParseFraction(f.String()); err != nil || again != f {
			t.Errorf("%s reads back as %v, %v", f, again, err)
		}
	})
}

// Floats in [0.01, 1], as other languages print them, can be bounds.
func TestParseFraction_takesFloats(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strconv.FormatFloat(rapid.Float64Range(0.01, 1).Draw(t, "float"), 'g', -1, 64)
		f, err := signal.ParseFraction(text)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := rational(text)
		if got, _ := rational(f.String()); got.Cmp(want) != 0 {
			t.Errorf("ParseFraction(%s) = %s", text, f)
		}
	})
}

func FuzzParseFraction(f *testing.F) {
	for _, text := range []string{"", "0", "1", "0.25", ".", "1e-18", "1e-19", "-1", "1e999", "00000000000000000000001", "0.1e1", "1e-", "+.5e-0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := signal.ParseFraction(text)
		if err != nil {
			return
		}
		want, ok := rational(text)
		if !ok && strings.Trim(text, "+.0123456789eE-") == "" {
			t.Fatalf("ParseFraction(%q) = %s, and it is no number", text, got)
		}
		if value, _ := rational(got.String()); value.Cmp(want) != 0 {
			t.Errorf("ParseFraction(%q) = %s", text, got)
		}
		if want.Sign() < 0 || want.Cmp(big.NewRat(1, 1)) > 0 {
			t.Errorf("ParseFraction(%q) = %s is not in [0, 1]", text, got)
		}
		if again, err := signal.ParseFraction(got.String()); err != nil || again != got {
			t.Errorf("%s reads back as %v, %v", got, again, err)
		}
	})
}
