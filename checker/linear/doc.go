// Package linear decides whether operations are those of a lock: the models, the fast exact checks,
// and porcupine, whose answer is the verdict of record and must agree with the fast check.
package linear
