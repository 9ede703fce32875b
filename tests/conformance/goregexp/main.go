// Command goregexp answers what Go's regexp makes of patterns, one JSON object a line:
//
//	{"pattern":…,"texts":[…]} -> {"error":…} or {"all":[[[start,end],…],…]}
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
)

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var req struct {
				Pattern string   `json:"pattern"`
				Texts   []string `json:"texts"`
			}
			if err := json.Unmarshal(line, &req); err != nil {
				panic(err)
			}
			var answer struct {
				Error *string   `json:"error,omitempty"`
				All   [][][]int `json:"all,omitempty"`
			}
			re, err := regexp.Compile(req.Pattern)
			if err != nil {
				text := err.Error()
				answer.Error = &text
			} else {
				for _, text := range req.Texts {
					found := re.FindAllStringIndex(text, -1)
					if found == nil {
						found = [][]int{}
					}
					answer.All = append(answer.All, found)
				}
			}
			if err := enc.Encode(answer); err != nil {
				panic(err)
			}
		}
		if err != nil {
			return
		}
	}
}
