package system

import (
	"bytes"
	"encoding/binary"
	"net"
	"testing"

	"pgregory.net/rapid"
)

// recorded is a connection that keeps what is written to it.
type recorded struct {
	net.Conn
	all []byte
}

func (r *recorded) Write(p []byte) (int, error) {
	r.all = append(r.all, p...)
	return len(p), nil
}

// TestAnIntroductionHasNoAddress, in whatever pieces it comes, and what follows is as it was. Other
// connections are left alone.
func TestAnIntroductionHasNoAddress(t *testing.T) {
	number := binary.BigEndian.AppendUint64(nil, 3)
	version := int64(-65536)
	const address = "127.9.9.1:31001"
	with := binary.BigEndian.AppendUint64(nil, uint64(version))
	with = append(with, number...)
	with = binary.BigEndian.AppendUint32(with, uint32(len(address)))
	with = append(with, address...)
	rapid.Check(t, func(t *rapid.T) {
		sent := rapid.SampledFrom([][]byte{with, number}).Draw(t, "sent")
		said := rapid.SliceOf(rapid.Byte()).Draw(t, "said")
		all, got := append(bytes.Clone(sent), said...), &recorded{}
		way := ZooKeeper{}.WrapConn(1, got)
		for rest := all; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			if m, err := way.Write(rest[:n]); m != n || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[n:]
		}
		if want := append(bytes.Clone(number), said...); !bytes.Equal(got.all, want) {
			t.Errorf("%x became %x, not %x", all, got.all, want)
		}
	})
	there := &recorded{}
	if (ZooKeeper{}).WrapConn(0, there) != net.Conn(there) {
		t.Error("a follower's connection is changed")
	}
}
