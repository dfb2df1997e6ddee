// Package verdict is the document verdict.json: what follows from a history, property by property,
// with the witness of each violation and the evidence that a clean result rests on.
package verdict
