package nemesis

import (
	"cmp"
	"strings"
)

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
