//! Tests that schema paths lead to the right fields and markers, in a repository that exists only in memory.

use std::{collections::BTreeMap, path::Path, path::PathBuf, sync::Arc};

use crd_analyzer_gosource::{Folders, Kind, Module, Step, marker_for, root_of};

struct Memory(BTreeMap<PathBuf, &'static str>);

impl Folders for Memory {
    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let below = self.0.keys().filter_map(|it| it.strip_prefix(folder).ok());
        let mut names: Vec<(String, bool)> = below
            .filter_map(|it| {
                let mut parts = it.components();
                let first = parts.next()?.as_os_str().to_str()?.to_owned();
                Some((first, parts.next().is_some()))
            })
            .collect();
        names.dedup();
        names
    }

    fn read(&self, file: &Path) -> Option<String> {
        self.0.get(file).map(|it| (*it).to_owned())
    }
}

const TYPES: &str = r#"package v1

import (
	"example.com/operator/api/shared"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Port is a number.
// +kubebuilder:validation:Minimum=1
type Port int32

type (
	// Hosts are names.
	// +kubebuilder:validation:MaxItems=8
	Hosts []string
)

type Common struct {
	// +kubebuilder:validation:Enum=a;b
	Mode string `json:"mode"`
}

// +kubebuilder:validation:XValidation:rule="self.min <= self.max",message="the wrong way round"
// +kubebuilder:validation:XValidation:rule="self.name != \"x\""
type CronTabSpec struct {
	Common `json:",inline"`

	// How many.
	// +kubebuilder:validation:Maximum=10
	Replicas *int32 `json:"replicas,omitempty"`
	Hosts    Hosts  `json:"hosts" protobuf:"bytes,1"` // not a marker

	Ports    []Port            `json:"ports"`
	Labels   map[string]string `json:"labels"`
	Nested   struct {
		// +optional
		Deep []*shared.Thing `json:"deep"`
	} `json:"nested"`
	Template corev1.PodTemplateSpec `json:"template"`
	Loop     *CronTabSpec           `json:"loop"`
}

// +kubebuilder:object:root=true
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp

// CronTab runs.
type CronTab struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec CronTabSpec `json:"spec"`
}
"#;

fn module() -> Module {
    let files = [
        ("/w/go.mod", "module example.com/operator\n\ngo 1.24\n"),
        ("/w/.git/HEAD", "ref\n"),
        ("/w/api/v1/crontab_types.go", TYPES),
        (
            "/w/api/v1/groupversion_info.go",
            "// +groupName:=example.com\n// +versionName:=v1\npackage v1\n",
        ),
        (
            "/w/api/v1/crontab_types_test.go",
            "package v1\ntype CronTab struct { Wrong int }\n",
        ),
        (
            "/w/vendor/other/v1/types.go",
            "package v1\ntype CronTab struct { Wrong int `json:\"spec\"` }\n",
        ),
        (
            "/w/api/shared/thing.go",
            "package shared\n\ntype Thing struct {\n\t// +kubebuilder:validation:Pattern=`^a$`\n\tName string `json:\"name\"`\n}\n",
        ),
    ];
    let files = files.map(|(path, text)| (PathBuf::from(path), text));
    let memory = Memory(files.into());
    assert_eq!(
        root_of(Path::new("/w/config/crd/bases/x.yaml"), &memory),
        Some("/w".into())
    );
    assert_eq!(root_of(Path::new("/other/x.yaml"), &memory), None);
    Module::new("/w".into(), Arc::new(memory))
}

fn steps(path: &str) -> Vec<Step> {
    let step = |it: &str| match it {
        "[]" => Step::Items,
        "{}" => Step::Values,
        name => Step::Property(name.to_owned()),
    };
    path.split_whitespace().map(step).collect()
}

/// Checks the declaration and marker for a keyword. `expected` has the declaration, the marker's name there, and the text of the existing marker.
#[track_caller]
fn check(path: &str, keyword: &str, value: Option<&str>, expected: &str) {
    let kind = Kind {
        group: "example.com",
        version: "v1",
        kind: "CronTab",
        is_generated: true,
    };
    let module = module();
    let Some(declaration) = module.declaration(&kind, &steps(path)) else {
        assert_eq!(expected, "nothing", "{path}");
        return;
    };
    let is_schema = marker_for(keyword, true).is_some();
    let found = declaration.marked(marker_for(keyword, is_schema).expect("a marker"), value);
    let name = found.name.unwrap_or_else(|| "no marker".to_owned());
    let other = found.other.map(|it| format!("not {}", it.text));
    let written = found.written.map(|it| it.text.clone()).or(other);
    let written = written.unwrap_or_else(|| "not written".to_owned());
    assert_eq!(format!("{}: {name}: {written}", found.site.name), expected);
    let text = &found.site.file.text[found.site.span.clone()];
    assert!(found.site.name.ends_with(text), "{text}");
    if let Some(marker) = found.written {
        assert!(found.site.file.text[marker.span.clone()].ends_with(&marker.text));
    }
}

