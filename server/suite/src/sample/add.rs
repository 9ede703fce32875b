//! Turns an example into a test: adds it to a test file, and expects the answer that the API server gives.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{json::Json, paths::lookup, read_json_of, tree::Span};
use crd_analyzer_workspace::config::versions::VersionSet;
use serde_json::{Value, json};

use crate::{
    SUFFIXES,
    definition::Found,
    model::{Suite, Wanted},
    rewrite::{self, Edit},
    run::run,
    update, yaml,
};

/// A test that was added to a test file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Added {
    /// The edit of the file.
    pub edit: Edit,
    /// The span of the new test's name in the changed file.
    pub name: Span,
    /// The text of the changed file.
    pub text: Arc<str>,
}

/// The path of the test file for the CRD in a file. It is in the same folder.
pub fn path_beside(definition: &Path) -> PathBuf {
    let name = definition.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.rsplit_once('.').map_or(&*name, |it| it.0);
    let stem = stem.strip_suffix(".crd").unwrap_or(stem);
    definition.with_file_name(format!("{stem}{}", SUFFIXES[0]))
}

/// The text of a new test file, without tests.
pub(crate) fn head(path: &str, kubernetes: KubernetesVersion) -> String {
    let path = yaml::scalar(&json!(path));
    format!(
        "# What the API server of Kubernetes {kubernetes} answers. Run with `crd-analyzer test`.\ncrd: {path}\ntests:\n"
    )
}

impl Suite {
    /// The index of the test whose name is at a span.
    pub fn case_at(&self, span: Span) -> Option<usize> {
        let touches = |it: Span| it.start <= span.end && span.start <= it.end;
        self.cases.iter().position(|it| touches(it.span))
    }

    /// A test without its expectation. `version` is added to objects that do not name a version.
    fn example(&self, case: usize, group: &str, version: Option<&str>) -> Option<Value> {
        let case = self.cases.get(case)?;
        let mut example = read_json_of(&self.tree, case.node).ok()?.root().map(Json::to_value)?;
        example.as_object_mut()?.remove("expect");
        if let Some(version) = version {
            let objects = [
                "/create",
                "/update/from",
                "/update/to",
                "/updateStatus/from",
                "/updateStatus/to",
            ];
            for pointer in objects {
                if let Some(Value::Object(object)) = example.pointer_mut(pointer) {
                    object
                        .entry("apiVersion")
                        .or_insert_with(|| json!(format!("{group}/{version}")));
                }
            }
        }
        Some(example)
    }

    /// The version of the CRD that the file tests.
    fn tested_version<'s>(&'s self, definition: &'s Found) -> &'s str {
        match &self.wanted {
            Wanted::File { version, .. } | Wanted::Name { version, .. } => {
                version.as_deref().unwrap_or_else(|| definition.version())
            }
        }
    }

    /// Adds a test to a test file. It expects the answer that the API server gives. `target` is the text of the file. `None` creates a file, which
    /// names its CRD by `path`. `definition` is the CRD that both files test. The error tells why the test cannot be added.
    pub fn add_to(
        &self,
        case: usize,
        (target, path): (Option<&Arc<str>>, &str),
        definition: &Found,
        kubernetes: KubernetesVersion,
    ) -> Result<Added, String> {
        let version = self.tested_version(definition);
        let old: Arc<str> = target.map_or_else(|| head(path, kubernetes).into(), Arc::clone);
        let mut names: Vec<String> = Vec::new();
        let mut target_version = definition.version().to_owned();
        if target.is_some() {
            let suite = crate::read(&old).map_err(|it| first(&it))?;
            if matches!(suite.wanted, Wanted::Name { .. }) {
                return Err("the test file has another format".to_owned());
            }
            names.extend(suite.cases.iter().map(|it| it.name.clone()));
            suite.tested_version(definition).clone_into(&mut target_version);
        }
        let named = (target_version != version).then_some(version);
        let mut example = self
            .example(case, definition.group(), named)
            .ok_or("the test cannot be read")?;
        let name = unique(&names, example["name"].as_str().unwrap_or_default());
        example["name"] = json!(name);
        let with_test = with_test(&old, &example)?;
        let suite = crate::read(&with_test).map_err(|it| first(&it))?;
        let outcomes = run(
            &suite,
            std::slice::from_ref(definition),
            VersionSet::one(kubernetes),
            |it| it == name,
        );
        let updates = update::edits(&suite, &outcomes);
        if let Some((_, why)) = updates.left.into_iter().next() {
            return Err(why);
        }
        let text: Arc<str> = rewrite::apply(&with_test, &updates.edits).into();
        let suite = crate::read(&text).map_err(|it| first(&it))?;
        let added = suite.cases.iter().find(|it| it.name == name);
        Ok(Added {
            edit: difference(&old, &text),
            name: added.ok_or("the test cannot be added")?.span,
            text,
        })
    }
}

fn first(problems: &[crate::Problem]) -> String {
    let message = problems.first().map(|it| it.message.as_str());
    message.unwrap_or("the test file cannot be read").to_owned()
}

fn unique(names: &[String], name: &str) -> String {
    let mut name = name.to_owned();
    while names.contains(&name) {
        name.push_str(" (again)");
    }
    name
}

/// The text of a test file with one more test.
fn with_test(old: &Arc<str>, example: &Value) -> Result<Arc<str>, String> {
    let tree = crd_analyzer_syntax::read(old, Span::new(0, old.len() as u32)).map_err(|it| it.message)?;
    let root = tree.resolve(tree.root().ok_or("the test file is empty")?);
    let tests = lookup(&tree, root, "tests")
        .ok_or("the test file has no `tests`")?
        .value;
    let value = |node| read_json_of(&tree, node).ok()?.root().map(Json::to_value);
    let mut target = match value(tests) {
        Some(Value::Array(items)) => items,
        Some(Value::Null) | None => Vec::new(),
        Some(_) => return Err("`tests` is not a list".to_owned()),
    };
    if target.is_empty() && tree.is_absent(tests) {
        return Ok(format!("{}{}", ended(old), test(example)).into());
    }
    target.push(example.clone());
    let mut edits = Vec::new();
    rewrite::rewrite(&tree, tests, &Value::Array(target), &mut edits);
    Ok(rewrite::apply(old, &edits).into())
}

/// The text with a line break at the end.
fn ended(text: &str) -> String {
    format!("{}\n", text.trim_end_matches(['\n', '\r', ' ']))
}

/// A test as an item of a list in the format of `--init`.
pub(crate) fn test(test: &Value) -> String {
    yaml::block(&json!([test]), 2)
}

/// The smallest edit that changes `old` to `new`.
fn difference(old: &str, new: &str) -> Edit {
    let same = old.bytes().zip(new.bytes()).take_while(|it| it.0 == it.1).count();
    let start = old.floor_char_boundary(same).min(new.floor_char_boundary(same));
    let (rest_old, rest_new) = (&old[start..], &new[start..]);
    let ends = rest_old.bytes().rev().zip(rest_new.bytes().rev());
    let mut same = ends.take_while(|it| it.0 == it.1).count();
    while !rest_old.is_char_boundary(rest_old.len() - same) || !rest_new.is_char_boundary(rest_new.len() - same) {
        same -= 1;
    }
    Edit {
        span: Span::new(start as u32, (old.len() - same) as u32),
        text: rest_new[..rest_new.len() - same].to_owned(),
    }
}
