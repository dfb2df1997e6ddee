package cluster

// Relay stands behind the proxies of the links between clients and nodes, and decides when what
// they carry goes on. What is done to a link is done by its proxy: a relay sees only what comes
// through.
type Relay interface {
	// Relay listens for a link ("c2>n0", "c2+>n0" its second way), whose other end is upstream, and
	// returns the address.
	Relay(link, upstream string) (addr string, err error)
}
