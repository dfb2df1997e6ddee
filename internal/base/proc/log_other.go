//go:build !linux

package proc

import "errors"

// LogTo is not possible here.
func LogTo(string) error { return errors.ErrUnsupported }
