package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"text/template"

	_ "unsafe" // for go:linkname

	_ "helm.sh/helm/v3/pkg/engine"
	_ "helm.sh/helm/v4/pkg/engine"
)

// helm3Functions is what Helm 3 gives to templates besides Go's own functions.
//
//go:linkname helm3Functions helm.sh/helm/v3/pkg/engine.funcMap
func helm3Functions() template.FuncMap

// helm4Functions is what Helm 4 gives to templates.
//
//go:linkname helm4Functions helm.sh/helm/v4/pkg/engine.funcMap
func helm4Functions() template.FuncMap

// helmFunctions are the functions of both. A chart may be for either.
var helmFunctions = func() template.FuncMap {
	all := helm3Functions()
	for name, function := range helm4Functions() {
		all[name] = function
	}
	return all
}()

// goFunctions are the names of Go's own functions, as its source has them: nothing exports them.
func goFunctions() []string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot ask go for its sources:", err)
		os.Exit(1)
	}
	path := filepath.Join(strings.TrimSpace(string(root)), "src/text/template/funcs.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var names []string
	for _, declaration := range file.Decls {
		function, is := declaration.(*ast.FuncDecl)
		if !is || function.Name.Name != "builtins" {
			continue
		}
		ast.Inspect(function, func(node ast.Node) bool {
			if pair, is := node.(*ast.KeyValueExpr); is {
				if name, is := pair.Key.(*ast.BasicLit); is {
					text, _ := strconv.Unquote(name.Value)
					names = append(names, text)
				}
			}
			return true
		})
	}
	return names
}

// functions prints the names of all functions, one a line.
func functions() {
	names := goFunctions()
	for name := range helmFunctions {
		names = append(names, name)
	}
	sort.Strings(names)
	last := ""
	for _, name := range names {
		// A name that the parser does not know is none.
		if _, err := template.New("").Funcs(helmFunctions).Parse("{{ " + name + " }}"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if name != last {
			fmt.Println(name)
		}
		last = name
	}
}

// parsed is what Go says of a text that it cannot parse: its line, and the words after it. The line is 0 if it can.
type parsed struct {
	Line  int    `json:"line"`
	Words string `json:"words"`
}

// parseText parses a text as Helm does.
func parseText(name, text string) parsed {
	_, err := template.New("gotpl").Funcs(helmFunctions).New(name).Parse(text)
	if err == nil {
		return parsed{}
	}
	rest := strings.TrimPrefix(err.Error(), "template: "+name+":")
	line, words, _ := strings.Cut(rest, ": ")
	number, err := strconv.Atoi(line)
	if err != nil {
		return parsed{Line: -1, Words: rest}
	}
	return parsed{Line: number, Words: words}
}
