// Package campaign is many runs with one purpose: the matrix of locks and faults. What is expected
// of each cell is written down before anything is measured, as data; what was found stands beside
// it, and a difference is shown as one.
package campaign
