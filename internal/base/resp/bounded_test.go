package resp

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
)

// through reads what a stranger sends over a Bounded connection.
func through(sent io.Reader) ([]byte, error) {
	here, there := net.Pipe()
	go func() {
		_, _ = io.Copy(there, sent)
		there.Close()
	}()
	defer here.Close()
	return io.ReadAll(Bounded(here))
}

// TestBoundedPassesReplies wants everything that Redis says to come through, in whatever pieces.
func TestBoundedPassesReplies(t *testing.T) {
	var all strings.Builder
	for whole := range replies {
		all.WriteString(whole)
	}
	all.WriteString("$1048576\r\n" + strings.Repeat("x", 1<<20) + "\r\n")
	all.WriteString("%2\r\n+a\r\n:1\r\n+b\r\n~1\r\n_\r\n>2\r\n+x\r\n#t\r\n" + // RESP3
		"|1\r\n+k\r\n,1.5\r\n=5\r\ntxt:a\r\n(9\r\n")
	for range 20 { // the bounds are those of one reply
		all.WriteString("*100000\r\n" + strings.Repeat(":1\r\n", 100_000))
	}
	for name, r := range map[string]io.Reader{
		"at once":     strings.NewReader(all.String()),
		"by the half": iotest.HalfReader(strings.NewReader(all.String())),
	} {
		if got, err := through(r); err != nil || string(got) != all.String() {
			t.Errorf("%s: %d bytes of %d came, %v", name, len(got), all.Len(), err)
		}
	}
	bytewise := strings.NewReader("*2\r\n$3\r\nabc\r\n*1\r\n-ERR x\r\n+OK\r\n")
	if got, err := through(iotest.OneByteReader(bytewise)); err != nil || len(got) == 0 {
		t.Errorf("byte by byte: %q, %v", got, err)
	}
}

// endless repeats a text for ever.
type endless string

func (e endless) Read(p []byte) (int, error) {
	return copy(p, bytes.Repeat([]byte(e), 1+len(p)/len(e))), nil
}

// TestBoundedEndsAttacks wants each reply without bounds to end, with no more of it read than they
// allow.
func TestBoundedEndsAttacks(t *testing.T) {
	for name, sent := range map[string]io.Reader{
		"a long array":     strings.NewReader("*1000000000\r\n"),
		"a long string":    strings.NewReader("$536870912\r\n"),
		"an endless line":  endless("a"),
		"an endless text":  io.MultiReader(strings.NewReader("+"), endless("a")),
		"arrays in arrays": endless("*1\r\n"),
		"wide and deep":    endless("*1048576\r\n"),
		"strings":          io.MultiReader(strings.NewReader("*9\r\n$16000000\r\n"), endless("x")),
		"a long map":       strings.NewReader("%1000000\r\n"),
		"another protocol": strings.NewReader("HTTP/1.1 400 Bad Request\r\n"),
	} {
		got, err := through(io.LimitReader(sent, 4*MaxReply))
		if !errors.Is(err, ErrProtocol) || len(got) > MaxReply+1<<10 {
			t.Errorf("%s: %d bytes came, %v", name, len(got), err)
		}
	}
}
