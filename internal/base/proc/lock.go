package proc

import "errors"

// ErrLocked says that a lock is taken.
var ErrLocked = errors.New("it is in use")
