package source_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// answering is a network on which every request has the same answer.
type answering string

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}

// remote is a network that is never waited for.
func remote(transport http.RoundTripper) source.Remote {
	return source.Remote{
		Transport: transport, Timeout: time.Minute, Attempts: 3,
		Now: time.Now, Random: func() float64 { return 0 },
	}
}

// answered is what is made of a body that answers for these days.
func answered(t testing.TB, body string, days ...int) ([]source.Answer, error) {
	t.Helper()
	dates := make([]signal.ProductDate, len(days))
	for i, n := range days {
		dates[i] = day(n)
	}
	u := &url.URL{Scheme: "https", Host: "availability.example.com"}
	return source.NewHTTP(u, source.Bearer("token"), remote(answering(body))).Ask(t.Context(), dates)
}

// key is that of a day in a request and its answer.
func key(n int) string {
	return "availabilitySignal::mockPark1::backcountryCamp::1::2::" + day(n).Date.String()
}

func body(answers ...string) string {
	return `{"version": 1, "answers": [` + strings.Join(answers, ",") + `]}`
}

// entry is the answer for a day.
func entry(n int, rest string) string { return fmt.Sprintf(`{"key": %q, %s}`, key(n), rest) }

func TestAnswer_oneOfThree(t *testing.T) {
	got, err := answered(t, `{"later": {"release": true}, "version": 1, "answers": [`+strings.Join([]string{
		entry(3, `"none": true`),
		entry(2, `"error": "pool 7 has no capacity"`),
		entry(1, `"capacity": 20, "available": 12, "later": "release"`),
		entry(4, `"capacity": 20.00, "available": 0.0`),
		// Out of range, but counted and reported by the pattern.
		entry(5, `"capacity": 20, "available": -3`),
		entry(6, `"capacity": 20, "available": 21`),
		entry(7, `"capacity": 9223372036854775807, "available": -9223372036854775808`),
	}, ",")+"]}\n", 1, 2, 3, 4, 5, 6, 7, 8)
	if err != nil {
		t.Fatal(err)
	}
	want := []source.Answer{
		{Estimate: signal.Estimate{Available: 12, Capacity: 20}},
		{Err: &source.ItemError{
			Item:   `signal "mockPark1/backcountryCamp/1/2 2026-07-03"`,
			Reason: `cannot be estimated: the source answers "pool 7 has no capacity"`,
		}},
		{Estimate: signal.Estimate{NoInventory: true}},
		{Estimate: signal.Estimate{Capacity: 20}},
		{Estimate: signal.Estimate{Available: -3, Capacity: 20}},
		{Estimate: signal.Estimate{Available: 21, Capacity: 20}},
		{Estimate: signal.Estimate{Available: -9223372036854775808, Capacity: 9223372036854775807}},
		{Err: source.ErrUnanswered},
	}
	sameError := cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error()) })
	if diff := cmp.Diff(want, got, sameError); diff != "" {
		t.Error(diff)
	}
}

func TestAnswer_invalidForOneSignal(t *testing.T) {
	const neither = "has neither available and capacity, nor none, nor error"
	const several = "has more than one of available and capacity, none, and error"
	const large = "is not a whole number that fits 64 bits"
	for rest, want := range map[string]string{
		`"later": 1`: neither,
		// Names are exact.
		`"Available": 1, "Capacity": 2`:                       neither,
		`"available": 1, "capacity": 2, "none": true`:         several,
		`"available": 1, "capacity": 2, "none": false`:        several,
		`"available": 1, "error": "x"`:                        several,
		`"none": true, "error": "x"`:                          several,
		`"none": false`:                                       "has a none that is not true",
		`"none": 1`:                                           "has a none that is not true",
		`"none": null`:                                        "has a none that is not true",
		`"error": ""`:                                         "has an error that is no text",
		`"error": null`:                                       "has an error that is no text",
		`"error": {"code": 7}`:                                "has an error that is no text",
		`"available": 1`:                                      "has no capacity",
		`"capacity": 1`:                                       "has no available",
		`"available": "1", "capacity": 2`:                     "has a number available that is no number",
		`"available": "NaN", "capacity": 2`:                   "has a number available that is no number",
		`"available": null, "capacity": 2`:                    "has a number available that is no number",
		`"available": true, "capacity": 2`:                    "has a number available that is no number",
		`"available": [1], "capacity": 2`:                     "has a number available that is no number",
		`"available": 0.5, "capacity": 2`:                     "has a number available that " + large,
		`"available": 1, "capacity": 2.000001`:                "has a number capacity that " + large,
		`"available": 1e0, "capacity": 2`:                     "has a number available that " + large,
		`"available": 1.0e1, "capacity": 2`:                   "has a number available that " + large,
		`"available": 1, "capacity": 9223372036854775808`:     "has a number capacity that " + large,
		`"available": -9223372036854775809, "capacity": 1`:    "has a number available that " + large,
		`"available": 1, "capacity": 9223372036854775808.0`:   "has a number capacity that " + large,
		`"none": true}, {"key": "` + key(1) + `", "none": 1`:  "is there twice",
		`"error": "x"}, {"key": "` + key(1) + `", "none": 1`:  "is there twice",
		`"later": 1}, {"key": "` + key(1) + `", "none": true`: "is there twice",
	} {
		got, err := answered(t, body(entry(2, `"none": true`), entry(1, rest)), 1, 2)
		if err != nil || got[1] != (source.Answer{Estimate: signal.Estimate{NoInventory: true}}) {
			t.Errorf("%s: the other signal has %+v, %v", rest, got, err)
			continue
		}
		item, ok := errors.AsType[*source.ItemError](got[0].Err)
		want = `the answer for signal "mockPark1/backcountryCamp/1/2 2026-07-02" ` + want
		if !ok || item.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", rest, got[0].Err, want)
		}
	}
}

