// Package asredis has the tests of the simulator beside a real Redis. They are apart from its other
// tests, so that go can remember the results of those: they only compute.
package asredis
