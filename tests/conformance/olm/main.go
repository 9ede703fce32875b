// Says what crdify refuses about updates of CRDs, with the configuration that the Operator Lifecycle Manager has for it.
//
// Reads a JSON object a line, {"old": YAML, "new": YAML}, and writes a line for each: {"refused": [[VERSION, PROPERTY, CHECK], ...]} or
// {"error": WORDS}. As in a cluster, the storage version of the old CRD is stored.
//
// crdify compares messages in which the names of required fields come in random order, and so refuses at random what was already so before.
// What it does not refuse each time is what it means to accept.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/crdify/pkg/config"
	"sigs.k8s.io/crdify/pkg/runner"
	"sigs.k8s.io/crdify/pkg/validations"
	"sigs.k8s.io/crdify/pkg/validations/property"
	"sigs.k8s.io/yaml"
)

type question struct {
	Old string `json:"old"`
	New string `json:"new"`
}

type answer struct {
	Refused [][3]string `json:"refused"`
	Error   string      `json:"error,omitempty"`
}

// What operator-controller passes to crdify (crdupgradesafety.go, defaultConfig).
var olm = &config.Config{
	Conversion:           config.ConversionPolicyIgnore,
	UnhandledEnforcement: config.EnforcementPolicyError,
	Validations: []config.ValidationConfig{
		{Name: "description", Enforcement: config.EnforcementPolicyNone},
		{
			Name:          "enum",
			Enforcement:   config.EnforcementPolicyError,
			Configuration: map[string]interface{}{"additionPolicy": property.AdditionPolicyAllow},
		},
	},
}

func main() {
	run, err := runner.New(olm, runner.DefaultRegistry())
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 256<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		written, err := json.Marshal(ask(run, lines.Bytes()))
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(out, "%s\n", written)
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}

func ask(run *runner.Runner, line []byte) (found answer) {
	defer func() {
		if reason := recover(); reason != nil {
			found = answer{Error: fmt.Sprint(reason)}
		}
	}()
	var asked question
	var before, after apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(line, &asked); err != nil {
		panic(err)
	}
	if err := yaml.Unmarshal([]byte(asked.Old), &before); err != nil {
		return answer{Error: err.Error()}
	}
	if err := yaml.Unmarshal([]byte(asked.New), &after); err != nil {
		return answer{Error: err.Error()}
	}
	for _, version := range before.Spec.Versions {
		if version.Storage && !slices.Contains(before.Status.StoredVersions, version.Name) {
			before.Status.StoredVersions = append(before.Status.StoredVersions, version.Name)
		}
	}
	found.Refused = refusals(run, &before, &after)
	for range 60 {
		again := refusals(run, &before, &after)
		found.Refused = slices.DeleteFunc(found.Refused, func(it [3]string) bool { return !slices.Contains(again, it) })
		if !slices.ContainsFunc(found.Refused, func(it [3]string) bool { return it[2] == "required" && strings.Contains(it[0], " -> ") }) {
			break
		}
	}
	return found
}

func refusals(run *runner.Runner, before, after *apiextensionsv1.CustomResourceDefinition) (found [][3]string) {
	results := run.Run(before, after)
	add := func(version, path string, checks []validations.ComparisonResult) {
		for _, check := range checks {
			for range check.Errors {
				found = append(found, [3]string{version, path, check.Name})
			}
		}
	}
	add("", "", results.CRDValidation)
	for _, versions := range []map[string]map[string][]validations.ComparisonResult{results.SameVersionValidation, results.ServedVersionValidation} {
		for version, properties := range versions {
			for path, checks := range properties {
				add(version, path, checks)
			}
		}
	}
	return found
}
