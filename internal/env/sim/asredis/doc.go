// Package asredis has the tests that compare the simulator with a real Redis. They have a package
// of their own, so that go can cache the results of the simulator's other tests, which need no
// server.
package asredis
