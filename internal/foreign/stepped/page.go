//go:build linux

package stepped

import (
	"bytes"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// page is the memory that a program shares with its stepper. Its layout is that of shim/step.c.
type page struct {
	*layout
	memory []byte
	file   *os.File
}

type layout struct {
	now     atomic.Int64 // monotonic clock
	wall    atomic.Int64 // what the wall clock is ahead of it
	boot    atomic.Int64 // the same of the clock that never stands
	seed    uint64
	used    atomic.Int32 // slots
	failed  atomic.Int32
	first   int32 // port
	servers int32
	owner   atomic.Int32
	run     atomic.Int32
	parent  atomic.Int32
	message [196]byte
	slots   [1024]slot
}

// slot is a thread's wait with a deadline.
type slot struct {
	kind, expired atomic.Int32
	deadline      atomic.Int64
	object, mutex uint64
	event, taken  int32
	awake         atomic.Int32 // 1: its clock goes on while the machine is suspended
}

// newPage returns a page whose clocks show nothing yet.
func newPage(seed uint64, servers int) (*page, error) {
	fd, err := unix.MemfdCreate("lockbench", 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "page")
	size := int(unsafe.Sizeof(layout{}))
	if err := f.Truncate(int64(size)); err != nil {
		f.Close()
		return nil, err
	}
	m, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		f.Close()
		return nil, err
	}
	p := &page{(*layout)(unsafe.Pointer(&m[0])), m, f}
	p.seed, p.first, p.servers = seed, firstPort, int32(servers)
	return p, nil
}

// slept brings the deadlines on clocks nearer that went on while the monotonic one stood for d.
func (p *page) slept(d int64) {
	for i := range p.used.Load() {
		if s := &p.slots[i]; s.awake.Load() != 0 {
			s.deadline.Add(-d)
		}
	}
}

// soonest returns the first deadline that a thread waits for, and false if none waits for one.
func (p *page) soonest() (at int64, any bool) {
	for i := range p.used.Load() {
		s := &p.slots[i]
		if s.kind.Load() == 0 || s.expired.Load() != 0 {
			continue
		}
		if d := s.deadline.Load(); !any || d < at {
			at, any = d, true
		}
	}
	return at, any
}

// complaint returns what the program did that cannot be stepped, or "".
func (p *page) complaint() string {
	if p.failed.Load() == 0 {
		return ""
	}
	text, _, _ := bytes.Cut(p.message[:], []byte{0})
	return string(text)
}

// close frees the page. The program must have ended.
func (p *page) close() {
	_ = unix.Munmap(p.memory)
	p.file.Close()
}
