//go:build !linux

package proc

import "errors"

// LogTo returns an error on this system.
func LogTo(string) error { return errors.ErrUnsupported }
