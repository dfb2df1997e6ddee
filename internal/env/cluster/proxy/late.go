package proxy

import (
	"time"

	"github.com/Shopify/toxiproxy/v2/toxics"
)

// Late is the kind of the toxic that delivers each message later. Its attribute is "latency", in
// milliseconds.
const Late = "late"

func init() { toxics.Register(Late, new(late)) }

// late is toxiproxy's latency, but its removal is quick. When a toxic is removed, toxiproxy
// delivers the messages that it still holds, waits up to 5 s for each, and accepts no connection
// meanwhile. If the receiver is gone, the second write to it fails, and the goroutine that wrote
// waits for the removal and never takes the third message.
type late struct{ toxics.LatencyToxic }

// goneAfter is how long to wait until one message is taken. Then the receiver counts as gone. One
// that is only paused does not: its socket has room for what a lock sends.
const goneAfter = 500 * time.Millisecond

// Cleanup delivers the held messages in order. It closes the connection at the end of the stream,
// or if a message is not taken within goneAfter. Toxiproxy calls it when the toxic is removed, for
// all connections concurrently.
func (*late) Cleanup(stub *toxics.ToxicStub) {
	for len(stub.Input) > 0 {
		c := <-stub.Input
		if c == nil || stub.WriteOutput(c, goneAfter) != nil {
			stub.Close()
			return
		}
	}
}
