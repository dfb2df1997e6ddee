package proc

import "errors"

// ErrLocked reports that a lock is taken.
var ErrLocked = errors.New("it is in use")
