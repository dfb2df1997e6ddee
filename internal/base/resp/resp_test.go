package resp

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// replies are whole replies and how they read.
var replies = map[string]string{
	"+OK\r\n":                              "OK",
	":1\r\n":                               "1",
	"-ERR x y\r\n":                         "(error) ERR x y",
	"$-1\r\n":                              "(nil)",
	"$0\r\n\r\n":                           "",
	"$4\r\na\r\nb\r\n":                     "a\r\nb",
	"*-1\r\n":                              "(nil)",
	"*0\r\n":                               "[]",
	"*2\r\n:1\r\n*2\r\n$1\r\na\r\n$-1\r\n": "[1 [a (nil)]]",

	// of RESP3
	"_\r\n":                                 "(nil)",
	"#t\r\n":                                "1",
	"#f\r\n":                                "0",
	",1.5\r\n":                              "1.5",
	"(123456789012345678901\r\n":            "123456789012345678901",
	"=7\r\ntxt:abc\r\n":                     "abc",
	"!5\r\nERR x\r\n":                       "(error) ERR x",
	"~2\r\n:1\r\n+a\r\n":                    "[1 a]",
	"%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n:2\r\n":  "[a 1 b [2]]",
	">2\r\n+message\r\n+x\r\n":              "[message x]",
	"|1\r\n+ttl\r\n:3\r\n:7\r\n":            "7",
	"*1\r\n|1\r\n+ttl\r\n:3\r\n$1\r\na\r\n": "[a]",
}

// TestSize wants whole replies, and nothing else, to be told from those under way.
func TestSize(t *testing.T) {
	for whole, text := range replies {
		for n := range len(whole) {
			if got, err := Size([]byte(whole[:n])); got != 0 || err != nil {
				t.Errorf("%q is whole: %d, %v", whole[:n], got, err)
			}
		}
		if got, err := Size([]byte(whole + "+more")); got != len(whole) || err != nil {
			t.Errorf("%q: %d, %v", whole, got, err)
		}
		if got := Text([]byte(whole)); got != text {
			t.Errorf("%q reads %q, want %q", whole, got, text)
		}
	}
}

// TestBounds refuses lengths that nothing real has, before memory of that size is taken.
func TestBounds(t *testing.T) {
	for _, b := range []string{
		"$536870913\r\n", "*1048577\r\n", "$-2\r\n", "$x\r\n", "?1\r\n", "%1000000\r\n",
		strings.Repeat("*1\r\n", maxDepth+1), "+" + strings.Repeat("a", maxLine),
	} {
		if n, err := Size([]byte(b)); n != 0 || !errors.Is(err, ErrProtocol) {
			t.Errorf("%.20q: %d, %v", b, n, err)
		}
	}
	for _, b := range []string{
		"*0\r\n", "*-1\r\n", "*1048577\r\n", "*1\r\n$536870913\r\n", "*1\r\n:1\r\n", "GET k\r\n",
		"*" + strings.Repeat("1", maxLine),
	} {
		if args, _, err := Command([]byte(b)); args != nil || !errors.Is(err, ErrProtocol) {
			t.Errorf("%.20q: %v, %v", b, args, err)
		}
	}
}

// TestItems takes arrays apart, and nothing else.
func TestItems(t *testing.T) {
	for whole, want := range map[string][]string{
		"*2\r\n:1\r\n*1\r\n$1\r\na\r\n": {":1\r\n", "*1\r\n$1\r\na\r\n"},
		"%1\r\n+a\r\n:1\r\n":            {"+a\r\n", ":1\r\n"},
		"*-1\r\n":                       nil, "*0\r\n": nil, "+OK\r\n": nil, "*2\r\n:1\r\n": nil, "": nil,
	} {
		var got []string
		for _, b := range Items([]byte(whole)) {
			got = append(got, string(b))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q", whole, got)
		}
	}
}

// TestWriter writes what the reader reads.
func TestWriter(t *testing.T) {
	var w Writer
	w.Array(7)
	w.Status("O\nK")
	w.Error("ERR a\r\nb")
	w.Integer(-7)
	w.Null()
	w.Bulk("a\r\nb")
	w.Boolean(true)
	w.Boolean(false)
	if n, err := Size(w.B); n != len(w.B) || err != nil {
		t.Errorf("%q: %d of %d bytes, %v", w.B, n, len(w.B), err)
	}
	const want = "[O K (error) ERR a  b -7 (nil) a\r\nb 1 0]"
	if got := Text(w.B); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzCommand wants every command back as it was written, and no panic.
func FuzzCommand(f *testing.F) {
	f.Add([]byte("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*1\r\n$4\r\nPING\r\n"))
	f.Add([]byte("*3\r\n$3\r\nSET"))
	f.Add([]byte("*1\n$4\nPING\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		args, rest, err := Command(b)
		if args == nil {
			if len(rest) != len(b) {
				t.Errorf("%d of %d bytes are left of no command", len(rest), len(b))
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var w Writer
		w.Command(args...)
		again, rest, err := Command(append(w.B, "more"...))
		if !slices.Equal(args, again) || string(rest) != "more" || err != nil {
			t.Errorf("%q became %q and %q, %v", args, again, rest, err)
		}
	})
}

// FuzzReply wants no panic, and sizes within the bytes that are there.
func FuzzReply(f *testing.F) {
	for whole := range replies {
		f.Add([]byte(whole))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := Size(b)
		if n < 0 || n > len(b) || n > 0 && err != nil {
			t.Fatalf("%d of %d bytes, %v", n, len(b), err)
		}
		_ = Text(b)
		if same := Rewrite(b[:n], func([]string) {}); Text(same) != Text(b[:n]) {
			t.Errorf("%q is rewritten as %q", b[:n], same)
		}
		for _, item := range Items(b) {
			if m, err := Size(item); m != len(item) || err != nil {
				t.Errorf("%q has an item of %q", b, item)
			}
		}
		if m, err := Size(b[:n]); n > 0 && (m != n || err != nil) {
			t.Errorf("%q alone has %d bytes, not %d: %v", b[:n], m, n, err)
		}
	})
}
