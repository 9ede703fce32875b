// Command formats answers whether values have string formats, one JSON object a line:
//
//	{"format":…,"values":[…]} -> [true,false,…], or null for a format that does not exist
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	enc := json.NewEncoder(out)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var req struct {
				Format string   `json:"format"`
				Values []string `json:"values"`
			}
			if err := json.Unmarshal(line, &req); err != nil {
				panic(err)
			}
			var answer []bool
			if strfmt.Default.ContainsName(req.Format) {
				answer = []bool{}
				for _, value := range req.Values {
					answer = append(answer, strfmt.Default.Validates(req.Format, value))
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
