package cluster

import (
	"path"
	"strconv"
	"time"
)

// Door is the way to a server of a site, for this process and for the site's proxies. It is there
// before the server and stays when it is killed: a door behind which nobody is closes every
// connection at once, as a machine refuses one for which nobody listens, while the address of a
// container that is gone would let everybody wait. With it the site keeps what the server has on
// its disk, and the offset of its clock.
type Door struct {
	site   *Site
	server string
	inner  string // its address for the site's proxies
	outer  string // and for us
}

// What a door can be told.
const (
	doorMake  = "make"  // -; answers with its address
	doorOpen  = "open"  // host:port of the server
	doorShut  = "shut"  // -
	doorClear = "clear" // -
	doorClock = "clock" // ns
	doorWipe  = "wipe"  // -
)

// siteFolder is where a site keeps what it shares with its servers: memory that is shared by all
// that have one IPC namespace, so that it needs no folder of a machine that may not be ours, and
// ends with them.
const siteFolder = "/dev/shm/lockbench"

// Open lets everybody who comes to the server, which is at host:port in the site's network.
func (d *Door) Open(addr string) error { return d.do(doorOpen, addr) }

// Shut lets nobody in any more. Whoever is in stays.
func (d *Door) Shut() error { return d.do(doorShut, "") }

// Clear closes every connection that leads to the server.
func (d *Door) Clear() error { return d.do(doorClear, "") }

// Dir is the server's folder in its network, which outlives it.
func (d *Door) Dir() string { return path.Join(siteFolder, d.server) }

// clockFile is where the server's clock shim finds its offset.
func (d *Door) clockFile() string { return siteClock(siteFolder, d.server) }

func siteClock(folder, server string) string { return path.Join(folder, server+".clock") }

// setClock makes the server's clock wrong.
func (d *Door) setClock(offset time.Duration) error {
	return d.do(doorClock, strconv.FormatInt(int64(offset), 10))
}

// wipe empties the server's folder.
func (d *Door) wipe() error { return d.do(doorWipe, "") }

func (d *Door) do(what, body string) error {
	_, err := d.site.say("/doors/"+d.server+"/"+what, body)
	return err
}
