package proxy

import (
	"time"

	"github.com/Shopify/toxiproxy/v2/toxics"
)

// Late is the kind of the toxic that delivers each message later. Its attribute is "latency", in
// milliseconds.
const Late = "late"

func init() { toxics.Register(Late, new(late)) }

// late is toxiproxy's latency with another end. Toxiproxy delivers what is still held when a toxic
// is removed, and tries for 5 s per message. Meanwhile it takes no connection. It does so in vain
// if the receiver is gone and two messages were written to it: the writer of the connection waits
// for the removal.
type late struct{ toxics.LatencyToxic }

// goneAfter is how long the writer of a connection may take for a message. A receiver that only
// sleeps has room for what a lock sends.
const goneAfter = 500 * time.Millisecond

// Cleanup delivers what is held, and closes the connection if no one takes it. Toxiproxy calls it
// when the toxic is removed, once for each connection, all at once.
func (*late) Cleanup(stub *toxics.ToxicStub) {
	for len(stub.Input) > 0 {
		c := <-stub.Input
		if c == nil || stub.WriteOutput(c, goneAfter) != nil {
			stub.Close()
			return
		}
	}
}
