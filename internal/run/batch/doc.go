// Package batch has the parts that the matrix, the gate and the comparison share: the kept part of
// a run's verdict, the cost of a run, the pool that carries runs out, and shards and their merging.
package batch
