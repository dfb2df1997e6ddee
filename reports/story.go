package reports

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

// when completes the question "Can two clients hold X at once …?" by the name of the fault.
var when = map[string]string{
	"none":              "when nothing goes wrong",
	"failover":          "when the master fails over",
	"failover:healthy":  "when the master fails over to a replica that is up to date",
	"failover-sentinel": "when Sentinel fails the master over",
	"race":              "when nothing fails and clients only race",
	"overrun":           "when a holder works for longer than its lease",
	"pause":             "when a client is paused",
	"pause:short":       "when a client is paused for a moment",
	"crash":             "when a client crashes",
	"partition":         "when the network splits",
	"request-loss":      "when requests are lost",
	"reply-loss":        "when replies are lost",
	"late":              "when a message arrives late",
	"latency":           "when the network is slow",
	"restart":           "when Redis restarts",
	"restart-delayed":   "when Redis restarts only after the lease",
	"clock-client":      "when a client's clock is wrong",
	"clock-server":      "when a server's clock is wrong",
	"clock-client:+":    "when a client's clock jumps ahead",
	"clock-client:-":    "when a client's clock jumps back",
	"clock-client:0":    "when no clock is moved",
	"clock-server:0":    "when no clock is moved",
	"clock-client:rate": "when a client's clock runs at a wrong rate",
	"clock-server:+":    "when a server's clock jumps ahead",
	"clock-server:-":    "when a server's clock jumps back",
	"clock-server:rate": "when a server's clock runs at a wrong rate",
	"busy":              "when a script keeps Redis busy",
	"node-pause":        "when a Redis is paused",
	"node-crash":        "when a Redis crashes",
	"minority-loss":     "when a minority of the Redis nodes loses its data",
	"majority-loss":     "when a majority of the Redis nodes loses its data",
	"random":            "under random faults",
}

// question is what the run was made to answer.
func question(h history.Header) string {
	lock := "this lock"
	if h.Impl != "" {
		lock = "the lock " + page.Clean(h.Impl, 60)
	}
	return "Can two clients hold " + lock + " at once" + circumstances(h.Nemesis) + "?"
}

func circumstances(nemesis string) string {
	name, _, _ := strings.Cut(nemesis, ":")
	for _, n := range []string{nemesis, name} {
		if s, ok := when[n]; ok {
			return " " + s
		}
	}
	if nemesis == "" {
		return ""
	}
	return " under the fault " + page.Clean(nemesis, 60)
}

// answer is the question's answer: a word, and a sentence that carries it.
type answer struct {
	Word, Sentence string
	Result         checker.Result
}

// answerOf answers in the order in which a reader asks: were two inside at once, and if not, was
// anything else wrong?
func answerOf(r *View) answer {
	v := r.Verdict
	if v == nil {
		return answer{"Not judged.", "There is no verdict on this run yet; lockbench check makes one.",
			checker.Unknown}
	}
	switch v.Verdict {
	case checker.Violated:
		if w := r.first(); w != nil && len(w.holds) > 1 && w.together {
			return answer{"Yes.", w.sentence(), v.Verdict}
		}
		return brokenAnswer(v)
	case checker.Valid:
		return answer{"Not in this run.", validSentence(v), v.Verdict}
	case checker.NA:
		return answer{"Not asked.", units.Sentence(page.Clean(v.Summary, 300)), v.Verdict}
	}
	return answer{"Unknown.", unknownSentence(r), checker.Unknown}
}

// brokenAnswer is for a lock that failed otherwise. It says "not both at once" only if that was
// judged.
func brokenAnswer(v *checker.Verdict) answer {
	word, also := "It is broken.", "Whether two clients can be inside at once, this run does not tell."
	if v.Property(checker.Deadlock).Verdict == checker.Violated {
		word = "Nobody gets in again."
	}
	if v.Property(checker.MutualExclusion).Verdict == checker.Valid {
		also = "No two clients were inside at once."
	}
	return answer{word, units.Sentence(page.Clean(v.Summary, 300)) + " " + also, v.Verdict}
}

// validSentence says what a "no" is worth.
func validSentence(v *checker.Verdict) string {
	e := v.Evidence
	s := fmt.Sprintf("No two clients were inside at once in %s, of which %s contended",
		units.Count(e.Acquisitions, "acquisition"), wereWas(e.Contended))
	if e.Aimed > 0 {
		s += fmt.Sprintf("; %d of %s struck a hold while another client waited", e.Hits,
			units.Count(e.Aimed, "planned fault"))
	}
	if e.AfterFailover > 0 {
		s += fmt.Sprintf("; the new master granted %s", units.Count(e.AfterFailover, "time"))
	}
	return s + ". That is what this answer rests on, and no more."
}

func wereWas(n int) string {
	if n == 1 {
		return "1 was"
	}
	return units.Thousands(n) + " were"
}

func unknownSentence(r *View) string {
	v := r.Verdict
	why := page.Clean(v.HarnessError, 300)
	if why == "" {
		why = missing(r)
	}
	if why == "" {
		why = page.Clean(v.Summary, 300)
	}
	if why == "" {
		return "The run does not tell."
	}
	return "The run does not tell: " + units.Sentence(strings.TrimSuffix(why, "."))
}

// missing says which evidence the run was to give and did not.
func missing(r *View) string {
	v, q := r.Verdict, r.History.Header.Requires
	var m []string
	if e := v.Evidence; e.Contended < q.Contended {
		m = append(m, fmt.Sprintf("%d of the %s that it needs", e.Contended,
			units.Count(q.Contended, "contended acquisition")))
	}
	if e := v.Evidence; e.Hits < q.Hits {
		m = append(m, fmt.Sprintf("%d of %s that strike a hold with another client waiting", e.Hits,
			units.Count(q.Hits, "fault")))
	}
	if q.Failover && v.Evidence.AfterFailover == 0 {
		m = append(m, "no grant by the new master")
	}
	if len(m) > 0 {
		return "it has " + units.List(m)
	}
	for _, p := range v.Properties {
		if p.Verdict.String() == string(checker.Unknown) && p.Reason != "" {
			return page.Clean(p.Reason, 300)
		}
	}
	return ""
}

// judge names porcupine; a test binary does not know its version.
func judge(version string) string { return strings.TrimSpace("porcupine " + page.Clean(version, 20)) }
