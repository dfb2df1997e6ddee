// Package compare puts two runs, two matrices or two gates side by side and says what changed
// beyond noise.
package compare
