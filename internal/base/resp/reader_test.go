package resp

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestReaderReadsReplies wants every reply as it came, in whatever pieces.
func TestReaderReadsReplies(t *testing.T) {
	var all string
	var want []string
	for whole := range replies {
		all += whole
		want = append(want, whole)
	}
	for name, from := range map[string]io.Reader{
		"at once":      strings.NewReader(all),
		"byte by byte": iotest.OneByteReader(strings.NewReader(all)),
	} {
		r := NewReader(from)
		for _, w := range want {
			if got, err := r.Reply(); string(got) != w || err != nil {
				t.Errorf("%s: %q, not %q: %v", name, got, w, err)
			}
		}
		if _, err := r.Reply(); err != io.EOF {
			t.Errorf("%s: after the last comes %v", name, err)
		}
	}
}

// TestReaderReadsCommands takes what a server takes, and skips what a server skips.
func TestReaderReadsCommands(t *testing.T) {
	const wire = "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n" + "\r\n" + "*0\r\n" + "*-1\r\n" +
		"PING\r\n" + "set  k v\n"
	r := NewReader(iotest.OneByteReader(strings.NewReader(wire)))
	for _, want := range []struct{ args, wire string }{
		{"GET k", "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"}, {"PING", "PING\r\n"}, {"set k v", "set  k v\n"},
	} {
		args, wire, err := r.Command()
		if strings.Join(args, " ") != want.args || string(wire) != want.wire || err != nil {
			t.Errorf("%q (%q), not %q: %v", args, wire, want, err)
		}
	}
	if _, _, err := r.Command(); err != io.EOF {
		t.Errorf("after the last comes %v", err)
	}
}

// TestReaderRefuses what no client of Redis sends, with no more read than the bounds allow.
func TestReaderRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		sent io.Reader
		want error
	}{
		"TLS":             {strings.NewReader("\x16\x03\x01"), ErrTLS},
		"another byte":    {strings.NewReader("\x00\x01"), ErrProtocol},
		"no strings":      {strings.NewReader("*1\r\n:1\r\n"), ErrProtocol},
		"many":            {strings.NewReader("*1048577\r\n"), ErrProtocol},
		"long":            {strings.NewReader("*1\r\n$536870912\r\n"), ErrProtocol},
		"quotes":          {strings.NewReader("SET k \"a b\"\r\n"), ErrProtocol},
		"an endless line": {endless("a"), ErrProtocol},
		"broken off":      {strings.NewReader("*1\r\n$3\r\nGE"), io.EOF},
	} {
		if args, _, err := NewReader(c.sent).Command(); args != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %q, %v", name, args, err)
		}
	}
}

// FuzzReader wants commands off a connection to be those that the server's parser finds in the same
// bytes, and no panic.
func FuzzReader(f *testing.F) {
	f.Add([]byte("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*1\r\n$4\r\nPING\r\n"))
	f.Add([]byte("PING\r\n*0\r\n\r\n*1\r\n$4\r\nPING\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewReader(iotest.HalfReader(bytes.NewReader(b)))
		for {
			args, wire, err := r.Command()
			if err != nil {
				return
			}
			if len(args) == 0 {
				t.Fatal("no command, and no error")
			}
			if wire[0] != '*' {
				continue
			}
			again, rest, err := Command(wire)
			if !slices.Equal(args, again) || len(rest) > 0 || err != nil {
				t.Errorf("%q is %q, and %q with %q left: %v", wire, args, again, rest, err)
			}
		}
	})
}
