// Package compare compares two runs, two matrices or two gates and reports the changes that are
// more than noise.
package compare
