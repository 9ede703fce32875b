// Command helm-oracle renders charts with Helm's own code.
//
//	oracle functions   writes the names of the functions that templates may call
//	oracle             answers requests
//
// Requests are {"id", "files": {path: text}, "values": [values]}, one on each line. The answers are {"id", "rendered"}. For each of the values,
// "rendered" has {"files": {path: text}}, or {"error"} if Helm renders nothing. Paths are relative to the chart.
//
// For a request with "parse": true, the answer has "parsed" instead: {"line", "words"} for each file that Go cannot parse.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

type request struct {
	ID     string            `json:"id"`
	Files  map[string]string `json:"files"`
	Values []map[string]any  `json:"values"`
	Parse  bool              `json:"parse"`
}

type rendered struct {
	Files map[string]string `json:"files"`
	Error string            `json:"error,omitempty"`
}

type answer struct {
	ID       string     `json:"id"`
	Rendered []rendered `json:"rendered"`
	// What Go says of the files that it cannot parse.
	Parsed map[string]parsed `json:"parsed,omitempty"`
}

// render is what `helm template` prints for some values, by file.
func render(asked request, values map[string]any) (files map[string]string, err error) {
	defer func() {
		if failed := recover(); failed != nil {
			err = fmt.Errorf("panic: %v", failed)
		}
	}()
	var read []*loader.BufferedFile
	for path, text := range asked.Files {
		read = append(read, &loader.BufferedFile{Name: path, Data: []byte(text)})
	}
	// Rendering changes a chart, so each rendering has its own.
	chart, err := loader.LoadFiles(read)
	if err != nil {
		return nil, err
	}
	if err := chartutil.ProcessDependenciesWithMerge(chart, values); err != nil {
		return nil, err
	}
	options := chartutil.ReleaseOptions{Name: "release", Namespace: "default", Revision: 1, IsInstall: true}
	given, err := chartutil.ToRenderValues(chart, values, options, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	printed, err := engine.Render(chart, given)
	if err != nil {
		return nil, err
	}
	files = map[string]string{}
	for path, text := range printed {
		files[strings.TrimPrefix(path, chart.Name()+"/")] = text
	}
	return files, nil
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "functions" {
		functions()
		return
	}
	// Warnings about values are not answers.
	log.SetOutput(io.Discard)
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			var asked request
			if err := json.Unmarshal(line, &asked); err != nil {
				fmt.Fprintln(os.Stderr, "not a request:", err)
				os.Exit(2)
			}
			answer := answer{ID: asked.ID}
			if asked.Parse {
				answer.Parsed = map[string]parsed{}
				for path, text := range asked.Files {
					if found := parseText(path, text); found.Line != 0 {
						answer.Parsed[path] = found
					}
				}
				asked.Values = nil
			}
			for _, values := range asked.Values {
				files, err := render(asked, values)
				one := rendered{Files: files}
				if err != nil {
					one.Error = err.Error()
				}
				answer.Rendered = append(answer.Rendered, one)
			}
			if err := answers.Encode(answer); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		if err != nil {
			return
		}
	}
}
