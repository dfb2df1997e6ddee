package view

import (
	"strings"

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

// Question is what the run was made to answer.
func (v *View) Question() string {
	h := v.History.Header
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
