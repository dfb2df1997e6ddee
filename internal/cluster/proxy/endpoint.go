package proxy

import (
	"path"
	"strconv"
	"time"
)

// Endpoint is the way to a server beside remote proxies, for this process and for those proxies. It
// is there before the server and stays when the server is killed: without a server it closes every
// connection at once, as a machine refuses one for a port without a listener, while the address of
// a container that is gone would let clients wait. With it the remote side keeps what the server
// has on its disk, and the offset of its clock.
type Endpoint struct {
	remote *Remote
	server string
	Inner  string // its address for the remote proxies
	Outer  string // and for us
}

// What an endpoint can be told.
const (
	endpointMake  = "make"  // -; answers with its address
	endpointOpen  = "open"  // host:port of the server
	endpointShut  = "shut"  // -
	endpointClear = "clear" // -
	endpointClock = "clock" // ns
	endpointWipe  = "wipe"  // -
)

// remoteFolder is where remote proxies share files with their servers: memory that is shared by all
// that have one IPC namespace, so that it needs no folder of a machine that may not be ours, and
// ends with them.
const remoteFolder = "/dev/shm/lockbench"

// Open passes new connections on to the server, which is at host:port in the remote network.
func (d *Endpoint) Open(addr string) error { return d.do(endpointOpen, addr) }

// Shut refuses new connections. Those that there are stay.
func (d *Endpoint) Shut() error { return d.do(endpointShut, "") }

// Clear closes every connection that leads to the server.
func (d *Endpoint) Clear() error { return d.do(endpointClear, "") }

// Dir is the server's folder in its network, which outlives it.
func (d *Endpoint) Dir() string { return path.Join(remoteFolder, d.server) }

// ClockFile is where the server's clock shim finds its offset.
func (d *Endpoint) ClockFile() string { return remoteClock(remoteFolder, d.server) }

func remoteClock(folder, server string) string { return path.Join(folder, server+".clock") }

// SetClock makes the server's clock wrong.
func (d *Endpoint) SetClock(offset time.Duration) error {
	return d.do(endpointClock, strconv.FormatInt(int64(offset), 10))
}

// Wipe empties the server's folder.
func (d *Endpoint) Wipe() error { return d.do(endpointWipe, "") }

func (d *Endpoint) do(what, body string) error {
	_, err := d.remote.ask("/endpoints/"+d.server+"/"+what, body)
	return err
}
