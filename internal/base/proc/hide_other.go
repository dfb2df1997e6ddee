//go:build !linux

package proc

// HideEnviron does nothing: there is no file that shows the environment.
func HideEnviron() error { return nil }
