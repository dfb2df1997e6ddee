package server

import (
	"io"
	"os"
)

// Spawner starts the workers of an environment: as processes, or in containers.
type Spawner interface {
	// Spawn starts a worker: this program with worker.Env in its environment. Its standard error goes
	// to log.
	Spawn(name string, log *os.File) (Worker, error)
}

// Worker is a worker that was spawned.
type Worker interface {
	io.WriteCloser     // its standard input; Close ends its client
	Output() io.Reader // its standard output, to the end
	Wait() error       // after the end of the output; how it ended
	Kill()             // at once, stopped or not
	Pause() error
	Stopped() bool // it is paused
	Resume() error
}

// Idler is a Worker that can tell whether it has nothing to do but wait: for its input, the network
// or the time.
type Idler interface{ Idle() bool }

// Reusable is a Worker that can play a client of another run. It reports Reset after Close, and is
// free from then on.
type Reusable interface {
	// Recycle gives the worker back. It belongs to others then: no method of this Worker has an effect
	// on it any more.
	Recycle()
}
