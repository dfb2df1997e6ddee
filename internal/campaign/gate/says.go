package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
)

// Says is what a lock and Redis say to each other, and what the lock says to its client, by its
// form: in how many runs of how many each was seen.
type Says struct {
	Of    int            `yaml:"of" json:"of"`
	Forms map[string]int `yaml:"forms" json:"forms"`
}

// saysName is the entry that compares what was said.
const saysName = "what the lock says to Redis and to its client"

// Look is what a run shows beside its verdict.
type Look struct {
	Cost   batch.Cost
	Says   []string
	Course string
}

// look reads the record of a run; what was said and done is wanted for a snapshot only.
func look(r *store.Run, snapshot bool) Look {
	l := Look{Cost: batch.Join(batch.Measure(r.History, r.Trace))}
	if snapshot {
		l.Says, l.Course = forms(r), course(r)
	}
	return l
}

// course is a digest of all that clients, Redis and faults did.
func course(r *store.Run) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, e := range r.History.Events {
		_ = enc.Encode(e) // a digest takes everything
	}
	for _, c := range r.Trace {
		_ = enc.Encode(c)
	}
	return hex.EncodeToString(h.Sum(nil))[:6]
}

// forms are those of a run, each once: every command with its reply, every two that follow each
// other in one process, every outcome of a call, and the shortest pause between two tries.
func forms(r *store.Run) []string {
	seen, last := map[string]bool{}, map[int]string{}
	if p := pause(r.Trace); p > 0 {
		seen["two tries: "+p.String()+" apart or more"] = true
	}
	for _, c := range r.Trace {
		if len(c.Args) == 0 {
			continue
		}
		f := form(c.Args)
		if before := last[c.Process]; before != "" && before != f {
			seen[before+" → "+f] = true
		}
		last[c.Process] = f
		if c.Recv != 0 && c.Err == "" {
			seen[f+" = "+word(c.Reply, "")] = true
		}
	}
	for _, f := range outcomes(r) {
		seen[f] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// pause is the shortest time between a reply and the same command for the same acquisition again,
// as the power of four below it: a busy machine makes pauses longer, never shorter.
func pause(trace []history.Command) time.Duration {
	last, least := map[int]history.Command{}, time.Duration(0)
	for _, c := range trace {
		if len(c.Args) == 0 {
			continue
		}
		before, ok := last[c.Process]
		last[c.Process] = c
		gap := time.Duration(c.Sent - before.Recv)
		// after an error, such as NOSCRIPT, a client sends the same again at once
		if ok && before.Recv != 0 && gap > 0 && before.N == c.N &&
			!strings.HasPrefix(before.Reply, "(error)") && form(before.Args) == form(c.Args) &&
			(least == 0 || gap < least) {
			least = gap
		}
	}
	if least == 0 {
		return 0
	}
	step := time.Millisecond
	for ; 4*step <= least; step *= 4 {
	}
	return step
}

// form is a command without what differs from one acquisition to the next: SET KEY VALUE NX PX 500.
func form(args []string) string {
	verb, key := strings.ToUpper(args[0]), 1
	out := []string{verb}
	if verb == "EVAL" || verb == "EVALSHA" {
		key = 3
		if len(args) > 1 {
			out = []string{"SCRIPT", script(verb, args[1])}
		}
	}
	for i := min(key, len(args)); i < len(args); i++ {
		if i == key {
			out = append(out, "KEY")
			continue
		}
		out = append(out, word(args[i], args[min(key, len(args)-1)]))
	}
	return strings.Join(out, " ")
}

// script is the digest by which Redis knows a script, shortened.
func script(verb, text string) string {
	if verb == "EVAL" {
		text = history.ScriptID(text)
	}
	return strings.ToLower(text[:min(8, len(text))])
}

// spelt are the words that are written out.
var spelt = []string{"NX", "XX", "PX", "EX", "PXAT", "EXAT", "GET", "KEEPTTL", "OK", "(nil)", ""}

// word is an argument or a reply: a small number and a word of Redis as they are, an error by its
// first words, anything else as what it is.
func word(text, key string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case key != "" && text == key:
		return "KEY"
	case slices.Contains(spelt, strings.ToUpper(text)):
		return strings.ToUpper(text)
	case slices.Contains(spelt, text):
		return text
	case err == nil && n > -10 && n < 1_000_000:
		return text
	case err == nil:
		return "TIME"
	case strings.HasPrefix(text, "(error)"):
		return strings.Join(strings.Fields(text)[:min(2, len(strings.Fields(text)))], " ")
	}
	return "VALUE"
}

// add notes the forms of runs.
func (s *Says) add(of int, forms []string) {
	if s.Forms == nil {
		s.Forms = map[string]int{}
	}
	s.Of += of
	for _, f := range forms {
		s.Forms[f]++
	}
}

// join adds what another shard heard.
func (s *Says) join(o Says) {
	if o.Of == 0 {
		return
	}
	s.add(o.Of, nil)
	for f, n := range o.Forms {
		s.Forms[f] += n
	}
}

// many is the number of forms from which those that differ in numbers only count as one: then the
// numbers are times or counters.
const many = 3

// general joins forms that differ in numbers only, if there are many of them.
func (s Says) general() Says {
	groups := map[string][]string{}
	for f := range s.Forms {
		groups[numbersAway(f)] = append(groups[numbersAway(f)], f)
	}
	out := Says{Of: s.Of, Forms: map[string]int{}}
	for g, fs := range groups {
		for _, f := range fs {
			if len(fs) <= many {
				out.Forms[f] = s.Forms[f]
			} else {
				out.Forms[g] = max(out.Forms[g], s.Forms[f])
			}
		}
	}
	return out
}

// numbersAway writes N for each number of a form.
func numbersAway(form string) string {
	words := strings.Fields(form)
	for i, w := range words {
		if _, err := strconv.Atoi(w); err == nil && (i == 0 || words[i-1] != "SCRIPT") {
			words[i] = "N"
		}
	}
	return strings.Join(words, " ")
}

// like is s with its numbers away where those of the file are.
func (s Says) like(file Says) Says {
	out := Says{Of: s.Of, Forms: map[string]int{}}
	for f, n := range s.Forms {
		g := numbersAway(f)
		if _, there := file.Forms[g]; !there {
			g = f
		}
		out.Forms[g] = max(out.Forms[g], n)
	}
	return out
}
