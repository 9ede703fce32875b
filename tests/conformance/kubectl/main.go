// Kubectl, as its project builds it.
package main

import (
	"os"

	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if err := cmd.NewDefaultKubectlCommand().Execute(); err != nil {
		util.CheckErr(err)
	}
	os.Exit(0)
}
