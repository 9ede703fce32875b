//! Tests of the command line, as a user or a CI job runs it.
#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::expect_used, reason = "a test says what it expected")]

mod agents;
mod charts;
mod check;
mod cluster;
mod compat;
mod consequences;
mod convert;
mod cost;
mod crds;
mod docs;
mod doctor;
mod errors_again;
mod eval;
mod exit_code;
mod explain;
mod fix;
mod folders;
mod formats;
mod generate;
mod generated;
mod go_help;
mod go_hints;
mod go_invalid;
mod go_note;
mod help;
mod hostile;
mod hostile_output;
mod init;
mod installed;
mod markdown;
mod misnamed;
mod missing_modules;
mod named_files;
mod not_sent_so;
mod not_yaml;
mod partly_built;
mod patch_words;
mod patches;
mod pipeline;
mod published;
mod refused_types;
mod resources;
mod sandbox;
mod schema;
mod since;
mod stale;
mod start;
mod storage;
mod stuck;
mod substitution;
mod suites;
mod test_files;
mod unknown_kinds;
mod unused_patches;
mod update;
mod wrapped;

use sandbox::{Outcome, Sandbox};

/// A CRD that every Kubernetes version accepts. `spec` is the schema of `.spec`, indented by 16.
fn definition(spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: widgets, kind: Widget}}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
{spec}"
    )
}
