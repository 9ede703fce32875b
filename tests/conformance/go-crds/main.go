// Writes the CRDs that controller-gen's own code makes of the packages in a folder: `go-crds FOLDER OUT [PACKAGE...]`, of all packages if none is
// named. Prints the paths of packages that it refuses something of, one a line, and on standard error what it says.
package main

import (
	"fmt"
	"os"

	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder, out string, packages []string) error {
	if err := os.Chdir(folder); err != nil {
		return err
	}
	registry := &markers.Registry{}
	generator := crd.Generator{}
	if err := generator.RegisterMarkers(registry); err != nil {
		return err
	}
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	roots, err := loader.LoadRoots(packages...)
	if err != nil {
		return err
	}
	context := genall.GenerationContext{
		Collector:  &markers.Collector{Registry: registry},
		Roots:      roots,
		InputRule:  genall.InputFromFileSystem,
		OutputRule: genall.OutputToDirectory(out),
		Checker:    &loader.TypeChecker{NodeFilters: []loader.NodeFilter{generator.CheckFilter()}},
	}
	if err := generator.Generate(&context); err != nil {
		return err
	}
	for _, root := range roots {
		if len(root.Errors) > 0 {
			fmt.Println(root.PkgPath)
			for _, refused := range root.Errors {
				fmt.Fprintf(os.Stderr, "%s: %s\n", root.PkgPath, refused.Msg)
			}
		}
	}
	return nil
}
