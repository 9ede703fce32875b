// What `kubectl explain` prints for custom resources: kubectl's own templates
// over the document that the API server publishes for a CRD.
//
//	explain            answers requests on standard input, one JSON object a line
//	explain metadata   prints the published schemas of metadata
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/openapi"
	explain "k8s.io/kubectl/pkg/explain/v2"
	kjson "sigs.k8s.io/json"
)

// request asks about fields of one version of a CRD.
type request struct {
	ID        string          `json:"id"`
	CRD       json.RawMessage `json:"crd"`
	Version   string          `json:"version"`
	Questions []question      `json:"questions"`
}

type question struct {
	Path      []string `json:"path"`
	Recursive bool     `json:"recursive"`
	MaxDepth  int      `json:"maxDepth"`
}

type answer struct {
	ID      string   `json:"id"`
	Answers []result `json:"answers,omitempty"`
	Error   string   `json:"error,omitempty"`
}

type result struct {
	Text  string `json:"text"`
	Error string `json:"error,omitempty"`
}

// client is an API server that publishes one document.
type client struct {
	path     string
	document []byte
}

func (c client) Paths() (map[string]openapi.GroupVersion, error) {
	return map[string]openapi.GroupVersion{c.path: c}, nil
}

func (c client) Schema(string) ([]byte, error) { return c.document, nil }

func (c client) ServerRelativeURL() string { return "" }

func document(data []byte, version string) (*apiextensionsv1.CustomResourceDefinition, []byte, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, crd); err != nil {
		return nil, nil, err
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(crd)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
	spec, err := builder.BuildOpenAPIV3(crd, version, builder.Options{V2: false, IncludeSelectableFields: true})
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(spec)
	return crd, text, err
}

func answerTo(line []byte) (out answer) {
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		return answer{Error: err.Error()}
	}
	out.ID = req.ID
	defer func() {
		if failed := recover(); failed != nil {
			out.Error = fmt.Sprint("panic: ", failed)
		}
	}()
	crd, text, err := document(req.CRD, req.Version)
	if err != nil {
		out.Error = err.Error()
		return out
	}
	gvr := schema.GroupVersionResource{Group: crd.Spec.Group, Version: req.Version, Resource: crd.Spec.Names.Plural}
	server := client{path: "apis/" + gvr.Group + "/" + gvr.Version, document: text}
	for _, q := range req.Questions {
		var printed bytes.Buffer
		err := explain.PrintModelDescription(q.Path, &printed, server, gvr, q.Recursive, q.MaxDepth, "plaintext")
		if err != nil {
			// kubectl has printed the first lines by then.
			out.Answers = append(out.Answers, result{Error: err.Error()})
			continue
		}
		out.Answers = append(out.Answers, result{Text: printed.String()})
	}
	return out
}

// metadata prints the schemas that every document has for metadata, by their names.
func metadata() error {
	const crd = `{"spec": {"group": "a.b", "scope": "Namespaced", "names": {"plural": "cs", "kind": "C"},
		"versions": [{"name": "v1", "served": true, "storage": true}]}}`
	_, text, err := document([]byte(crd), "v1")
	if err != nil {
		return err
	}
	var whole struct {
		Components struct {
			Schemas map[string]any `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		return err
	}
	const prefix = "io.k8s.apimachinery.pkg.apis.meta.v1."
	found := map[string]any{}
	var add func(name string)
	add = func(name string) {
		if _, known := found[name]; known || whole.Components.Schemas[name] == nil {
			return
		}
		found[name] = whole.Components.Schemas[name]
		inside, _ := json.Marshal(found[name])
		for _, part := range strings.Split(string(inside), "#/components/schemas/")[1:] {
			add(part[:strings.Index(part, `"`)])
		}
	}
	add(prefix + "ObjectMeta")
	pretty := json.NewEncoder(os.Stdout)
	pretty.SetEscapeHTML(false)
	pretty.SetIndent("", "  ")
	return pretty.Encode(found)
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "metadata" {
		if err := metadata(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := out.Encode(answerTo(line)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(2)
			}
		}
		if err != nil {
			return
		}
	}
}
