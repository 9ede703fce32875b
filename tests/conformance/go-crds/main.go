// Writes the CRDs that controller-gen's own code makes of the packages in a folder: `go-crds FOLDER OUT [PACKAGE...]`, of all packages if none is
// named. Prints the paths of packages that it refuses something of, one a line, and on standard error what it says.
//
// With `-each OPTIONS`, it makes the CRDs of each package alone, with the given options of controller-gen's `crd` marker. They are written to
// `OUT/RUN/NAME`, where NAME is the name of the package's folder. For each package, it prints two lines with JSON objects: NAME and what Go's type checker
// says, and what controller-gen says. The second is missing if controller-gen overflows its stack, which ends the program. `-runs N` makes the CRDs N
// times, because controller-gen iterates over Go maps.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// none is what no options look like.
const none = "-"

func main() {
	each := flag.String("each", none, "make the CRDs of each package alone, with these options")
	runs := flag.Int("runs", 1, "how often the CRDs are made")
	flag.Parse()
	arguments := flag.Args()
	act := together
	if *each != none {
		act = func(folder, out string, packages []string) error {
			return alone(folder, out, packages, *each, *runs)
		}
	}
	if err := act(arguments[0], arguments[1], arguments[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// making is what the packages of a folder are made with.
type making struct {
	registry  *markers.Registry
	collector *markers.Collector
	checker   *loader.TypeChecker
	roots     []*loader.Package
}

func load(folder string, packages []string, generator crd.Generator) (*making, error) {
	if err := os.Chdir(folder); err != nil {
		return nil, err
	}
	registry := &markers.Registry{}
	if err := generator.RegisterMarkers(registry); err != nil {
		return nil, err
	}
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	roots, err := loader.LoadRoots(packages...)
	if err != nil {
		return nil, err
	}
	return &making{
		registry:  registry,
		collector: &markers.Collector{Registry: registry},
		checker:   &loader.TypeChecker{NodeFilters: []loader.NodeFilter{generator.CheckFilter()}},
		roots:     roots,
	}, nil
}

func (m *making) generate(generator crd.Generator, roots []*loader.Package, out string) error {
	return generator.Generate(&genall.GenerationContext{
		Collector:  m.collector,
		Roots:      roots,
		InputRule:  genall.InputFromFileSystem,
		OutputRule: genall.OutputToDirectory(out),
		Checker:    m.checker,
	})
}

func together(folder, out string, packages []string) error {
	generator := crd.Generator{}
	making, err := load(folder, packages, generator)
	if err != nil {
		return err
	}
	if err := making.generate(generator, making.roots, out); err != nil {
		return err
	}
	for _, root := range making.roots {
		if len(root.Errors) > 0 {
			fmt.Println(root.PkgPath)
			for _, refused := range root.Errors {
				fmt.Fprintf(os.Stderr, "%s: %s\n", root.PkgPath, refused.Msg)
			}
		}
	}
	return nil
}

// stack is the size of a stack that no package needs which has an answer.
const stack = 64 << 20

// checked is what Go's parser and type checker say of a package.
type checked struct {
	Name  string   `json:"name"`
	Types []string `json:"types"`
}

// answer is what controller-gen says of a package.
type answer struct {
	Refused []string `json:"refused"`
	// Places has the place of each error, or nothing if the error has none.
	Places []string `json:"places"`
	// Crash is how controller-gen panics.
	Crash string `json:"crash,omitempty"`
}

func alone(folder, out string, paths []string, options string, runs int) error {
	definition, err := markers.MakeDefinition("crd", markers.DescribesPackage, crd.Generator{})
	if err != nil {
		return err
	}
	marker := "+crd"
	if options != "" {
		marker += ":" + options
	}
	parsed, err := definition.Parse(marker)
	if err != nil {
		return err
	}
	generator := parsed.(crd.Generator)
	making, err := load(folder, paths, generator)
	if err != nil {
		return err
	}
	debug.SetMaxStack(stack)
	encoder := json.NewEncoder(os.Stdout)
	for _, root := range making.roots {
		making.checker.Check(root)
		checked := checked{Name: path.Base(root.PkgPath), Types: []string{}}
		isEndless := false
		for _, refused := range root.Errors {
			checked.Types = append(checked.Types, refused.Msg)
			isEndless = isEndless || strings.Contains(refused.Msg, "invalid recursive type")
		}
		if err := encoder.Encode(checked); err != nil {
			return err
		}
		root.Errors = nil
		answer := answer{Refused: []string{}, Places: []string{}}
		for run := range runs {
			folder := filepath.Join(out, strconv.Itoa(run), checked.Name)
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
			if !isEndless {
				making.one(&answer, generator, root, folder)
			}
		}
		for _, refused := range root.Errors {
			answer.Refused = append(answer.Refused, refused.Msg)
			answer.Places = append(answer.Places, refused.Pos)
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
	return nil
}

// one makes the CRDs of a package.
func (m *making) one(answer *answer, generator crd.Generator, root *loader.Package, out string) {
	defer func() {
		if crash := recover(); crash != nil {
			answer.Crash = fmt.Sprint(crash)
		}
	}()
	if err := m.generate(generator, []*loader.Package{root}, out); err != nil {
		answer.Refused = append(answer.Refused, err.Error())
		answer.Places = append(answer.Places, "")
	}
}
