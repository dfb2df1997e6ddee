package checker

import "testing"

// TestClientsThatAskNoServer: a lock that sends no command loses nothing by a fault of a server.
// Where the commands of a system are not traced, it may.
func TestClientsThatAskNoServer(t *testing.T) {
	const twice = "environment sim; names k; c0 acquire 1 5; fault restart n0 6 7; c1 acquire 2 10; " +
		"c0 release 20 21; c1 release 22 23"
	for system, want := range map[string]string{"": DoubleGrant, "etcd": LostByServer} {
		h := story(t, twice)
		h.Header.System = system
		if p := Check(h, nil, Options{Properties: []string{"S"}}).Properties[0]; p.Class != want {
			t.Errorf("%q: %s: %s", system, p.Class, p.Explanation)
		}
	}
}
