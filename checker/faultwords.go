package checker

import (
	"fmt"
	"strings"
)

// faultWords tells what the nemesis does, by the names that histories use (field f of a fault; see
// package nemesis). %s is the target. An end is told only where it changes something for the
// clients.
var faultWords = map[string]struct{ begin, end string }{
	"direct":       {"clients were directed to %s", ""},
	"direct>spare": {"newer connections took the second links", ""}, // to the same nodes

	"kill":       {"%s was killed", "%s was started again"},
	"start":      {"%s was started", ""},
	"restart":    {"%s was restarted", ""},
	"promote":    {"%s was promoted", ""},
	"failover":   {"%s took over", ""},
	"pause-node": {"%s was stopped", "%s ran again"},
	"node-clock": {"the clock of %s was moved", ""},
	"busy":       {"%s was made busy with a script", "%s was free again"},
	"stall":      {"%s stopped answering", "%s answered again"},

	"cut":    {"%s was cut", "%s was whole again"},
	"hold":   {"%s began to hold back what was sent", "%s delivered what it had held back"},
	"delay":  {"%s began to deliver late", "%s was fast again"},
	"refuse": {"%s began to refuse connections", "%s took connections again"},
	"reset":  {"%s began to reset connections", "%s was whole again"},

	"crash":        {"%s was killed", ""},
	"pause":        {"%s was paused", "%s ran again"},
	"client-clock": {"the clock of %s was moved", ""},
}

// FaultWords tells the begin and the end of a fault of a history, by its fields f and target, in
// the words of the verdict: "n0 was killed". An end of "" is not worth telling.
func FaultWords(f, target string) (begin, end string) {
	return (&fault{f: f, target: target}).words()
}

// words tells the begin and the end of a fault; an end of "" is not worth telling.
func (f *fault) words() (begin, end string) {
	w, known := faultWords[f.f+">"+f.target]
	if !known {
		w, known = faultWords[f.f]
	}
	switch {
	case !known && f.target == "":
		return fmt.Sprintf("the fault %q struck", f.f), fmt.Sprintf("the fault %q ended", f.f)
	case !known:
		return fmt.Sprintf("the fault %q struck %s", f.f, nameOf(f.target)),
			fmt.Sprintf("the fault %q of %s ended", f.f, nameOf(f.target))
	}
	put := func(words string) string { return strings.Replace(words, "%s", nameOf(f.target), 1) }
	return put(w.begin), put(w.end)
}

// about is the target, or what stands for it in a fault that has none.
func (f *fault) about() string {
	if f.target == "" {
		return f.f
	}
	return f.target
}

// nameOf is a target for people: "client 3", "n0", "client 3's link to n0", "the link n0>n1". The
// second links are those that newer connections of a client take once it was directed to them.
func nameOf(target string) string {
	from, to, link := strings.Cut(target, ">")
	kind := "link"
	first, second := strings.CutSuffix(from, "+")
	if second {
		kind = "second link"
	}
	n, client := clientOf(first)
	switch {
	case !link && client:
		return fmt.Sprintf("client %d", n)
	case target == "*":
		return "everybody"
	case !link:
		return target
	case client && to == "*":
		return fmt.Sprintf("every %s of client %d", kind, n)
	case client:
		return fmt.Sprintf("client %d's %s to %s", n, kind, to)
	case from == "*":
		return "every link to " + to
	case to == "*":
		return "every link of " + from
	}
	return "the link " + target
}
