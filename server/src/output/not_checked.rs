//! Counts the documents and files that a run did not check, by reason.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use crd_analyzer_workspace::{findings::report::Unchecked, sources::MissingPackages};
use serde_json::{Value, json};

use super::{counted, listed, missing_packages};

/// The maximum number of names to list. The rest are counted.
const MOST_NAMED: usize = 5;

/// The documents and files that were not checked, except resources whose CRD is unknown.
#[derive(Clone, Default, Debug)]
pub(crate) struct NotChecked {
    /// The number of objects of each built-in kind.
    built_in: BTreeMap<String, usize>,
    /// The number of objects of each kind that a test expects the API server to reject.
    rejected: BTreeMap<String, usize>,
    /// The files of documents that are not YAML and do not look like manifests.
    not_yaml: Vec<String>,
    /// The files of documents that have only one of `apiVersion` and `kind`, and do not look like manifests.
    half_typed: Vec<String>,
    /// The files that are templates, which a tool fills in.
    templates: Vec<String>,
    /// The number of documents without `apiVersion` and `kind`.
    no_objects: usize,
    /// The number of test files of `crd-analyzer test`.
    pub(crate) tests: usize,
    /// The number of files that the command line or a configuration excludes.
    pub(crate) excluded: usize,
    /// The hidden folders and files that git does not track.
    pub(crate) hidden: Vec<String>,
    /// The folders with Go types, as package patterns: `./...`.
    pub(crate) go: Vec<String>,
    /// The kinds that source files declare and that have no CRD.
    pub(crate) without_crd: Vec<String>,
    /// The kinds that source files declare and whose CRD in the repository was not generated from them.
    pub(crate) not_generated: Vec<String>,
    /// The packages that Go types need and that are not on this machine.
    pub(crate) missing: Vec<MissingPackages>,
}

impl NotChecked {
    /// Counts a document of a file.
    pub(super) fn add(&mut self, file: &str, document: &Unchecked) {
        let names = match document {
            Unchecked::BuiltIn(kind) => {
                *self.built_in.entry(kind.clone()).or_default() += 1;
                return;
            }
            Unchecked::Rejected(kind) => {
                *self.rejected.entry(kind.clone()).or_default() += 1;
                return;
            }
            Unchecked::NoObject => {
                self.no_objects += 1;
                return;
            }
            Unchecked::NotYaml => &mut self.not_yaml,
            Unchecked::HalfTyped => &mut self.half_typed,
            Unchecked::Template => &mut self.templates,
        };
        names.push(file.to_owned());
    }

    /// Describes all numbers in a sentence.
    pub(crate) fn words(&self) -> Option<String> {
        let mut parts = Vec::new();
        for (kinds, which) in [
            (&self.built_in, "of built-in kinds"),
            (&self.rejected, "that tests expect to be rejected"),
        ] {
            let objects: usize = kinds.values().sum();
            if objects > 0 {
                let mut kinds: Vec<_> = kinds.iter().collect();
                kinds.sort_by_key(|&(kind, count)| (Reverse(*count), kind));
                let kinds = listed(kinds.into_iter().map(|it| &**it.0), MOST_NAMED, "kind");
                parts.push(format!("{} {which} ({kinds})", counted(objects, "object")));
            }
        }
        let are = if self.not_yaml.len() == 1 { "is" } else { "are" };
        for (names, what, which) in [
            (&self.templates, "template", String::new()),
            (&self.not_yaml, "document", format!(" that {are} not YAML")),
            (
                &self.half_typed,
                "document",
                " with one of `apiVersion` and `kind`".to_owned(),
            ),
        ] {
            let mut files: Vec<&str> = names.iter().map(String::as_str).collect();
            files.dedup();
            if !files.is_empty() {
                let count = counted(names.len(), what);
                parts.push(format!(
                    "{count}{which} ({})",
                    listed(files.into_iter(), MOST_NAMED, "file")
                ));
            }
        }
        if self.no_objects > 0 {
            parts.push(format!(
                "{} without a Kubernetes object",
                counted(self.no_objects, "document")
            ));
        }
        if self.tests > 0 {
            parts.push(format!("{} of `crd-analyzer test`", counted(self.tests, "file")));
        }
        if self.excluded > 0 {
            parts.push(counted(self.excluded, "excluded file"));
        }
        if !self.hidden.is_empty() {
            let names = listed(self.hidden.iter().map(String::as_str), MOST_NAMED, "path");
            parts.push(format!("hidden files that git does not track ({names}; see --hidden)"));
        }
        if !self.go.is_empty() {
            let commands = self.go.iter().map(|it| format!("`crd-analyzer check {it}`"));
            let commands: Vec<String> = commands.collect();
            parts.push(format!(
                "Go types (see {})",
                listed(commands.iter().map(String::as_str), MOST_NAMED, "folder")
            ));
        }
        if !self.not_generated.is_empty() {
            let of_one = self.not_generated.len() == 1;
            let (kinds, was) = if of_one {
                ("kind", "CRD was")
            } else {
                ("kinds", "CRDs were")
            };
            parts.push(format!(
                "the Go types of {} {kinds} whose {was} not written by controller-gen ({})",
                self.not_generated.len(),
                listed(self.not_generated.iter().map(String::as_str), MOST_NAMED, "kind")
            ));
        }
        if !self.without_crd.is_empty() {
            let kinds = if self.without_crd.len() == 1 { "kind" } else { "kinds" };
            let names = self.without_crd.iter().map(String::as_str);
            parts.push(format!(
                "the schemas of {} {kinds} in Go whose CRD crd-analyzer can neither find nor make ({})",
                self.without_crd.len(),
                listed(names, MOST_NAMED, "kind")
            ));
        }
        parts.extend(self.missing.iter().map(missing_packages::words));
        (!parts.is_empty()).then(|| format!("Not checked: {}", parts.join(", ")))
    }