func TestAnswer_unusableAsAWhole(t *testing.T) {
	const object = "it is no JSON object: "
	good := entry(1, `"none": true`)
	for name, test := range map[string]struct{ body, want string }{
		"empty":            {``, object},
		"HTML":             {`<html>Bad gateway</html>`, object},
		"null":             {`null`, `it has no field "version"`},
		"list":             {`[` + good + `]`, object},
		"cut short":        {body(good)[:40], object},
		"two":              {body(good) + body(good), object},
		"NaN":              {body(entry(1, `"available": NaN, "capacity": 2`)), object},
		"no version":       {`{"answers": [` + good + `]}`, `it has no field "version"`},
		"version 2":        {`{"version": 2, "answers": [` + good + `]}`, `its version is "2", not 1`},
		"version as text":  {`{"version": "1", "answers": [` + good + `]}`, `its version is "\"1\"", not 1`},
		"no answers":       {`{"version": 1}`, `it has no list "answers"`},
		"answers null":     {`{"version": 1, "answers": null}`, `it has no list "answers"`},
		"answers by key":   {`{"version": 1, "answers": {}}`, `it has no list "answers"`},
		"no object":        {body(good, `7`), "answer 2 of 2 is no object with the key of a signal"},
		"no key":           {body(good, `{"none": true}`), "answer 2 of 2 is no object with the key of a signal"},
		"key null":         {body(`{"key": null, "none": true}`), "answer 1 of 1 is no object with the key of a signal"},
		"key a number":     {body(`{"key": 7, "none": true}`), "answer 1 of 1 is no object with the key of a signal"},
		"not asked for":    {body(good, entry(9, `"none": true`)), `one is for "` + key(9) + `", which was not asked for`},
		"a long key":       {body(`{"key": "` + strings.Repeat("ü", 300) + `"}`), `one is for "` + strings.Repeat("ü", 100) + `" and more, which was not asked for`},
		"a key with lines": {body(`{"key": "a\nb"}`), `one is for "a\nb", which was not asked for`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := answered(t, test.body, 1)
			want := "post 1 signals to availability.example.com: unusable answer: " + test.want
			if got != nil || !errors.Is(err, source.ErrAnswer) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf(" got %v, %v\nwant %s", got, err, want)
			}
			if _, ok := errors.AsType[*source.ItemError](err); ok {
				t.Error("the signal is blamed")
			}
		})
	}
}

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		"", "{}", body(), body(entry(1, `"none": true`)), body(entry(1, `"error": "x"`), entry(2, `"available": 3, "capacity": 4.0`)),
		body(entry(1, `"available": -1e9, "capacity": 0.5`)), body(entry(1, `"none": true`), entry(1, `"none": true`)), body(`{"key":"x"}`),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		answers, err := answered(t, text, 1, 2)
		if err != nil {
			if !errors.Is(err, source.ErrAnswer) || answers != nil {
				t.Fatalf("%v with %v", answers, err)
			}
			if !utf8.ValidString(err.Error()) || strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("the error would break a log: %q", err)
			}
			return
		}
		if len(answers) != 2 {
			t.Fatalf("%d answers for 2 signals", len(answers))
		}
		for i, a := range answers {
			_, item := errors.AsType[*source.ItemError](a.Err)
			switch {
			case a.Err != nil && !item && !errors.Is(a.Err, source.ErrUnanswered):
				t.Fatal(a.Err)
			case a.Err != nil && a.Estimate != signal.Estimate{}, a.Estimate.NoInventory && a.Estimate != signal.Estimate{NoInventory: true}:
				t.Fatalf("%+v", a)
			case a.Err == nil && !strings.Contains(text, "key"):
				t.Fatalf("signal %d was answered for", i)
			case a.Err != nil && (!utf8.ValidString(a.Err.Error()) || strings.ContainsAny(a.Err.Error(), "\n\r")):
				t.Fatalf("the error would break a log: %q", a.Err)
			}
		}
	})
}
