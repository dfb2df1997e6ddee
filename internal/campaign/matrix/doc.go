// Package matrix runs locks under faults, cell by cell, and puts what was found beside what was
// expected before anything was measured. A difference is shown as one.
package matrix
