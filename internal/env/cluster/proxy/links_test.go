package proxy

import (
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/nemesis"
)

// TestLinks does things to a link whose proxy is here, and to one whose proxy is elsewhere.
func TestLinks(t *testing.T) {
	remote, _ := newRemote(t)
	for name, r := range map[string]*Remote{"here": nil, "remote": remote} {
		t.Run(name, func(t *testing.T) {
			p, err := Start("127.0.0.1", r, false)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			addr, err := p.Link("c0>n0", echo(t))
			if err != nil {
				t.Fatal(err)
			}
			for fault, row := range map[string]struct {
				do, prove func(name string) error
				after     error
			}{
				"cut":    {toxic(p, "timeout", nemesis.Both), p.ProveToxic, os.ErrDeadlineExceeded},
				"silent": {toxic(p, "timeout", nemesis.Replies), p.ProveToxic, os.ErrDeadlineExceeded},
				"reset":  {toxic(p, "reset_peer", nemesis.Requests), p.ProveToxic, io.EOF},
				"refuse": {p.Refuse, p.ProveRefusal, io.EOF},
			} {
				if err := answers(dialed(t, addr)); err != nil {
					t.Errorf("before %s: %v", fault, err)
				}
				if err := row.prove("c0>n0"); err == nil {
					t.Errorf("%s is proved before it is done", fault)
				}
				if err := errors.Join(row.do("c0>n0"), row.prove("c0>n0")); err != nil {
					t.Fatalf("%s: %v", fault, err)
				}
				if err := reached(addr, row.after); !errors.Is(err, row.after) {
					t.Errorf("after %s: %v", fault, err)
				}
				if err := p.Heal("c0>n0"); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// toxic puts a toxic on a link, at once.
func toxic(p *Links, kind, mode string) func(string) error {
	return func(name string) error {
		return p.Toxic(name, kind, mode, Attributes{"timeout": 0})
	}
}

// reached is what comes of a new connection; io.EOF also stands for one that is refused. It waits
// only for a moment if a time-out is wanted.
func reached(addr string, want error) error {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return io.EOF
	}
	defer c.Close()
	if want == os.ErrDeadlineExceeded {
		return answersWithin(c, time.Second)
	}
	return answers(c)
}

// TestARelayStandsHere wants a client's link that leads to an address of this process to be here,
// and the servers' links to be where they are.
func TestARelayStandsHere(t *testing.T) {
	remote, _ := newRemote(t)
	p, err := Start("127.0.0.1", remote, true)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, here := p.LinkHere("c0>n0", echo(t))
	_, there := p.LinkServers("n0>n1", echo(t))
	if err := errors.Join(here, there); err != nil {
		t.Fatal(err)
	}
	if names := p.Names(); !slices.Equal(names, []string{"c0>n0", "n0>n1"}) || p.links["c0>n0"].far ||
		!p.links["n0>n1"].far {
		t.Errorf("the links are %v", names)
	}
}

func TestWhatIsNoLink(t *testing.T) {
	p, err := Start("127.0.0.1", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, first := p.Link("c0>n0", "127.0.0.1:1")
	mode := p.Toxic("c0>n0", Late, "sideways", nil)
	_, second := p.Link("c0>n0", "127.0.0.1:1")
	_, address := Start("no address", nil, false)
	if first != nil {
		t.Fatal(first)
	}
	for says, err := range map[string]error{`no link "c7>n0"`: p.Refuse("c7>n0"),
		`not "sideways"`: mode, "proxy c0>n0": second, "cannot listen on no address": address} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("it says %v, which must name %s", err, says)
		}
	}
}

// TestHealWhoseClientIsGone holds back replies to a client that closes its connection meanwhile.
// The link must be whole afterwards. With toxiproxy's own latency its removal hangs.
func TestHealWhoseClientIsGone(t *testing.T) {
	p, err := Start("127.0.0.1", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	addr, err := p.Link("c0>n0", echo(t))
	if err != nil {
		t.Fatal(err)
	}
	c := dialed(t, addr)
	hour := Attributes{"latency": time.Hour.Milliseconds()}
	err = errors.Join(answers(c), p.Toxic("c0>n0", Late, nemesis.Replies, hour))
	if err != nil {
		t.Fatal(err)
	}
	for range 8 { // each is a message of its own
		if _, err := c.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.Close()
	if err := errors.Join(p.Heal("c0>n0"), answers(dialed(t, addr))); err != nil {
		t.Error(err)
	}
}
