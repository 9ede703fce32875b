// What controller-gen refuses when it applies markers to types.
//
//	markers types DIR    for each package below a module: the lines and the first words of the errors
//
// It is a file of its own since the table of markers is asked of releases that have another form of parser.
package main

import (
	"encoding/json"
	"os"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// What is refused in one package.
type typesAnswer struct {
	Package string `json:"package"`
	// Where, and the first words: `a.go:7 must apply maximum`.
	Refused []string `json:"refused"`
	// Other errors, which are not about markers.
	Other []string `json:"other"`
}

func init() {
	commands["types"] = types
}

func types(reg *markers.Registry, folder string) error {
	if err := os.Chdir(folder); err != nil {
		return err
	}
	roots, err := loader.LoadRoots("./...")
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for _, root := range roots {
		if !strings.HasPrefix(root.Name, "p") {
			continue
		}
		answer := typesAnswer{Package: root.Name, Refused: []string{}, Other: []string{}}
		// Whether floats are allowed is an option of controller-gen: what both refuse is refused.
		allowed, other := refused(reg, root, true)
		forbidden, _ := refused(reg, root, false)
		for text := range allowed {
			if forbidden[text] {
				answer.Refused = append(answer.Refused, text)
			}
		}
		for text := range other {
			answer.Other = append(answer.Other, text)
		}
		sort.Strings(answer.Other)
		sort.Strings(answer.Refused)
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
	return nil
}

// The errors about markers in a package, and all others.
func refused(reg *markers.Registry, root *loader.Package, allowsFloats bool) (map[string]bool, map[string]bool) {
	root.Errors = nil
	parser := &crd.Parser{
		Collector:           &markers.Collector{Registry: reg},
		Checker:             &loader.TypeChecker{NodeFilters: []loader.NodeFilter{crd.Generator{}.CheckFilter()}},
		AllowDangerousTypes: allowsFloats,
	}
	crd.AddKnownTypes(parser)
	parser.NeedPackage(root)
	if metav1 := crd.FindMetav1([]*loader.Package{root}); metav1 != nil {
		for _, kind := range crd.FindKubeKinds(parser, metav1) {
			parser.NeedCRDFor(kind, nil)
		}
	}
	refused, other := map[string]bool{}, map[string]bool{}
	for _, one := range root.Errors {
		if !isOfMarker(one.Msg) {
			other[lineOf(one)+" "+one.Msg] = true
			continue
		}
		refused[lineOf(one)+" "+short(one.Msg)] = true
	}
	return refused, other
}

// The first words of an error. Whether a marker is refused for its type or for its value may depend on the option, and a type that writes
// its own JSON may have both.
func short(message string) string {
	for _, name := range []string{"listType", "mapType", "structType"} {
		if strings.HasPrefix(message, strings.ToUpper(name[:1])+name[1:]+" must be") {
			return "must apply " + name
		}
	}
	if strings.HasPrefix(message, "invalid reason") {
		return "invalid reason"
	}
	words := strings.Fields(strings.Replace(message, "cannot apply non-integral", "must apply", 1))
	return strings.Join(words[:min(3, len(words))], " ")
}

// The file and the line of an error.
func lineOf(err packages.Error) string {
	parts := strings.Split(err.Pos, ":")
	if len(parts) < 2 {
		return err.Pos
	}
	path := strings.Split(parts[0], "/")
	return path[len(path)-1] + ":" + parts[1]
}

func isOfMarker(message string) bool {
	for _, start := range []string{"must apply ", "cannot apply ", "ListType must", "MapType must", "StructType must", "invalid reason", "k8s:enum must", "enum type must"} {
		if strings.HasPrefix(message, start) {
			return true
		}
	}
	return false
}
