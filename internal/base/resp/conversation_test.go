package resp

import (
	"strings"
	"testing"
)

// said writes what a server says: words are an array of strings, ">" before them a push.
func said(line string) []byte {
	words := strings.Fields(line)
	var w Writer
	switch {
	case strings.HasPrefix(line, "+"):
		w.Status(line[1:])
		return w.B
	case strings.HasPrefix(line, "-"):
		w.Error(line[1:])
		return w.B
	case words[0] == ">":
		words = words[1:]
		w.Command(words...)
		w.B[0] = '>'
		return w.B
	}
	w.Command(words...)
	return w.B
}

// TestConversation plays conversations: "C" lines are the client's, all others the server's with
// what they are.
func TestConversation(t *testing.T) {
	for name, script := range map[string]string{
		"a reply for each": `
			C GET a
			C GET b
			Whole +x
			Whole -ERR
			Push +x`,
		"a confirmation for each channel": `
			C SUBSCRIBE a b
			C PING
			Part subscribe a 1
			Push message a x
			Whole subscribe b 2
			Push message b x
			Whole pong x
			C UNSUBSCRIBE
			Part unsubscribe a 1
			Push message b y
			Whole unsubscribe b 0
			C LRANGE l 0 -1
			Whole message is data`,
		"nothing to unsubscribe from": `
			C PUNSUBSCRIBE
			Whole punsubscribe nil 0`,
		"patterns and channels are counted apart": `
			C SUBSCRIBE a
			C PSUBSCRIBE p
			Whole subscribe a 1
			Whole psubscribe p 2
			Push pmessage p a x
			C UNSUBSCRIBE
			Whole unsubscribe a 1`,
		"a refusal is one for all": `
			C SUBSCRIBE a b
			C GET a
			Whole -NOPERM
			Whole +x`,
		"in RESP3 all of it is pushed": `
			C SUBSCRIBE a b
			C GET k
			Push > invalidate k
			Part > subscribe a 1
			Push > message a x
			Whole > subscribe b 2
			Whole +x
			Push > message a x`,
		"in a transaction": `
			C MULTI
			C SUBSCRIBE a b
			Whole +OK
			Whole +QUEUED`,
		"after a reset nothing is subscribed to": `
			C SUBSCRIBE a
			Whole subscribe a 1
			C RESET
			Whole +RESET
			C LRANGE l 0 -1
			Whole message is data`,
	} {
		var c Conversation
		for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
			who, what, _ := strings.Cut(strings.TrimSpace(line), " ")
			if who == "C" {
				c.Ask(strings.Fields(what))
				continue
			}
			want := map[string]Answer{"Push": Push, "Part": Part, "Whole": Whole}[who]
			if got := c.Take(said(what)); got != want {
				t.Errorf("%s: %q is answer %d, not %s", name, what, got, who)
			}
		}
	}
}

// FuzzConversation wants no panic, and no more ends than commands.
func FuzzConversation(f *testing.F) {
	f.Add("SUBSCRIBE a b\nUNSUBSCRIBE", []byte("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n+x\r\n"))
	f.Fuzz(func(t *testing.T, commands string, wire []byte) {
		var c Conversation
		asked := 0
		for _, line := range strings.Split(commands, "\n") {
			if words := strings.Fields(line); len(words) > 0 {
				c.Ask(words)
				asked++
			}
		}
		for {
			n, err := Size(wire)
			if n == 0 || err != nil {
				break
			}
			if c.Take(wire[:n]) == Whole {
				asked--
			}
			wire = wire[n:]
		}
		if asked < 0 {
			t.Errorf("%d commands ended too many", -asked)
		}
	})
}
