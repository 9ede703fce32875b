// Answers with Flux's own code: what it makes of a text with variables. Reads and writes JSON lines.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/fluxcd/pkg/envsubst"
)

type request struct {
	Text      string            `json:"text"`
	Variables map[string]string `json:"variables"`
}

type answer struct {
	Text  string `json:"text"`
	Error string `json:"error,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if err := out.Encode(substitute(asked)); err != nil {
			panic(err)
		}
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}

func substitute(asked request) (said answer) {
	defer func() {
		if panicked := recover(); panicked != nil {
			said = answer{Error: fmt.Sprintf("panic: %v", panicked)}
		}
	}()
	text, err := envsubst.Eval(asked.Text, func(name string) (string, bool) {
		value, exists := asked.Variables[name]
		return value, exists
	})
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Text: text}
}
