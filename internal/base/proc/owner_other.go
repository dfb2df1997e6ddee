//go:build !unix

package proc

import "errors"

// Owned returns an error on this system.
func Owned(string) (inode uint64, err error) { return 0, errors.ErrUnsupported }
