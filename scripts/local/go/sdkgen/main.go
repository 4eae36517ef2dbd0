// Makes the SDK of a language from a Pulumi schema: sdkgen LANGUAGE SCHEMA FOLDER.
// Pulumi's CLI asks a language host for this. The last hosts in a Go module, those of 3.65, can't do it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "sdkgen"

var languages = map[string]func(*schema.Package) (map[string][]byte, error){
	"go": func(pkg *schema.Package) (map[string][]byte, error) {
		return golang.GeneratePackage(tool, pkg, nil)
	},
	"python": func(pkg *schema.Package) (map[string][]byte, error) {
		return python.GeneratePackage(tool, pkg, nil, nil)
	},
}

func main() {
	if len(os.Args) != 4 {
		fail(errors.New("usage: sdkgen LANGUAGE SCHEMA FOLDER"))
	}
	generate, known := languages[os.Args[1]]
	if !known {
		fail(fmt.Errorf("language %q is unknown; it must be go or python", os.Args[1]))
	}
	pkg, err := read(os.Args[2])
	if err != nil {
		fail(err)
	}
	files, err := generate(pkg)
	if err != nil {
		fail(err)
	}
	for name, content := range files {
		if err := write(filepath.Join(os.Args[3], name), content); err != nil {
			fail(err)
		}
	}
}

// read binds the schema, with its warnings as errors.
func read(file string) (*schema.Package, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	pkg, problems, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	var all []error
	for _, problem := range problems {
		all = append(all, problem)
	}
	return pkg, errors.Join(all...)
}

func write(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
