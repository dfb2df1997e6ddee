//go:build !linux

package impls_test

import "errors"

// startServers needs the process environment, which is for Linux.
func startServers(int) (environment, func(), error) {
	return nil, nil, errors.New("real servers are started on Linux only")
}
