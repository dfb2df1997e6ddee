package units

import (
	"testing"
	"time"
)

func TestTexts(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Stamp(61_234_567), "0.061 s"}, {Stamp(-1e9), "-1.000 s"},
		{Micros(61_234_567), "0.061 235"}, {Micros(-2e3), "−0.000 002"},
		{Span(int64(0)), "0"}, {Span(9 * time.Nanosecond), "9 ns"},
		{Span(8500 * time.Nanosecond), "8.5 µs"}, {Span(85 * time.Microsecond), "85 µs"},
		{Span(1600 * time.Microsecond), "1.6 ms"}, {Span(164 * time.Millisecond), "164 ms"},
		{Span(-164 * time.Millisecond), "-164 ms"}, {Span(1300 * time.Millisecond), "1.30 s"},
		{Span(13 * time.Second), "13.0 s"}, {Span(3 * time.Minute), "3m0s"},
		{Count(0, "client"), "0 clients"}, {Count(1, "client"), "1 client"},
		{Count(1234, "client"), "1,234 clients"}, {Count(4, "entry"), "4 entries"},
		{Count(2, "day"), "2 days"}, {Count(2, "search"), "2 searches"}, {Count(2, "box"), "2 boxes"},
		{Count(3, "span of a key", "spans of keys"), "3 spans of keys"},
		{Plural(2, "is", "are"), "are"}, {Plural(1, "is", "are"), "is"},
		{Thousands(999), "999"}, {Thousands(1_000_000), "1,000,000"}, {Thousands(-123456), "-123,456"},
		{List([]string(nil)), ""}, {List([]string{"a"}), "a"}, {List([]string{"a", "b"}), "a and b"},
		{List([]int{1, 2, 3}), "1, 2 and 3"},
		{Upper("étage"), "Étage"}, {Upper(""), ""}, {Upper("n0 was killed"), "n0 was killed"},
		{Sentence(" the lock is gone"), "The lock is gone."}, {Sentence("is it?"), "Is it?"},
		{Sentence(""), ""},
		{ShortOwners("0a1b2c3d-4e5f-6789-abcd-ef0123456789 of client 10 ms"),
			"0a1b2c…6789 of client 10 ms"},
		{ShortOwners("owner-1 has 123456789012"), "owner-1 has 123456789012"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestQuantile(t *testing.T) {
	values := []int{1, 2, 3, 4}
	for q, want := range map[float64]int{0: 1, 0.5: 2, 0.51: 3, 0.99: 4, 1: 4} {
		if got := Quantile(values, q); got != want {
			t.Errorf("the %v-quantile is %d, want %d", q, got, want)
		}
	}
	if got := Quantile([]float64(nil), 0.5); got != 0 {
		t.Errorf("the median of nothing is %v", got)
	}
}
