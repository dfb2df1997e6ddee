package nemesis

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/lockbench/lockbench/internal/format1"
)

// oldNames are the fields of a step that had another name in format 1.
var oldNames = format1.Names{"strike": "aimed"}

// oldActions are the actions that had another name in format 1.
var oldActions = map[string]string{"direct": Redirect, "hold": HoldBack}

// Upgrade gives a step of format 1 the words of today. Its words mean nothing else today, so a file
// may use them in any format.
func (s *Step) Upgrade() {
	s.Do = cmp.Or(oldActions[s.Do], s.Do)
	who, link, _ := strings.Cut(s.Target, ">")
	s.Target = strings.TrimSuffix(hitOf(who)+">"+link, ">")
	if s.Await != nil {
		s.Await.Client = hitOf(s.Await.Client)
	}
}

// hitOf is a client as it is called today: the one that was hit was struck.
func hitOf(client string) string {
	if strings.Trim(client, But+"+") == "struck" {
		return strings.Replace(client, "struck", Hit, 1)
	}
	return client
}

// DecodeStep reads a step in JSON, also one of format 1. A field that is not known is refused.
func DecodeStep(text []byte) (s Step, err error) {
	if text, err = format1.Upgrade(text, oldNames); err != nil {
		return s, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err = dec.Decode(&s)
	s.Upgrade()
	return s, err
}
