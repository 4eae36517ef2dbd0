// The real Kubernetes plugin of Pulumi. Its own main embeds schema files that
// are generated at release time and so are in no Go module; the engine asks
// for them only when code is generated, hence the empty ones.
package main

import (
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

func main() {
	provider.Serve("kubernetes", version.Version, []byte("{}"), []byte("{}"))
}