    /// Describes all numbers in JSON.
    pub(crate) fn json(&self) -> Value {
        json!({
            "built_in": self.built_in.values().sum::<usize>(),
            "rejected": self.rejected.values().sum::<usize>(),
            "templates": self.templates,
            "not_yaml": self.not_yaml,
            "half_typed": self.half_typed,
            "no_objects": self.no_objects,
            "tests": self.tests,
            "excluded": self.excluded,
            "hidden": self.hidden,
            "go": self.go,
            "without_crd": self.without_crd,
            "not_generated": self.not_generated,
            "missing_packages": self.missing.iter().flat_map(|it| &it.packages).collect::<BTreeSet<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_counted() {
        let mut found = NotChecked::default();
        assert_eq!(found.words(), None);
        for kind in ["Service", "Deployment", "Deployment"] {
            found.add("a.yaml", &Unchecked::BuiltIn(kind.to_owned()));
        }
        for n in 0..7 {
            found.add(&format!("{}.yaml", n / 2), &Unchecked::Template);
            found.add(&format!("{n}.yaml"), &Unchecked::HalfTyped);
        }
        found.add("a.yaml", &Unchecked::Rejected("Widget".to_owned()));
        found.add("a.yaml", &Unchecked::NotYaml);
        found.add("a.yaml", &Unchecked::NoObject);
        (found.tests, found.excluded) = (1, 2);
        found.hidden.push(".cache".to_owned());
        found.go.push("./...".to_owned());
        found.not_generated.push("v1.Gadget".to_owned());
        found.without_crd.push("v1.Widget".to_owned());
        found.missing.push(MissingPackages {
            module: std::env::current_dir().unwrap_or_default(),
            packages: vec!["example.com/parts".to_owned()],
        });
        let expected = "Not checked: 3 objects of built-in kinds (Deployment, Service), \
            1 object that tests expect to be rejected (Widget), \
            7 templates (0.yaml, 1.yaml, 2.yaml, 3.yaml), 1 document that is not YAML (a.yaml), \
            7 documents with one of `apiVersion` and `kind` (0.yaml, 1.yaml, 2.yaml, 3.yaml, 4.yaml, 2 more files), \
            1 document without a Kubernetes object, 1 file of `crd-analyzer test`, 2 excluded files, \
            hidden files that git does not track (.cache; see --hidden), Go types (see `crd-analyzer check ./...`), \
            the Go types of 1 kind whose CRD was not written by controller-gen (v1.Gadget), \
            the schemas of 1 kind in Go whose CRD crd-analyzer can neither find nor make (v1.Widget), \
            Go types of packages that are not on this machine (example.com/parts; `go mod download` fetches them)";
        assert_eq!(found.words().as_deref(), Some(expected));
    }
}
