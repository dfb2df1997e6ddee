//go:build built && linux

package preload

import "embed"

// files holds the libraries that a release brings along (.ci/release).
//
//go:embed built
var files embed.FS

func init() { built = files }