#[test]
fn fields_and_their_markers() {
    check(
        "spec replicas",
        "maximum",
        None,
        "CronTabSpec.Replicas: +kubebuilder:validation:Maximum: +kubebuilder:validation:Maximum=10",
    );
    check(
        "spec replicas",
        "minimum",
        None,
        "CronTabSpec.Replicas: +kubebuilder:validation:Minimum: not written",
    );
    check(
        "spec mode",
        "enum",
        None,
        "Common.Mode: +kubebuilder:validation:Enum: +kubebuilder:validation:Enum=a;b",
    );
    check(
        "spec loop loop replicas",
        "maximum",
        None,
        "CronTabSpec.Replicas: +kubebuilder:validation:Maximum: +kubebuilder:validation:Maximum=10",
    );
    check(
        "spec nested deep [] name",
        "pattern",
        None,
        "Thing.Name: +kubebuilder:validation:Pattern: +kubebuilder:validation:Pattern=`^a$`",
    );
}

#[test]
fn what_is_below_a_field_is_said_at_the_field_or_at_a_type() {
    check(
        "spec hosts",
        "maxItems",
        None,
        "Hosts: +kubebuilder:validation:MaxItems: +kubebuilder:validation:MaxItems=8",
    );
    check(
        "spec hosts []",
        "maxLength",
        None,
        "Hosts: +kubebuilder:validation:items:MaxLength: not written",
    );
    check(
        "spec ports []",
        "minimum",
        None,
        "Port: +kubebuilder:validation:Minimum: +kubebuilder:validation:Minimum=1",
    );
    check(
        "spec ports []",
        "maximum",
        None,
        "CronTabSpec.Ports: +kubebuilder:validation:items:Maximum: not written",
    );
    check(
        "spec labels {}",
        "maxLength",
        None,
        "CronTabSpec.Labels: no marker: not written",
    );
}

#[test]
fn rules_are_told_apart_by_their_text() {
    check(
        "spec",
        "x-kubernetes-validations",
        Some("self.name != \"x\""),
        "CronTabSpec: +kubebuilder:validation:XValidation: +kubebuilder:validation:XValidation:rule=\"self.name != \\\"x\\\"\"",
    );
    check(
        "spec",
        "x-kubernetes-validations",
        Some("self.min < self.max"),
        "CronTabSpec: +kubebuilder:validation:XValidation: not +kubebuilder:validation:XValidation:rule=\"self.min <= self.max\",message=\"the wrong way round\"",
    );
    // A rule that has no marker.
    check(
        "spec",
        "x-kubernetes-validations",
        Some("true"),
        "CronTab.Spec: +kubebuilder:validation:XValidation: not written",
    );
    check(
        "",
        "additionalPrinterColumns",
        Some(".metadata.creationTimestamp"),
        "CronTab: +kubebuilder:printcolumn: +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp",
    );
}

#[test]
fn what_is_not_declared_here_is_not_found() {
    check("spec template spec", "maxItems", None, "nothing");
    check("metadata labels", "maxItems", None, "nothing");
    check("spec nothing", "maxItems", None, "nothing");
    check("spec replicas []", "maxItems", None, "nothing");
}

#[test]
fn any_bytes_are_a_file() {
    for text in [
        "",
        "type",
        "package v1\ntype CronTab struct { A struct { B []map[string]*",
        "type T T",
        "\u{0}\u{1}type CronTab = CronTab",
    ] {
        let files = [
            (PathBuf::from("/w/go.mod"), "module"),
            (PathBuf::from("/w/v1/a.go"), text),
        ];
        let module = Module::new("/w".into(), Arc::new(Memory(files.into())));
        let kind = Kind {
            group: "",
            version: "v1",
            kind: "CronTab",
            is_generated: true,
        };
        let _ = module.declaration(&kind, &steps("a b [] {}"));
    }
}
