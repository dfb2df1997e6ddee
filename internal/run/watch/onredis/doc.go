// Package onredis has the tests that watch a real Redis. They have a package of their own, so that
// go can cache the results of the other tests of package watch, which need no server.
package onredis
