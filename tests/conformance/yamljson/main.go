// Command yamljson answers what sigs.k8s.io/yaml makes of texts.
//
// It reads JSON lines {"id", "text"} or {"id", "base64"} and answers each with
// {"id", "json"} or {"id", "error"}, and "strict" where the strict conversion fails
// though the plain one does not. A panic is answered as {"id", "panic"}.
//
// With "file": true it is a file as kubectl reads it (k8s.io/cli-runtime, FileVisitor and StreamVisitor): "bodies" are the objects.
//
// With "split": true the text is a file; the answer is {"id", "bodies"}, what the YAML reader of
// k8s.io/apimachinery cuts it into, and "error" if it stops early.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

type request struct {
	ID     json.RawMessage `json:"id"`
	Text   string          `json:"text"`
	Base64 string          `json:"base64"`
	Split  bool            `json:"split"`
	File   bool            `json:"file"`
}

type answer struct {
	ID     json.RawMessage `json:"id"`
	JSON   *string         `json:"json,omitempty"`
	Error  string          `json:"error,omitempty"`
	Strict string          `json:"strict,omitempty"`
	Panic  string          `json:"panic,omitempty"`
	Bodies []string        `json:"bodies,omitempty"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var r request
			if err := json.Unmarshal(line, &r); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			_ = enc.Encode(reply(r))
		}
		if err != nil {
			return
		}
		// Nobody waits for an answer while more requests are here.
		if in.Buffered() == 0 {
			out.Flush()
		}
	}
}

func reply(r request) (a answer) {
	a.ID = r.ID
	defer func() {
		if p := recover(); p != nil {
			a = answer{ID: r.ID, Panic: fmt.Sprint(p)}
		}
	}()
	var err error
	text := []byte(r.Text)
	if r.Base64 != "" {
		text, err = base64.StdEncoding.DecodeString(r.Base64)
		if err != nil {
			panic(err)
		}
	}
	if r.File {
		a.Bodies, err = objects(text)
		if err != nil {
			a.Error = err.Error()
		}
		return a
	}
	if r.Split {
		a.Bodies, err = split(text)
		if err != nil {
			a.Error = err.Error()
		}
		return a
	}
	j, err := yaml.YAMLToJSON(text)
	if err != nil {
		a.Error = err.Error()
		return a
	}
	s := string(j)
	a.JSON = &s
	if _, err := yaml.YAMLToJSONStrict(text); err != nil {
		a.Strict = err.Error()
	}
	return a
}

// split returns the documents of a file, also those without content.
func split(text []byte) ([]string, error) {
	bodies := []string{}
	reader := utilyaml.NewYAMLReader(bufio.NewReaderSize(bytes.NewReader(text), 1<<16))
	for {
		body, err := reader.Read()
		if err == io.EOF {
			return bodies, nil
		}
		if err != nil {
			return bodies, err
		}
		bodies = append(bodies, string(body))
	}
}

// objects returns the objects of a file as JSON, as kubectl reads them.
func objects(text []byte) ([]string, error) {
	objects := []string{}
	// A byte order mark decides the encoding. Without one it is UTF-8.
	reader := transform.NewReader(bytes.NewReader(text), unicode.BOMOverride(unicode.UTF8.NewDecoder()))
	decoder := utilyaml.NewYAMLOrJSONDecoder(reader, 4096)
	for {
		var object json.RawMessage
		if err := decoder.Decode(&object); err != nil {
			if err == io.EOF {
				return objects, nil
			}
			return objects, err
		}
		object = bytes.TrimSpace(object)
		if len(object) != 0 && !bytes.Equal(object, []byte("null")) {
			objects = append(objects, string(object))
		}
	}
}
