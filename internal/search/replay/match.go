package replay

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// matcher compares the commands and replies of real clients and servers with the recorded ones.
// Owner values and clock readings differ between environments. Each recorded owner value
// corresponds to one real value. A real reading must be as far from the first real one as the
// recorded reading is from the first recorded one.
type matcher struct {
	lease   time.Duration // the shortest of the plan
	foreign bool          // the clients' lock is a library, whose owner values have any form
	late    time.Duration // delay of the replay behind the record
	owners  map[string]string
	owned   map[string]bool     // the real values in owners
	clocks  map[string][]string // the real readings for each recorded one
	offset  float64             // ms from a recorded reading to the real one
	known   bool                // offset is known
}

func newMatcher(p harness.Plan) *matcher {
	return &matcher{lease: p.Leases.Least(p.TTL).D(), foreign: p.Adapter != nil,
		owners: map[string]string{}, owned: map[string]bool{}, clocks: map[string][]string{}}
}

// clockSlack is how much later than recorded a client may read its clock because of the replay's
// own steps. The delay of the replay is added to it. It is far below the jumps and leases on which
// a verdict depends.
const clockSlack = 150 * time.Millisecond

// slack returns the allowed difference of clock readings, in ms.
func (m *matcher) slack() int64 {
	return (clockSlack + min(m.late, m.lease/4)).Milliseconds()
}

// command reports whether a command matches the recorded one. If it does, it remembers which words
// correspond to each other.
func (m *matcher) command(recorded string, words []string) bool {
	want, have := counterexample.Words(recorded), counterexample.Words(counterexample.Render(words))
	if len(want) != len(have) || len(want) == 0 || want[0] != have[0] {
		return false
	}
	fixed := 1 // words that cannot be owner values
	if callsScript(want[0]) {
		fixed = 2
	}
	if len(want) < fixed || !slices.Equal(want[:fixed], have[:fixed]) {
		return false
	}
	for i := range want[fixed:] {
		if !m.same(want[fixed+i], have[fixed+i]) {
			return false
		}
	}
	for i := range want[fixed:] {
		m.learn(want[fixed+i], have[fixed+i])
	}
	return true
}

// callsScript reports whether the second word of a command names a script.
func callsScript(word string) bool {
	return slices.Contains([]string{"eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro"},
		strings.ToLower(word))
}

// same compares a word that a client has sent.
func (m *matcher) same(want, have string) bool {
	if m.owns(want) && m.owns(have) {
		known, ok := m.owners[want]
		return ok && known == have || !ok && !m.owned[have]
	}
	if w, h, ok := readings(want, have); ok {
		return !m.known || math.Abs(h-w-m.offset) <= float64(m.slack())
	}
	return want == have
}

// owner matches a value of impls.Env.Token. Redisson adds its thread.
var owner = regexp.MustCompile(`^[0-9a-f]{40}(:1)?$`)

// shortestOwner is the length of the shortest owner value of a library. Every shorter word must be
// as recorded.
const shortestOwner = 8

// owns reports whether a word may be an owner value. Every long word of a library may be one,
// unless it is a clock reading.
func (m *matcher) owns(word string) bool {
	if _, _, reading := readings(word, word); reading {
		return false
	}
	return owner.MatchString(word) || m.foreign && len(word) >= shortestOwner
}

func (m *matcher) learn(want, have string) {
	if m.owns(want) {
		m.owners[want], m.owned[have] = have, true
		return
	}
	w, h, ok := readings(want, have)
	if !ok {
		return
	}
	if !m.known {
		m.offset, m.known = h-w, true
	}
	if !slices.Contains(m.clocks[want], have) {
		m.clocks[want] = append(m.clocks[want], have)
	}
}

// The simulator's clock starts at the year 2000. A reading is in seconds, with or without a
// fraction, or in milliseconds. A client's clock may be wrong, and a reading may include a lease.
const (
	simBegins = 946_684_800
	simEnds   = simBegins + 10*24*3600
	simBefore = simBegins - 10*24*3600
)

// readings parses two clock readings and returns them in ms. It returns false if they are not
// readings.
func readings(want, have string) (w, h float64, ok bool) {
	w, err1 := strconv.ParseFloat(want, 64)
	h, err2 := strconv.ParseFloat(have, 64)
	if err1 != nil || err2 != nil {
		return 0, 0, false
	}
	switch {
	case w > simBefore && w < simEnds:
		return w * 1000, h * 1000, true
	case w > simBefore*1000 && w < simEnds*1000:
		return w, h, true
	}
	return 0, 0, false
}

// reply reports whether a reply to a command matches the recorded one. A word that a client has
// written before must be read as its real counterpart, and the remaining time of a lease may differ
// a little.
func (m *matcher) reply(command []string, want, have string) bool {
	if want == have && !owner.MatchString(want) {
		return true
	}
	ws, hs := strings.Fields(strings.Trim(want, "[]")), strings.Fields(strings.Trim(have, "[]"))
	if len(ws) != len(hs) || strings.HasPrefix(want, "[") != strings.HasPrefix(have, "[") {
		return false
	}
	rest := tellsRest(command)
	for i := range ws {
		if !m.item(ws[i], hs[i], rest && i == 0) { // a fencing token may follow
			return false
		}
	}
	return true
}

// item compares a word of a reply.
func (m *matcher) item(want, have string, rest bool) bool {
	if known, ok := m.owners[want]; ok {
		return known == have
	}
	if known, ok := m.clocks[want]; ok {
		return slices.Contains(known, have)
	}
	return want == have || rest && m.sameRest(want, have)
}

// sameRest compares the remaining time of a lease, in ms.
func (m *matcher) sameRest(want, have string) bool {
	w, err1 := strconv.ParseInt(want, 10, 64)
	h, err2 := strconv.ParseInt(have, 10, 64)
	lease := m.lease.Milliseconds()
	return err1 == nil && err2 == nil && w >= 0 && h >= 0 && w <= lease && h <= lease+1 &&
		max(w-h, h-w) <= m.slack()
}

// tellsRest reports whether the reply of a command may be the remaining time of a lease.
func tellsRest(words []string) bool {
	if len(words) == 0 {
		return false
	}
	switch strings.ToLower(words[0]) {
	case "ttl", "pttl":
		return true
	case "eval":
		return len(words) > 1 && strings.Contains(strings.ToLower(words[1]), "pttl")
	case "evalsha": // its text is unknown here
		return true
	}
	return false
}
