//go:build linux

package stepped

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/lockbench/lockbench/internal/base/proc"
	"golang.org/x/sys/unix"
)

// program is an adapter's process in virtual time. It does nothing between two calls of settle. Its
// methods are for one goroutine at a time.
type program struct {
	cmd     *exec.Cmd
	mark    string
	page    *page
	threads *threads
	control int // socket to the shim
	stdin   *os.File
	stdout  int
	log     *os.File
	text    []byte      // of its output, the start of a line
	sockets []*socket   // open ones, the oldest first
	made    int         // connections
	past    int64       // virtual time of its runs before
	cut     atomic.Bool // it has lost a connection
	returns atomic.Bool // it connects again when it has lost a connection
	// acquisitions of its last client whose call has not ended, and that were not released
	begun, held []int
}

// socket is the stepper's end of a connection.
type socket struct {
	fd, number, server int
	session
}

// output is what a program did until it came to rest.
type output struct {
	lines  [][]byte
	opened []*socket
	sent   []sent
}

// sent is what a program sent over a connection. Without data, it has closed it.
type sent struct {
	*socket
	data []byte
}

// firstPort is the port of the first server for the program. No real server listens there, in case
// that the shim does not see a connection.
const firstPort = 1

func start(cmd *exec.Cmd, shim string, seed uint64, servers, processor int) (p *program,
	err error) {
	p = &program{cmd: cmd}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.page, err = newPage(seed, servers); err != nil {
		return p, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return p, err
	}
	p.control = pair[0]
	theirs := os.NewFile(uintptr(pair[1]), "control")
	defer theirs.Close()
	var out [2]int
	if err := unix.Pipe2(out[:], unix.O_CLOEXEC); err != nil {
		return p, err
	}
	p.stdout = out[0]
	stdout := os.NewFile(uintptr(out[1]), "stdout")
	defer stdout.Close()
	in, w, err := os.Pipe()
	if err != nil {
		return p, err
	}
	defer in.Close()
	p.stdin = w
	if p.log, err = os.CreateTemp("", "lockbench-step-"); err != nil {
		return p, err
	}
	_ = os.Remove(p.log.Name())
	for _, fd := range []int{p.control, p.stdout} {
		if err := unix.SetNonblock(fd, true); err != nil {
			return p, err
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, stdout, p.log
	cmd.ExtraFiles = []*os.File{p.page.file, theirs}
	cmd.Env = append(cmd.Env, "LD_PRELOAD="+shim, "LOCKBENCH_PAGE=3", "LOCKBENCH_CONTROL=4",
		"PYTHONHASHSEED=0", "UV_USE_IO_URING=0",
		"UV_THREADPOOL_SIZE=1",                // each thread has random numbers of its own
		"OPENSSL_ia32cap=~0x4000000000000010") // no RDRAND and no RDTSC
	p.mark = proc.Mark(cmd)
	// The shim ends the program when this process has ended: control is closed then.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := processors().on(processor, func() error { return startInPlace(cmd) }); err != nil {
		return p, err
	}
	p.threads, err = watchThreads(cmd.Process.Pid, processor, p.page)
	return p, err
}

// startInPlace starts a command with its memory at the same addresses each time.
func startInPlace(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const notRandom = 0x0040000 // ADDR_NO_RANDOMIZE
	if old, _, errno := unix.Syscall(unix.SYS_PERSONALITY, 0xffffffff, 0, 0); errno == 0 {
		_, _, _ = unix.Syscall(unix.SYS_PERSONALITY, old|notRandom, 0, 0)
		defer func() { _, _, _ = unix.Syscall(unix.SYS_PERSONALITY, old, 0, 0) }()
	}
	return cmd.Start()
}

// clocks is what a program's monotonic clock shows, and what two others are ahead of it: the wall
// clock, and the one that does not stand while the machine is suspended.
type clocks struct{ now, wall, boot int64 }

// set moves the clocks, and ends the waits that are due.
func (p *program) set(c clocks) error {
	p.page.slept(c.boot - p.page.boot.Swap(c.boot))
	p.page.now.Store(c.now)
	p.page.wall.Store(c.wall)
	if at, any := p.page.soonest(); !any || at > c.now {
		return nil
	}
	_, err := unix.Write(p.control, []byte{1})
	return err
}

// settle waits until the program is at rest, and returns what it did.
func (p *program) settle() (o output, err error) {
	if err := p.threads.settle(); err != nil {
		return o, p.ended(err)
	}
	if text := p.page.complaint(); text != "" {
		return o, errors.New(text)
	}
	if err := p.accept(&o); err != nil {
		return o, p.ended(err)
	}
	if err := p.listen(&o); err != nil {
		return o, p.ended(err)
	}
	p.receive(&o)
	return o, nil
}

// accept takes the connections that the program has made. Those of one moment are in the order of
// their servers: several threads may have made them, which run in any order.
func (p *program) accept(o *output) error {
	for {
		s, err := p.connection()
		if err != nil {
			return err
		}
		if s == nil {
			break
		}
		o.opened = append(o.opened, s)
	}
	slices.SortStableFunc(o.opened, func(a, b *socket) int { return cmp.Compare(a.server, b.server) })
	for _, s := range o.opened {
		s.number = p.made
		p.made++
		p.returns.Store(p.returns.Load() || p.cut.Load())
	}
	p.sockets = append(p.sockets, o.opened...)
	return nil
}

// connection returns the next connection that the program has made, or nil.
func (p *program) connection() (*socket, error) {
	port, room := make([]byte, 4), make([]byte, unix.CmsgSpace(4))
	n, k, _, _, err := unix.Recvmsg(p.control, port, room, unix.MSG_CMSG_CLOEXEC)
	if errors.Is(err, unix.EAGAIN) {
		return nil, nil
	}
	if err != nil || n != 4 {
		return nil, errors.Join(errEnded, err)
	}
	messages, err := unix.ParseSocketControlMessage(room[:k])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(errEnded, err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	return &socket{fd: fds[0], server: int(port[0]) + int(port[1])<<8 - firstPort},
		unix.SetNonblock(fds[0], true)
}

// errEnded reports that a program has ended.
var errEnded = errors.New("it ended")

// listen takes the lines that the program has written.
func (p *program) listen(o *output) error {
	for {
		var b [16 << 10]byte
		n, err := unix.Read(p.stdout, b[:])
		if errors.Is(err, unix.EAGAIN) {
			break
		}
		if err != nil || n == 0 {
			return errors.Join(errEnded, err)
		}
		p.text = append(p.text, b[:n]...)
	}
	for {
		line, rest, whole := bytes.Cut(p.text, []byte("\n"))
		if !whole {
			return nil
		}
		o.lines = append(o.lines, bytes.Clone(line))
		p.text = rest
	}
}

// receive takes the bytes that the program has sent to its servers.
func (p *program) receive(o *output) {
	var open []*socket
	for _, s := range p.sockets {
		var data []byte
		closed := false
		for {
			var b [16 << 10]byte
			n, err := unix.Read(s.fd, b[:])
			if n <= 0 {
				closed = !errors.Is(err, unix.EAGAIN)
				break
			}
			data = append(data, b[:n]...)
		}
		if len(data) > 0 {
			s.sends(data)
			o.sent = append(o.sent, sent{s, data})
		}
		if closed {
			o.sent = append(o.sent, sent{s, nil})
			unix.Close(s.fd)
			continue
		}
		open = append(open, s)
	}
	p.sockets = open
}

// deliver gives the program bytes from a server or, without data, the end of the connection. It
// ignores a connection that the program has closed.
func (p *program) deliver(to *socket, data []byte) error {
	for i, s := range p.sockets {
		if s != to {
			continue
		}
		if len(data) == 0 {
			p.cut.Store(true)
			p.sockets = append(p.sockets[:i:i], p.sockets[i+1:]...)
			return unix.Close(s.fd)
		}
		s.hears(data)
		_, err := unix.Write(s.fd, data)
		if errors.Is(err, unix.EPIPE) {
			return nil
		}
		return err
	}
	return nil
}

func (p *program) order(line []byte) error {
	_, err := p.stdin.Write(append(line, '\n'))
	return err
}

// hangUp ends the connections with a command under way.
func (p *program) hangUp() {
	var open []*socket
	for _, s := range p.sockets {
		if s.rests() {
			open = append(open, s)
			continue
		}
		p.cut.Store(true)
		unix.Close(s.fd)
	}
	p.sockets = open
}

// isWhole reports whether the program can serve another run: it has lost no connection, or it was
// seen to connect again.
func (p *program) isWhole() bool { return !p.cut.Load() || p.returns.Load() }

// restart prepares a program for another run, on a processor.
func (p *program) restart(seed uint64, processor int) {
	p.page.seed = seed
	p.page.run.Add(1)
	p.threads.move(processor)
}

// ended returns err with what the program wrote to its standard error last.
func (p *program) ended(err error) error {
	var b [4 << 10]byte
	end, _ := p.log.Seek(0, 2)
	n, _ := p.log.ReadAt(b[:], max(0, end-int64(len(b))))
	said := strings.TrimSpace(string(b[:n]))
	if i := strings.LastIndexByte(said, '\n'); i >= 0 {
		said = said[i+1:]
	}
	if said == "" {
		return err
	}
	return fmt.Errorf("%w; its last words: %.300s", err, said)
}

// close ends the program, and what it has started.
func (p *program) close() {
	if p.cmd.Process != nil {
		_ = proc.KillGroup(p.cmd.Process.Pid)
		_ = p.cmd.Wait()
		proc.EndMarked(p.mark)
	}
	if p.threads != nil {
		p.threads.close()
	}
	for _, s := range p.sockets {
		unix.Close(s.fd)
	}
	for _, fd := range []int{p.control, p.stdout} {
		if fd > 0 {
			unix.Close(fd)
		}
	}
	if p.stdin != nil {
		p.stdin.Close()
	}
	if p.log != nil {
		p.log.Close()
	}
	if p.page != nil {
		p.page.close()
	}
}
