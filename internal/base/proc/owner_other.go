//go:build !unix

package proc

import "errors"

// Owned is not known here.
func Owned(string) (inode uint64, err error) { return 0, errors.ErrUnsupported }
