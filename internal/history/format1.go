package history

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/format1"
)

// oldNames are the fields of a history of format 1 that have another name today.
var oldNames = format1.Names{
	"world": "environment", "requires.strikes": "hits", "strike": "aimed",
}

// oldActions are the actions of the nemesis that had another name in format 1.
var oldActions = map[string]string{"hold": "hold-back", "direct": "redirect"}

// readEvent reads one line after the header. Since format 1 faults have changed, and acquires that
// failed say why in a field of its own.
func (s *scanner) readEvent(line []byte, format int, e *Event) error {
	if format == Format && s.event(line, e) {
		return nil
	}
	*e = Event{}
	if err := json.Unmarshal(line, e); err != nil || format != 1 {
		return jsonError(err)
	}
	if e.F == Acquire && e.Type == Fail {
		e.Why = oldRefusal(e.Err)
	}
	if e.Type != Fault {
		return nil
	}
	line, err := format1.Upgrade(line, oldNames)
	if err == nil {
		err = json.Unmarshal(line, e)
	}
	if today, ok := oldActions[e.F]; ok {
		e.F = today
	}
	if e.Lasted = strings.HasPrefix(e.Err, "still open"); e.Lasted {
		e.Err = ""
	}
	return err
}

// oldLoss returns the reason why a reply was not read, by the text of the error. Older traces have
// no field for it.
func oldLoss(text string) Loss {
	if strings.Contains(text, "timeout") {
		return TimedOut
	}
	return BrokenOff
}

// oldRefusal is why an acquire of format 1 failed, by the text of its error.
func oldRefusal(text string) Refusal {
	switch {
	case text == "" || strings.HasSuffix(text, "held by another client"):
		return Taken
	case strings.Contains(text, "held"):
		return GaveUp
	}
	return Unreachable
}

// The properties of format 1 that have a letter today. Verdicts and headers of that format keep
// their names.
const (
	OldReentry  = "re-entry"
	OldValidity = "validity"
)

var oldProperties = []PropertyRow{
	{Name: OldReentry,
		Meaning: "a holder can acquire again, and has to release as often",
		Broken:  "re-entry did not count right"},
	{Name: OldValidity,
		Meaning: "two clients are never inside while the lock tells both that they are",
		Broken:  "two clients were inside while the lock told both that they held it"},
}

// PropertyLetter returns today's name of a property: the letter if the property had another name in
// format 1, and any other name unchanged.
func PropertyLetter(name string) string {
	switch name {
	case OldReentry:
		return Reentry
	case OldValidity:
		return Validity
	}
	return name
}

// PropertyLetters returns PropertyLetter of each name, each once. It does not change names.
func PropertyLetters(names []string) (letters []string) {
	for _, name := range names {
		if l := PropertyLetter(name); !slices.Contains(letters, l) {
			letters = append(letters, l)
		}
	}
	return letters
}
