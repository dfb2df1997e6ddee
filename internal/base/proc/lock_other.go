//go:build !unix

package proc

import (
	"errors"
	"os"
)

// Lock returns an error on this system.
func Lock(*os.File) error { return errors.ErrUnsupported }
