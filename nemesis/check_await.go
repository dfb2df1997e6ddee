package nemesis

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var phases = []string{Acquiring, Sent, Replied, Granted, Releasing, Released, Lost}

// await says what is wrong with an Await.
func (c *script) await(s Step) error {
	a := s.Await
	_, isClient := Client(a.As)
	switch {
	case s.Do != "" || s.Target != "":
		return fmt.Errorf("a step does something or awaits a client, not both")
	case (a.Phase == "") == (a.Command == ""):
		return fmt.Errorf("an await needs one of the fields %q and %q", "phase", "command")
	case a.Phase != "" && !slices.Contains(phases, a.Phase):
		return fmt.Errorf("there is no phase %q; there are: %s", a.Phase, strings.Join(phases, ", "))
	case a.Phase != "" && a.At != "":
		return fmt.Errorf(`"at" goes with "command"`)
	case a.Command != "" && a.At != Before && a.At != After && a.At != JustSent:
		return fmt.Errorf(`"at" is %q; it is %s, %s or %s the command`, a.At, Before, JustSent, After)
	case s.For < 0 || a.Nth < 0:
		return fmt.Errorf("an await has a number below zero")
	case a.As != "" && (isClient == nil || slices.Contains([]string{Hit, Waiter, Other, "*"},
		a.As)):
		return fmt.Errorf("no client can be given the name %q, which has a meaning already", a.As)
	}
	if _, err := regexp.Compile(a.Command); err != nil {
		return fmt.Errorf("the command is no regular expression: %w", err)
	}
	if a.Client != "" && a.Client != Other {
		if err := c.client(strings.TrimPrefix(a.Client, But)); err != nil {
			return err
		}
	}
	if a.As != "" {
		c.named[a.As] = true
	}
	return nil
}
