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

// Says counts in how many of Of runs each form was seen. A form is something that a lock says to
// Redis or to its client, without the values that differ from run to run: a command with its reply,
// two consecutive commands, a command that is sent again because no reply came, the outcome of a
// call, or the shortest pause between two attempts.
type Says struct {
	Of    int            `yaml:"of" json:"of"`
	Forms map[string]int `yaml:"forms" json:"forms"`
}

// saysName is the name of the entry that compares the messages.
const saysName = "what the lock says to Redis and to its client"

// Look is what a run shows in addition to its verdict.
type Look struct {
	Cost   batch.Cost
	Says   []string
	Course string
}

// look reads the record of a run. It collects messages and actions only for a snapshot.
func look(r *store.Run, snapshot bool) Look {
	l := Look{Cost: batch.Join(batch.Measure(r.History, r.Trace))}
	if snapshot {
		l.Says, l.Course = forms(r), course(r)
	}
	return l
}

// course returns a digest of everything that clients, Redis and faults did.
func course(r *store.Run) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, e := range r.History.Events {
		_ = enc.Encode(e) // encoding cannot fail
	}
	for _, c := range r.Trace {
		_ = enc.Encode(c)
	}
	return hex.EncodeToString(h.Sum(nil))[:6]
}

// forms returns the distinct forms of a run: every command with its reply, every two consecutive
// commands of a process, every command that it sent again because no reply came, every outcome of a
// call, and the shortest pause between two attempts.
func forms(r *store.Run) []string {
	seen, last := map[string]bool{}, map[int]history.Command{}
	if p := pause(r.Trace); p > 0 {
		seen["two tries: "+p.String()+" apart or more"] = true
	}
	spell := valuesIn(r.Trace)
	for _, c := range r.Trace {
		if len(c.Args) == 0 {
			continue
		}
		f, before := spell(form(c.Args)), last[c.Process]
		last[c.Process] = c
		if len(before.Args) > 0 && spell(form(before.Args)) != f {
			seen[spell(form(before.Args))+" → "+f] = true
		}
		if repeats(before, c) {
			seen[f+" again without a reply"] = true
		}
		if c.Recv != 0 && c.Err == "" {
			seen[spell(f+" = "+word(c.Reply, ""))] = true
		}
	}
	for _, f := range outcomes(r) {
		seen[f] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// valuesIn returns a function that writes VALUE for TIME in a form, a command with or without its
// reply, where a value stands in another form of the run that is the same otherwise. In a run of
// many acquisitions one random value may have digits only and look like a time.
func valuesIn(trace []history.Command) func(form string) string {
	all := map[string]bool{}
	for _, c := range trace {
		if len(c.Args) > 0 {
			all[form(c.Args)], all[form(c.Args)+" = "+word(c.Reply, "")] = true, true
		}
	}
	return func(form string) string {
		words := strings.Split(form, " ")
		for i, w := range words {
			if w != "TIME" {
				continue
			}
			if words[i] = "VALUE"; !all[strings.Join(words, " ")] {
				words[i] = w
			}
		}
		return strings.Join(words, " ")
	}
}

// repeats reports whether a client sent a command again because no reply came. It ignores a first
// attempt that was not sent, for want of a connection.
func repeats(before, c history.Command) bool {
	return c.Again > 0 || before.Why != "" && before.Why != history.NotSent && before.N == c.N &&
		slices.Equal(before.Args, c.Args)
}

// pause returns the shortest time between a reply and the same command for the same acquisition,
// rounded down to a power of four. A busy machine makes pauses longer but never shorter.
func pause(trace []history.Command) time.Duration {
	last, least := map[int]history.Command{}, time.Duration(0)
	for _, c := range trace {
		if len(c.Args) == 0 {
			continue
		}
		before, ok := last[c.Process]
		last[c.Process] = c
		gap := time.Duration(c.Sent - before.Recv)
		// after an error, such as NOSCRIPT, a client repeats the command immediately
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

// form returns a command without the parts that vary between acquisitions: SET KEY VALUE NX PX 500.
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

// script returns the shortened SHA-1 digest of a script.
func script(verb, text string) string {
	if verb == "EVAL" {
		text = history.ScriptID(text)
	}
	return strings.ToLower(text[:min(8, len(text))])
}

// spelt lists the words that a form keeps.
var spelt = []string{"NX", "XX", "PX", "EX", "PXAT", "EXAT", "GET", "KEEPTTL", "OK", "(nil)", ""}

// word returns an argument or a reply as a form writes it. It keeps small numbers and words of
// Redis, shortens errors, and replaces anything else by its kind.
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

func (s *Says) add(of int, forms []string) {
	if s.Forms == nil {
		s.Forms = map[string]int{}
	}
	s.Of += of
	for _, f := range forms {
		s.Forms[f]++
	}
}

// join adds the forms of another shard.
func (s *Says) join(o Says) {
	if o.Of == 0 {
		return
	}
	s.add(o.Of, nil)
	for f, n := range o.Forms {
		s.Forms[f] += n
	}
}

// many is how many forms may differ only in their numbers. If there are more, the numbers are times
// or counters.
const many = 3

// general merges forms that differ only in their numbers, if there are many of them.
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

// numbersAway replaces each number of a form by N.
func numbersAway(form string) string {
	words := strings.Fields(form)
	for i, w := range words {
		if _, err := strconv.Atoi(w); err == nil && (i == 0 || words[i-1] != "SCRIPT") {
			words[i] = "N"
		}
	}
	return strings.Join(words, " ")
}

// like returns s with numbers replaced where the file replaces them.
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
