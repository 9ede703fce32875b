//! Tests of whole sessions: a client that sends JSON over streams in memory.

#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]

mod asides;
mod busy;
mod changes;
mod chaos;
mod charts;
mod client;
mod collected;
mod completion;
mod configuration;
mod costs;
mod documents;
mod encodings;
mod failing;
mod fixes;
mod generated;
mod go;
mod go_hints;
mod go_refused;
mod go_rename;
mod go_typing;
mod go_update;
mod hostile;
mod lifecycle;
mod messages;
mod not_yaml;
mod older;
mod one_value;
mod overlay_fixes;
mod overlays;
mod pictures;
mod policies;
mod pulled;
mod pushed;
mod reading;
mod resources;
mod rules;
mod samples;
mod structure;
mod tests;
mod trust;
mod typing;
mod update;
mod workspace;

/// A CRD with one error: `strng` at 14:20, after `é😀` on the same line.
const BROKEN: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        \"type\": object
        properties: {\"é😀\": {type: strng}}
";

/// A CRD with one hint: a suppression comment that suppresses nothing.
const HINTED: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object} # crd-analyzer: ignore[missing-type] it has one
";

/// The line of the error.
const LINE: u64 = 14;
