// Command kustomize-oracle answers with kustomize's own code.
//
//	oracle build   reads requests {"id", "files": {path: text}, "root"}, one on each line, and writes {"id", "objects"} or {"id", "error"}
//	oracle facts   writes what kustomize knows of Kubernetes' own kinds: field specs, merge keys, cluster-scoped kinds
//
// The module's path lies below kustomize's, so that the default field specs can be read: they are in an internal package.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/yaml"
)

type request struct {
	ID    string            `json:"id"`
	Files map[string]string `json:"files"`
	Root  string            `json:"root"`
}

type answer struct {
	ID      string            `json:"id"`
	Objects []json.RawMessage `json:"objects"`
	Error   string            `json:"error,omitempty"`
}

// build is what a client of the API server makes of the text that kustomize prints.
func build(asked request) (objects []json.RawMessage, err error) {
	defer func() {
		if failed := recover(); failed != nil {
			err = fmt.Errorf("panic: %v", failed)
		}
	}()
	fs := filesys.MakeFsInMemory()
	for path, text := range asked.Files {
		if err := fs.MkdirAll(filepath.Dir(path)); err != nil {
			return nil, err
		}
		if err := fs.WriteFile(path, []byte(text)); err != nil {
			return nil, err
		}
	}
	// A schema that an earlier request named stays.
	openapi.ResetOpenAPI()
	options := krusty.MakeDefaultOptions()
	// Where files may lie is a setting of the command.
	options.LoadRestrictions = types.LoadRestrictionsNone
	built, err := krusty.MakeKustomizer(options).Run(fs, asked.Root)
	if err != nil {
		return nil, err
	}
	objects = []json.RawMessage{}
	for _, object := range built.Resources() {
		text, err := object.AsYAML()
		if err != nil {
			return nil, err
		}
		value, err := yaml.YAMLToJSON(text)
		if err != nil {
			return nil, err
		}
		objects = append(objects, value)
	}
	return objects, nil
}

func main() {
	// Warnings of deprecated fields are no answers.
	log.SetOutput(io.Discard)
	if len(os.Args) == 2 && os.Args[1] == "facts" {
		facts()
		return
	}
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	stderr := os.Stderr
	os.Stderr, _ = os.Open(os.DevNull)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var asked request
			if err := json.Unmarshal(line, &asked); err != nil {
				fmt.Fprintln(stderr, "not a request:", err)
				os.Exit(2)
			}
			objects, err := build(asked)
			answer := answer{ID: asked.ID, Objects: objects}
			if err != nil {
				answer.Error = err.Error()
			}
			if err := answers.Encode(answer); err != nil {
				fmt.Fprintln(stderr, err)
				os.Exit(1)
			}
		}
		if err != nil {
			return
		}
	}
}
