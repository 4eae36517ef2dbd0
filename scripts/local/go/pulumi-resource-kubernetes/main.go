// The real Kubernetes plugin of Pulumi. Its own main embeds files that are
// generated at release time. The schema is also in the Go module, without its
// version; here it is a file beside the program. Only programs in YAML and
// imports need it, so it is mapped and not read.
package main

import (
	"log"
	"os"
	"path/filepath"
	"syscall"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

func main() {
	schema, err := mapBeside("schema.json")
	if err != nil {
		log.Fatal(err)
	}
	provider.Serve("kubernetes", version.Version, schema, []byte("{}"))
}

func mapBeside(name string) ([]byte, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(filepath.Join(filepath.Dir(program), name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return syscall.Mmap(int(file.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
}
