package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
)

func TestTunnelSpeaksTLS(t *testing.T) {
	testenv.Part(t, "redis")
	dir := t.TempDir()
	host, port := testenv.Address()
	n, err := StartNode(NodeConfig{Name: "theirs", Host: host, Port: port, Dir: dir,
		Log: filepath.Join(dir, "log")})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Kill()
	if err := n.Ready(); err != nil {
		t.Fatal(err)
	}
	plain := n.Addr()
	certified := httptest.NewTLSServer(nil) // for its certificate
	defer certified.Close()
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Forward(ln, "", login{to: plain}.dial).Close() // Redis behind TLS
	trusting := &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "example.com"}
	trusting.RootCAs.AddCert(certified.Certificate())
	tun, err := proxy.Listen("127.0.0.1:0", "", login{ln.Addr().String(), ExternalConfig{TLS: true},
		trusting}.dial)
	if err != nil {
		t.Fatal(err)
	}
	defer tun.Close()
	c := Dial(tun.Addr())
	defer c.Close()
	if got, err := c.Ping(context.Background()).Result(); got != "PONG" {
		t.Errorf("PING through TLS: %q, %v", got, err)
	}
}

// TestAServerThatWantsACertificate is refused in words, whichever way the server ends the
// connection.
func TestAServerThatWantsACertificate(t *testing.T) {
	certified := httptest.NewTLSServer(nil) // for its certificate
	defer certified.Close()
	trusting := &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "example.com"}
	trusting.RootCAs.AddCert(certified.Certificate())
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		addr := testenv.Listen(t, func(c net.Conn) {
			theirs := tls.Server(c, &tls.Config{Certificates: certified.TLS.Certificates,
				ClientAuth: tls.RequireAnyClientCert, MaxVersion: version})
			_ = theirs.Handshake()
		})
		for _, password := range []string{"", "x"} {
			_, err := connect(ExternalConfig{Addrs: []string{addr}, TLS: true, Password: password}, trusting)
			if err == nil || !strings.Contains(err.Error(), "asks for a certificate of the client") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("TLS %x, password %q: %v", version, password, err)
			}
		}
	}
}
