package adapter

import (
	"fmt"
	"time"
)

// Some locks keep their key on purpose after a release. The check asks whether they do, and then
// removes the key, since it cannot wait as long as a lock may declare.

// askMinimum checks that the released key of a lock that was acquired after a time is still there,
// if the lock declares that it keeps it.
func askMinimum(c *checker, since time.Time) {
	least := min(time.Duration(c.use.Declares.MinimumHold), checkTTL)
	if least == 0 || c.keyless {
		return
	}
	c.sayOfKeys("as declared, the key outlives a release", func() error {
		keys, err := c.names("keys", c.key())
		switch {
		case err != nil || len(keys) > 0:
			return err
		case time.Since(since) >= least:
			return notAsked("this machine is slow, and the minimum hold was over")
		}
		return fmt.Errorf("no key %q is left, and minimum_hold says %v", c.key(), least)
	})
}

// outlastMinimum removes the key that a lock keeps after a release, as its end would do.
func outlastMinimum(c *checker) {
	if least := time.Duration(c.use.Declares.MinimumHold); least > 0 {
		c.forget()
		if c.kind != nil {
			time.Sleep(min(least, checkTTL))
		}
	}
}

// nameMinimum adds to the last finding how a lock declares that a release leaves its key there, if
// it did so.
func nameMinimum(c *checker) {
	keys, err := c.names("keys", c.key())
	if err == nil && len(keys) > 0 && c.use.Declares.MinimumHold == 0 {
		c.found[len(c.found)-1].Found += "; the key is still there: a lock that keeps it on purpose " +
			"says minimum_hold in adapter.yaml"
	}
}
