package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/api/internal/plugins/builtinconfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// facts prints one fact a line, its words separated by spaces:
//
//	cluster API_VERSION KIND            a kind without namespaces
//	kind API_VERSION KIND DEFINITION    the definition that describes a kind
//	field DEFINITION FIELD CHILD KEYS   a field; the definition of its value, items or values (- if none matters), and how lists
//	                                    are merged: "-" replaced, "*" merged as sets, else the merge keys, separated by commas
//	SPEC GROUP VERSION KIND PATH CREATE a field spec (group, version and kind: - for any)
//	reference GROUP VERSION KIND        the target of the nameReference specs that follow
func facts() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	specs(out)
	openapi.SchemaForResourceType(yaml.TypeMeta{APIVersion: "v1", Kind: "Pod"})
	root := openapi.Schema()
	var names []string
	for name := range root.Definitions {
		names = append(names, name)
	}
	sort.Strings(names)
	matters := mattering(root, names)
	var lines []string
	for _, name := range names {
		definition := root.Definitions[name]
		kinds, _ := definition.Extensions["x-kubernetes-group-version-kind"].([]interface{})
		for _, it := range kinds {
			kind, ok := it.(map[string]interface{})
			if !ok {
				continue
			}
			version := fmt.Sprint(kind["version"])
			if group := fmt.Sprint(kind["group"]); group != "" {
				version = group + "/" + version
			}
			meta := yaml.TypeMeta{APIVersion: version, Kind: fmt.Sprint(kind["kind"])}
			if openapi.IsCertainlyClusterScoped(meta) {
				lines = append(lines, fmt.Sprintf("cluster %s %s", meta.APIVersion, meta.Kind))
			}
			if matters[name] {
				lines = append(lines, fmt.Sprintf("kind %s %s %s", meta.APIVersion, meta.Kind, name))
			}
		}
		if !matters[name] {
			continue
		}
		for _, field := range fields(definition) {
			schema := property(definition, field)
			child, keys := childOf(root, &schema), "-"
			rs := openapi.ResourceSchema{Schema: resolved(root, &schema)}
			if strategy, found := rs.PatchStrategyAndKeyList(); strings.Contains(","+strategy+",", ",merge,") {
				keys = "*"
				if len(found) > 0 {
					keys = strings.Join(found, ",")
				}
			}
			if child == "" || !matters[child] {
				child = "-"
			}
			if child != "-" || keys != "-" {
				lines = append(lines, fmt.Sprintf("field %s %s %s %s", name, field, child, keys))
			}
		}
	}
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Fprintln(out, strings.ReplaceAll(line, "io.k8s.", ""))
	}
}

// mattering are the definitions below which some list is merged.
func mattering(root *spec.Schema, names []string) map[string]bool {
	found := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for _, name := range names {
			if found[name] {
				continue
			}
			definition := root.Definitions[name]
			for _, field := range fields(definition) {
				schema := property(definition, field)
				rs := openapi.ResourceSchema{Schema: resolved(root, &schema)}
				strategy, _ := rs.PatchStrategyAndKey()
				if strings.Contains(","+strategy+",", ",merge,") || found[childOf(root, &schema)] {
					found[name], changed = true, true
					break
				}
			}
		}
	}
	return found
}

func fields(definition spec.Schema) []string {
	var names []string
	for name := range definition.Properties {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func property(definition spec.Schema, field string) spec.Schema {
	return definition.Properties[field]
}

func resolved(root, schema *spec.Schema) *spec.Schema {
	for schema.Ref.String() != "" {
		next, err := openapi.Resolve(&schema.Ref, root)
		if err != nil {
			return schema
		}
		schema = next
	}
	return schema
}

// childOf is the definition of a value, of the items of a list, or of the values of a map.
func childOf(root, schema *spec.Schema) string {
	for schema != nil {
		if name := strings.TrimPrefix(schema.Ref.String(), "#/definitions/"); name != "" {
			return name
		}
		switch {
		case schema.Items != nil && schema.Items.Schema != nil:
			schema = schema.Items.Schema
		case schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil:
			schema = schema.AdditionalProperties.Schema
		default:
			return ""
		}
	}
	return ""
}

func specs(out *bufio.Writer) {
	config := builtinconfig.MakeDefaultConfig()
	dash := func(text string) string {
		if text == "" {
			return "-"
		}
		return text
	}
	print := func(name string, list types.FsSlice) {
		for _, it := range list {
			fmt.Fprintln(out, name, dash(it.Group), dash(it.Version), dash(it.Kind), it.Path, it.CreateIfNotPresent)
		}
	}
	print("namePrefix", config.NamePrefix)
	print("nameSuffix", config.NameSuffix)
	print("namespace", config.NameSpace)
	print("commonLabels", config.CommonLabels)
	print("labels", config.Labels)
	print("templateLabels", config.TemplateLabels)
	print("volumeClaimTemplateLabels", config.VolumeClaimTemplateLabels)
	print("commonAnnotations", config.CommonAnnotations)
	print("varReference", config.VarReference)
	print("images", config.Images)
	print("replicas", config.Replicas)
	for _, it := range config.NameReference {
		fmt.Fprintln(out, "reference", dash(it.Group), dash(it.Version), dash(it.Kind))
		print("nameReference", it.Referrers)
	}
}
