package adapter

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/workloads"
)

// child is the adapter's process. Any goroutine may call its methods.
type child struct {
	name    string // of the adapter
	log     string // the file of its standard error
	mark    string // of all its descendants
	cmd     *exec.Cmd
	limits  limits
	started int64 // before any of its stamps
	stdin   io.WriteCloser
	orders  chan []byte
	ready   chan Answer   // the answer to the config
	gone    chan struct{} // closed when all output was read
	exit    error         // exit error of the process, valid after gone
	broken  error         // first fault of the process, valid after gone
	unasked func(Answer)  // called for lost and gap

	mu      sync.Mutex
	calls   map[int]*call // by n; one at a time for each acquisition
	fault   error         // its first fault
	closed  bool          // its input is closed
	alone   bool          // its input was open when it ended
	isReady bool
	notices notices
	running int64 // start of the time without a pause, or 0 while it is paused
}

// call is an operation under way.
type call struct {
	op    string
	n     int
	sent  int64      // when the order left
	begun chan int64 // receives the stamp of the process' start on it
	done  chan Answer
	acted bool
	at    int64 // stamp of the start
}

// The limits of a process' output.
const (
	maxLine   = 64 << 10
	maxLog    = 8 << 20
	maxOrders = 1 << 10
)

// start starts the process. Its standard error goes to log, up to a limit.
func start(name string, cmd *exec.Cmd, log *os.File, l limits, unasked func(Answer)) (*child,
	error) {
	c := &child{name: name, log: log.Name(), cmd: cmd, limits: l, started: proc.Monotonic(),
		unasked: unasked,
		orders:  make(chan []byte, maxOrders), ready: make(chan Answer, 1), gone: make(chan struct{}),
		calls: map[int]*call{}, running: proc.Monotonic()}
	var err error
	if c.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	errRead, errWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, outRead.Close(), outWrite.Close())
	}
	cmd.Stdout, cmd.Stderr = outWrite, errWrite
	c.mark = proc.Mark(cmd)
	err = proc.Start(cmd)
	outWrite.Close()
	errWrite.Close()
	if err != nil {
		return nil, errors.Join(err, outRead.Close(), errRead.Close())
	}
	go c.follow(outRead, errRead, log)
	go c.send()
	return c, nil
}

// leftoverWait bounds the reading of a dead process' output. Another process that it has started
// may keep its output open.
const leftoverWait = time.Second

// follow reads the output of the process until it has ended.
func (c *child) follow(out, errs *os.File, log *os.File) {
	var readers sync.WaitGroup
	ended := make(chan struct{})
	readers.Go(func() {
		if err := c.read(out); err != nil {
			c.blame(err)
			return
		}
		c.silent(ended)
	})
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		copyUpTo(log, errs, maxLog)
	}()
	exit := c.cmd.Wait()
	close(ended)
	c.mu.Lock()
	c.alone = !c.closed
	c.mu.Unlock()
	_ = proc.KillGroup(c.cmd.Process.Pid) // its children
	proc.EndMarked(c.mark)                // and their sessions
	late := time.AfterFunc(leftoverWait, func() { out.Close(); errs.Close() })
	readers.Wait()
	<-logged
	c.blameEarlyExit(exit) // answers that arrived before the exit come first
	late.Stop()
	out.Close()
	errs.Close()
	log.Close()
	c.mu.Lock()
	c.exit, c.broken = exit, c.fault
	c.mu.Unlock()
	close(c.gone)
}

// silent blames a process that has closed its output, unless the process ends soon.
func (c *child) silent(ended <-chan struct{}) {
	select {
	case <-ended:
	case <-time.After(leftoverWait):
		c.blame(errors.New("it closed its standard output and goes on, so that it cannot answer"))
	}
}

// blameEarlyExit blames a process that ended before it was ready.
func (c *child) blameEarlyExit(exit error) {
	how := "exit status 0"
	if exit != nil {
		how = exit.Error()
	}
	c.mu.Lock()
	ready := c.isReady
	c.mu.Unlock()
	if !ready {
		said, _ := os.ReadFile(c.log) // an unreadable log only costs the hint
		c.blame(fmt.Errorf("it ended before it was ready (%s)%s", how, notCopied(string(said))))
	}
}

