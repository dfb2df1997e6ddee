// Package batch is what the matrix, the gate and the comparison share: what is kept of a run's
// verdict, what a run costs, the pool that carries runs out, and shards and their joining.
package batch
