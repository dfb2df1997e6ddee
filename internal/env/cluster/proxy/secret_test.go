package proxy

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestOnlyTheRunReachesItsProxies asks the control API as another user of the machine would, and as
// a page in a browser.
func TestOnlyTheRunReachesItsProxies(t *testing.T) {
	p, err := Start("127.0.0.1", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for name, row := range map[string]struct {
		path, host string
		header     http.Header
		want       int
	}{
		"the run":          {path: p.secret, want: http.StatusOK},
		"no secret":        {want: http.StatusForbidden},
		"another secret":   {path: strings.Repeat("A", len(p.secret)), want: http.StatusForbidden},
		"part of it":       {path: p.secret[:len(p.secret)-1], want: http.StatusForbidden},
		"another host":     {path: p.secret, host: "evil.example:80", want: http.StatusForbidden},
		"a page":           {p.secret, "", http.Header{"Origin": {"http://x"}}, http.StatusForbidden},
		"a page, silently": {p.secret, "", http.Header{"Sec-Fetch-Site": {"none"}}, http.StatusForbidden},
	} {
		path := "/proxies"
		if row.path != "" {
			path = "/" + row.path + path
		}
		r, err := http.NewRequest("GET", "http://"+p.http.Addr+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host, r.Header = row.host, row.header
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != row.want {
			t.Errorf("%s: %s, and it must be %d", name, answer.Status, row.want)
		}
	}
}

// TestTunnelPassesOnARefusal: a client is told what the Redis behind a tunnel says instead of
// taking a connection.
func TestTunnelPassesOnARefusal(t *testing.T) {
	const words = "ERR max number of clients reached"
	tunnel, err := Listen("127.0.0.1:0", "", func(net.Addr) (net.Conn, error) {
		return nil, Said(words)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer tunnel.Close()
	c, err := net.Dial("tcp", tunnel.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got, err := io.ReadAll(c); string(got) != "-"+words+"\r\n" {
		t.Errorf("it is told %q, %v", got, err)
	}
}
