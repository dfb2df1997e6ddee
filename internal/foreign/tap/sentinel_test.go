package tap

import (
	"net"
	"testing"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// TestSentinelsNameTheClientsOwnAddresses wants every way in which a sentinel names a server to be
// translated, and everything else to be left as it is.
func TestSentinelsNameTheClientsOwnAddresses(t *testing.T) {
	t.Parallel()
	array := func(words ...string) string {
		var w resp.Writer
		w.Command(words...)
		return string(w.B)
	}
	said := []struct{ sentinel, client string }{
		{array("10.0.0.1", "6379"), "[127.0.0.1 7001]"}, // get-master-addr-by-name
		{array("10.0.0.9", "6379"), "[10.0.0.9 6379]"},
		{"*1\r\n" + array("name", "10.0.0.2:6379", "ip", "10.0.0.2", "port", "6379", "flags", "slave",
			"master-host", "10.0.0.1", "master-port", "6379"),
			"[[name 127.0.0.1:7002 ip 127.0.0.1 port 7002 flags slave master-host 127.0.0.1 " +
				"master-port 7001]]"},
		{"%2\r\n$2\r\nip\r\n$8\r\n10.0.0.1\r\n$4\r\nport\r\n$4\r\n6379\r\n",
			"[ip 127.0.0.1 port 7001]"},
		{">3\r\n" + array("message", "+switch-master", "m 10.0.0.1 6379 10.0.0.2 6379")[4:],
			"[message +switch-master m 127.0.0.1 7001 127.0.0.1 7002]"},
		{">3\r\n" + array("message", "+slave", "slave 10.0.0.2:6379 10.0.0.2 6379 @ m 10.0.0.1 6379")[4:],
			"[message +slave slave 127.0.0.1:7002 127.0.0.1 7002 @ m 127.0.0.1 7001]"},
		{"*-1\r\n", "(nil)"}, {"-ERR 10.0.0.1 6379\r\n", "(error) ERR 10.0.0.1 6379"},
	}
	upstream := testenv.Listen(t, func(c net.Conn) {
		for r, i := resp.NewReader(c), 0; i < len(said); i++ {
			if _, _, err := r.Command(); err != nil {
				return
			}
			_, _ = c.Write([]byte(said[i].sentinel))
		}
	})
	o := observer()
	tap := New(o, Settings{Dial: direct})
	t.Cleanup(tap.Close)
	tap.Announce("10.0.0.1:6379", "127.0.0.1:7001")
	tap.Announce("10.0.0.2:6379", "127.0.0.1:7002")
	address, err := tap.Sentinel(upstream)
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, address)
	for _, s := range said {
		c.say("SENTINEL x")
		c.hears(s.client)
	}
	if err := tap.Redirect("n0"); err == nil {
		t.Error("a sentinel is a node to be directed to")
	}
	o.want(t)
}
