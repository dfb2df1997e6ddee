package history

import (
	"encoding/json"

	"github.com/lockbench/lockbench/internal/format1"
)

// oldNames are the fields of a history of format 1 that have another name today.
var oldNames = format1.Names{
	"world": "environment", "requires.strikes": "hits", "strike": "aimed",
}

// oldActions are the actions of the nemesis that had another name in format 1.
var oldActions = map[string]string{"hold": "hold-back", "direct": "redirect"}

// readEvent reads one line after the header. Only faults have changed since format 1.
func readEvent(line []byte, format int) (e Event, err error) {
	if err = json.Unmarshal(line, &e); err != nil {
		return e, jsonError(err)
	}
	if format != 1 || e.Type != Fault {
		return e, nil
	}
	if line, err = format1.Upgrade(line, oldNames); err == nil {
		err = json.Unmarshal(line, &e)
	}
	if today, ok := oldActions[e.F]; ok {
		e.F = today
	}
	return e, err
}
