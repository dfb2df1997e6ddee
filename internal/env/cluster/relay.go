package cluster

// Relay receives the traffic of the links between clients and nodes behind their proxies, and
// decides when each message goes on. It sees only messages that the faults on a link let through.
type Relay interface {
	// Relay listens for a link and returns its address: "c2>n0", or "c2+>n0" for the second link of
	// the same client. It connects to upstream.
	Relay(link, upstream string) (addr string, err error)
}
