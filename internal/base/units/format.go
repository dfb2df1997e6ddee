package units

import "fmt"

// CheckFormat returns an error if a document has another format than this lockbench reads. A
// document whose format is 0 names none.
func CheckFormat(has, reads int) error {
	switch has {
	case reads:
		return nil
	case 0:
		return fmt.Errorf("it has no format; this lockbench reads format %d", reads)
	}
	return fmt.Errorf("it has format %d; this lockbench reads format %d", has, reads)
}
