// What controller-gen makes of markers: the table of those that it knows, and what it reads in files.
//
//	markers table        each marker: name, target, arguments
//	markers files DIR    for each Go file right in a folder: what belongs to what, and which lines are refused
//	markers types DIR    see types.go
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/rbac"
	"sigs.k8s.io/controller-tools/pkg/webhook"
)

func registry() (*markers.Registry, error) {
	reg := &markers.Registry{}
	for _, gen := range []genall.Generator{crd.Generator{}, deepcopy.Generator{}, rbac.Generator{}, webhook.Generator{}} {
		if err := gen.RegisterMarkers(reg); err != nil {
			return nil, err
		}
	}
	return reg, nil
}

func table(reg *markers.Registry) {
	var lines []string
	for _, def := range reg.AllDefinitions() {
		var args []string
		for name, arg := range def.Fields {
			optional := ""
			if arg.Optional {
				optional = "?"
			}
			args = append(args, fmt.Sprintf("%s%s:%s", name, optional, arg.TypeString()))
		}
		sort.Strings(args)
		lines = append(lines, fmt.Sprintf("%s\t%v\t%s", def.Name, def.Target, strings.Join(args, " ")))
	}
	sort.Strings(lines)
	fmt.Println(strings.Join(lines, "\n"))
}

// What is read in one file.
type answer struct {
	File    string         `json:"file"`
	Belongs map[string]int `json:"belongs"`
	Refused []int          `json:"refused"`
}

// The places of the markers that an error is about.
func positions(err error, found map[token.Pos]bool) {
	switch err := err.(type) {
	case loader.ErrList:
		for _, one := range err {
			positions(one, found)
		}
	case loader.PositionedError:
		found[err.Pos] = true
	}
}

// Each file is a package of its own, so that no other file changes the answer.
func file(reg *markers.Registry, path string) (*answer, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
	if err != nil {
		return nil, nil
	}
	pkg := &loader.Package{Package: &packages.Package{ID: path, Name: syntax.Name.Name, Fset: fset, Syntax: []*ast.File{syntax}}}
	found := &answer{File: filepath.Base(path), Belongs: map[string]int{}, Refused: []int{}}
	var byNode map[ast.Node]markers.MarkerValues
	for {
		collector := &markers.Collector{Registry: reg}
		byNode, err = collector.MarkersInPackage(pkg)
		if err == nil {
			break
		}
		// What is refused is taken out, since controller-gen then says nothing of the rest.
		refused := map[token.Pos]bool{}
		positions(err, refused)
		if len(refused) == 0 {
			return nil, err
		}
		for pos := range refused {
			found.Refused = append(found.Refused, fset.Position(pos).Line)
		}
		for _, group := range syntax.Comments {
			for _, comment := range group.List {
				if refused[comment.Pos()] {
					comment.Text = "// refused"
				}
			}
		}
	}
	for node, values := range byNode {
		target := "type"
		switch node.(type) {
		case *ast.File:
			target = "package"
		case *ast.Field:
			target = "field"
		}
		for name, all := range values {
			found.Belongs[target+" "+name] += len(all)
		}
	}
	sort.Ints(found.Refused)
	return found, nil
}

// What other files of this program do.
var commands = map[string]func(*markers.Registry, string) error{}

func run() error {
	reg, err := registry()
	if err != nil {
		return err
	}
	if len(os.Args) == 2 && os.Args[1] == "table" {
		table(reg)
		return nil
	}
	if len(os.Args) == 3 && commands[os.Args[1]] != nil {
		return commands[os.Args[1]](reg, os.Args[2])
	}
	if len(os.Args) != 3 || os.Args[1] != "files" {
		return fmt.Errorf("usage: markers table | markers files DIR")
	}
	paths, err := filepath.Glob(filepath.Join(os.Args[2], "*.go"))
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for _, path := range paths {
		found, err := file(reg, path)
		if err != nil {
			return err
		}
		if found != nil {
			if err := out.Encode(found); err != nil {
				return err
			}
		}
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
