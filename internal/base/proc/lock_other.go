//go:build !unix

package proc

import (
	"errors"
	"os"
)

// Lock is not possible here.
func Lock(*os.File) error { return errors.ErrUnsupported }