// notCopied returns a hint for an adapter in Python that could not import a module. Its folder is
// copied before it runs, and files outside the folder are not part of the copy.
func notCopied(said string) string {
	if !strings.Contains(said, "ModuleNotFoundError") {
		return ""
	}
	return "; a module that it imports was not found: if it lies outside of the adapter's folder, " +
		"put " + adapters.ManifestName + " above it and name it under sources (docs/adding-an-adapter.md)"
}

// ended returns an error that describes the end of the process. If the process ended by itself, the
// error names the adapter and the log.
func (c *child) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var exit *exec.ExitError
	switch {
	case !c.alone || !errors.As(c.exit, &exit):
		return c.exit
	case exit.Exited():
		return c.error(c.exit)
	}
	// the kernel sends SIGKILL when memory is short
	if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() && s.Signal() != syscall.SIGKILL {
		return workloads.SignaledError{Signal: s.Signal().String()}
	}
	return c.exit
}

// copyUpTo copies a stream up to a bound, and drops the rest.
func copyUpTo(to io.Writer, from io.Reader, most int64) {
	if n, _ := io.CopyN(to, from, most); n == most {
		fmt.Fprintf(to, "\n... lockbench keeps no more than %d MB\n", most>>20)
		_, _ = io.Copy(io.Discard, from)
	}
}

// send writes the orders. It has a goroutine of its own, because a process that does not read must
// not stop the harness.
func (c *child) send() {
	for line := range c.orders {
		if _, err := c.stdin.Write(line); err != nil {
			for range c.orders { // the process is gone, or about to be
			}
		}
	}
	c.stdin.Close()
}

func (c *child) order(o any) error {
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return workloads.ErrGone
	}
	select {
	case c.orders <- append(line, '\n'):
		return nil
	default:
		return c.error(fmt.Errorf("it does not read its standard input"))
	}
}

// close ends the process' input.
func (c *child) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		close(c.orders)
		c.unreturned()
	}
}

