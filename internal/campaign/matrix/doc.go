// Package matrix runs locks under faults, cell by cell, and compares the results with expectations
// that were written before anything was measured.
package matrix
