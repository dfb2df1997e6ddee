package workloads

import (
	"context"
	"errors"
	"net"
	"testing"
)

// TestAClientKeepsToItsLinks wants a client with sentinels to connect only by ways of its own:
// go-redis learns further addresses from the sentinels, which lead around the links.
func TestAClientKeepsToItsLinks(t *testing.T) {
	var dialed []string
	errDialed := errors.New("dialed")
	r := newRoute(func(_ context.Context, address string) (net.Conn, error) {
		dialed = append(dialed, address)
		return nil, errDialed
	}, map[string]string{"n0": "link-to-n0"}, nil, "n0")
	r.begin = func() {}
	r.sentinels, r.announced = []string{"link-to-s0"}, map[string]string{"172.20.0.2:1": "n0"}
	for address, want := range map[string]string{"link-to-s0": "link-to-s0",
		"172.20.0.2:1": "link-to-n0", "172.20.0.2:26379": ""} {
		dialed = nil
		_, err := r.connectTo(t.Context(), "tcp", address)
		if got := append(dialed, "")[0]; got != want || errors.Is(err, errDialed) != (want != "") {
			t.Errorf("%s: it connects to %q, not %q: %v", address, got, want, err)
		}
	}
}