// unreturned lists in the log the calls that have not returned at the end of the run. The caller
// holds the mutex.
func (c *child) unreturned() {
	log, err := os.OpenFile(c.log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer log.Close()
	for _, k := range c.calls {
		fmt.Fprintf(log, "lockbench: %v\n", c.error(fmt.Errorf("it has not returned from %s n=%d, which "+
			"was ordered %v before the end", k.op, k.n,
			time.Duration(proc.Monotonic()-k.sent).Round(time.Millisecond))))
	}
}

// blame records a fault of the process, and ends it.
func (c *child) blame(err error) {
	c.mu.Lock()
	first := c.fault == nil && !c.closed
	if first {
		c.fault = c.error(err)
	}
	c.mu.Unlock()
	if first {
		_ = proc.KillGroup(c.cmd.Process.Pid)
	}
}

// error returns err in one line that names the adapter and its log.
func (c *child) error(err error) error { return brokenError{c.name, err, c.log} }

// brokenError is a fault of an adapter.
type brokenError struct {
	adapter string
	cause   error
	log     string // a file
}

// Error returns one line.
func (e brokenError) Error() string {
	return fmt.Sprintf("the adapter %s: %v; its log is %s", e.adapter, e.cause, e.log)
}

// Unwrap returns the cause.
func (e brokenError) Unwrap() error { return e.cause }

// read handles the lines of the process until they end or one is wrong.
func (c *child) read(out io.Reader) error {
	lines := bufio.NewScanner(out)
	lines.Buffer(make([]byte, 4<<10), maxLine)
	for lines.Scan() {
		a, err := ParseAnswer(lines.Bytes())
		if err == nil {
			err = c.take(a)
		}
		if err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return errTooLong
	}
	return nil
}

func (c *child) take(a Answer) error {
	now := proc.Monotonic()
	switch a.Is {
	case isReady:
		return c.takeReady(a)
	case isBroken:
		return fmt.Errorf("it says: %.300s%s", a.Err, notCopied(a.Err))
	case isUnsupported:
		return a.Unsupported()
	case isLost, isGap:
		return c.takeNotice(a, now)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.calls[a.N]
	switch {
	case k == nil && a.Is == isBegun:
		return fmt.Errorf("it says that it has begun to %s n=%d, but no one asked it to", a.Op, a.N)
	case k == nil:
		return fmt.Errorf("it answered %q for n=%d, without being asked, or for the second time",
			a.Is, a.N)
	}
	if err := stamped(a, k.sent, now); err != nil {
		return err
	}
	return c.answer(k, a)
}

// answer handles an answer to an operation under way.
func (c *child) answer(k *call, a Answer) error {
	switch {
	case a.Is == isBegun && a.Op != k.op:
		return fmt.Errorf("it says that it has begun to %q n=%d, but it was asked to %s", a.Op, a.N, k.op)
	case a.Is == isBegun && k.acted:
		return fmt.Errorf("it says twice that it has begun to %s n=%d", k.op, a.N)
	case a.Is == isBegun:
		k.acted, k.at = true, a.T
		k.begun <- a.T
		return nil
	case a.T < k.at:
		return fmt.Errorf("its answer %q for n=%d has t=%d, before its own \"begun\" at t=%d", a.Is, a.N,
			a.T, k.at)
	case !slices.Contains(ends[k.op], a.Is):
		return fmt.Errorf("it answered %q for n=%d, but it was asked to %s", a.Is, a.N, k.op)
	case !k.acted && k.op != doTouch:
		return fmt.Errorf(`it answered %q for n=%d without "begun" before`, a.Is, a.N)
	}
	delete(c.calls, a.N)
	k.done <- a
	return nil
}

func (c *child) takeReady(a Answer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isReady {
		return errors.New("it says twice that it is ready")
	}
	c.isReady = true
	c.ready <- a
	return nil
}

// stampSlack bounds the error of a stamp. A language may keep nanoseconds in a float.
const stampSlack = int64(time.Microsecond)

// stamped returns an error if a stamp comes from another clock than the harness' stamps.
func stamped(a Answer, from, to int64) error {
	if a.T < from-stampSlack || a.T > to+stampSlack {
		return fmt.Errorf("its answer %q has t=%d, but CLOCK_MONOTONIC showed %d to %d ns meanwhile",
			a.Is, a.T, from, to)
	}
	return nil
}

func (c *child) begin(o Order) (*call, error) {
	k := &call{op: o.Do, n: o.N, sent: proc.Monotonic(), begun: make(chan int64, 1),
		done: make(chan Answer, 1)}
	c.mu.Lock()
	c.calls[o.N] = k
	c.notices.newest = max(c.notices.newest, o.N)
	c.mu.Unlock()
	return k, c.order(o)
}

// limits bound the time that a process may take.
type limits struct {
	ready time.Duration // from its start until it is ready: a virtual machine on a busy machine
	act   time.Duration // from an order until the process acts on it
}

var usual = limits{ready: time.Minute, act: 5 * time.Second}

// acts waits until the process acts on a call, and returns the stamp. A running process that does
// not start the call is faulty. The send time then counts as its start, so that no hold appears
// longer than it was.
func (c *child) acts(k *call) (at int64, err error) {
	for {
		select {
		case at := <-k.begun:
			return at, nil
		case <-c.gone:
			select {
			case at := <-k.begun:
				return at, nil
			default:
				if c.broken != nil {
					return k.sent, nil
				}
				return 0, workloads.ErrGone
			}
		case <-time.After(c.limits.act / 10):
			if c.idleSince(k.sent) {
				c.blame(fmt.Errorf("it did not begin to %s n=%d within %v", k.op, k.n, c.limits.act))
			}
		}
	}
}

// idleSince reports whether the process had enough time to act on an order.
func (c *child) idleSince(sent int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running > 0 && proc.Monotonic()-max(sent, c.running) > int64(c.limits.act)
}

func (c *child) answered(k *call) (Answer, error) {
	select {
	case a := <-k.done:
		return a, nil
	case <-c.gone:
	}
	select {
	case a := <-k.done:
		return a, nil
	default:
		return Answer{}, workloads.ErrGone
	}
}

// pause stops the process and its children.
func (c *child) pause() error {
	c.mu.Lock()
	c.running = 0
	c.mu.Unlock()
	return proc.StopGroup(c.cmd.Process.Pid)
}

func (c *child) resume() error {
	c.mu.Lock()
	c.running = proc.Monotonic()
	c.mu.Unlock()
	return proc.ResumeGroup(c.cmd.Process.Pid)
}
