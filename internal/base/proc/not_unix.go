//go:build !unix

package proc

import (
	"errors"
	"os"
)

// Lock returns an error on this system.
func Lock(*os.File) error { return errors.ErrUnsupported }

// Owned returns an error on this system.
func Owned(string) (inode uint64, err error) { return 0, errors.ErrUnsupported }

// Unlock returns an error on this system.
func Unlock(*os.File) error { return errors.ErrUnsupported }
