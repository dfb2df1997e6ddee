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

// TestASessionThatIsAConnection: a database frees the locks of a connection that was closed, or
// whose server ended. A fault that closed another client's, or closed it too late, explains
// nothing. Nor does it where sessions outlive connections.
func TestASessionThatIsAConnection(t *testing.T) {
	const begin, end = "environment process; lease; c0 acquire 1 5; ",
		"; c1 acquire 2 10; c0 release 20 21; c1 release 22 23"
	for _, c := range []struct{ system, fault, want string }{
		{"postgres", "fault refuse c0>* 6 7", SessionLost},
		{"mariadb", "fault reset c0>n0 6 7", SessionLost},
		{"pgbouncer", "fault reset *>n0 6 7", SessionLost},
		{"postgres", "fault kill n0 6 7", SessionLost},
		{"etcd", "fault kill n0 6 7", LostByServer},
		{"postgres", "fault refuse c1>* 6 7", DoubleGrant},
		{"postgres", "fault refuse c0>* 11 12", DoubleGrant},
		{"postgres", "fault refuse c0>* 0 0", DoubleGrant},
		{"postgres", "fault cut c0>* 6 7", DoubleGrant},
		{"etcd", "fault refuse c0>* 6 7", DoubleGrant},
	} {
		h := story(t, begin+c.fault+end)
		h.Header.System = c.system
		if p := Check(h, nil, Options{Properties: []string{"S"}}).Properties[0]; p.Class != c.want {
			t.Errorf("%s, %s: %q, not %q: %s", c.system, c.fault, p.Class, c.want, p.Explanation)
		}
	}
}
