//! Reads tests of kuttl and chainsaw to find out which files contain only parts of objects. The steps of a kuttl test are the files of a folder,
//! sorted by number. kuttl merges an object of a later step into the object that an earlier step created.

use std::{collections::HashSet, path::Path, sync::Arc};

use crd_analyzer_syntax::{
    read_json,
    split::{read_document, split},
};
use serde_json::Value;

use crate::{
    index::{GroupKind, Object},
    roles,
};

/// The number of the step to which a file belongs. For example, `01-update.yaml` belongs to step 1.
pub fn number(file: &Path) -> Option<u64> {
    let name = file.file_name()?.to_str()?;
    let (number, _) = name.split_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| number.parse().ok()).flatten()
}

/// Whether a file of a step states what kuttl expects. Otherwise kuttl applies the file.
pub fn is_assertion(file: &Path) -> bool {
    roles::is_assertion(file)
}

/// The objects that a test has created so far.
#[derive(Default, Debug)]
pub struct Created<'o>(HashSet<(GroupKind, &'o str)>);

impl<'o> Created<'o> {
    /// Adds the objects of a step.
    pub fn add(&mut self, step: &'o [Object]) {
        self.0.extend(step.iter().filter_map(identity));
    }

    /// Whether each object of a step updates an object that was created before.
    pub fn has_all(&self, step: &[Object]) -> bool {
        let applied = |it: &&Object| !it.written.api_version.starts_with("kuttl.dev/");
        let is_update = |it: &Object| identity(it).is_some_and(|it| self.0.contains(&it));
        step.iter().any(|it| applied(&it)) && step.iter().filter(applied).all(is_update)
    }
}

/// The kind and the name of an object. `None` if it lacks one of them.
fn identity(object: &Object) -> Option<(GroupKind, &str)> {
    let name = object.written.name.as_str();
    Some((object.group_kind()?, name)).filter(|it| !it.1.is_empty())
}

/// The files that a test names, relative to its folder.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NamedFiles {
    /// The files with expectations or patches: those in `assert`, `error`, `errors` and `patch` of a chainsaw `Test` or `StepTemplate`, or of a kuttl
    /// `TestStep`.
    pub parts: Vec<String>,
    /// The files that the API server has to reject. In a chainsaw `Test`, these are applied with an `expect` that checks that `$error` is not null, or
    /// by a `script` or `command` with such a `check`.
    pub rejected: Vec<String>,
    /// The files that a chainsaw test applies, in order. chainsaw merges an object into the one that an earlier file created.
    pub applied: Vec<String>,
    /// The files in `rejected` that fail validation. The text of the check shows that no webhook or policy rejects them.
    pub invalid: Vec<String>,
}

impl NamedFiles {
    /// The files that the text of a test names.
    pub fn of(test: &str) -> Self {
        let mut found = Self::default();
        for object in test_objects(test) {
            parts(&object, MAX_DEPTH, &mut found.parts);
            rejected(&object, MAX_DEPTH, &mut found);
            applied(&object, MAX_DEPTH, &mut found.applied);
        }
        found
    }

    /// Adds a file that the API server has to reject, if there are checks that expect it.
    fn reject<'v>(&mut self, file: Option<&str>, checks: impl IntoIterator<Item = &'v Value>) {
        let mut checks = checks.into_iter().peekable();
        let Some(file) = file.filter(|_| checks.peek().is_some()) else {
            return;
        };
        self.rejected.push(file.to_owned());
        if checks.any(expects_invalid) {
            self.invalid.push(file.to_owned());
        }
    }
}

fn applied(value: &Value, depth: usize, found: &mut Vec<String>) {
    match value {
        _ if depth == 0 => {}
        Value::Array(items) => items.iter().for_each(|it| applied(it, depth - 1, found)),
        Value::Object(fields) => {
            let files = ["apply", "create"].map(|it| fields.get(it)?["file"].as_str());
            found.extend(files.into_iter().flatten().map(str::to_owned));
            fields.values().for_each(|it| applied(it, depth - 1, found));
        }
        _ => {}
    }
}

fn rejected(value: &Value, depth: usize, found: &mut NamedFiles) {
    match value {
        _ if depth == 0 => {}
        Value::Array(items) => items.iter().for_each(|it| rejected(it, depth - 1, found)),
        Value::Object(fields) => {
            for operation in ["apply", "create", "patch", "update"] {
                let step = &fields.get(operation).unwrap_or(&Value::Null);
                found.reject(step["file"].as_str(), checks_of_errors(&step["expect"]));
            }
            let script = fields.get("script").and_then(|it| Some((it, words_of_script(it)?)));
            let command = fields.get("command").and_then(|it| Some((it, words_of_command(it)?)));
            for (step, words) in script.into_iter().chain(command) {
                let check = Some(&step["check"]).filter(|it| expects_error(it));
                found.reject(applied_by(&words), check);
            }
            fields.values().for_each(|it| rejected(it, depth - 1, found));
        }
        _ => {}
    }
}

/// The words of a chainsaw `command`.
fn words_of_command(command: &Value) -> Option<Vec<&str>> {
    let entrypoint = command["entrypoint"].as_str()?;
    let arguments = command["args"].as_array()?.iter().filter_map(Value::as_str);
    Some(std::iter::once(entrypoint).chain(arguments).collect())
}

/// The words of a chainsaw `script`. `None` if it runs several commands.
fn words_of_script(script: &Value) -> Option<Vec<&str>> {
    let content = script["content"].as_str()?.trim();
    let has_several = content.contains(['\n', ';', '|', '`']) || content.contains("&&");
    (!has_several).then(|| content.split_whitespace().collect())
}

/// The only file that a command applies with kubectl.
fn applied_by<'w>(words: &[&'w str]) -> Option<&'w str> {
    let ["kubectl", "apply" | "create" | "replace", arguments @ ..] = words else {
        return None;
    };
    let mut files = arguments
        .iter()
        .enumerate()
        .filter_map(|(at, word)| match word.split_once('=') {
            Some(("-f" | "--filename", file)) => Some(file),
            None if matches!(*word, "-f" | "--filename") => arguments.get(at + 1).copied(),
            _ => None,
        });
    let file = files.next().filter(|it| *it != "-")?;
    files.next().is_none().then_some(file)
}

/// The checks in the `expect` of a chainsaw operation that expect an error. Checks with `match` are left out, because other objects of the file may
/// be accepted.
fn checks_of_errors(expect: &Value) -> impl Iterator<Item = &Value> {
    let expected = expect.as_array().into_iter().flatten();
    let checks = expected.filter(|it| it["match"].is_null()).map(|it| &it["check"]);
    checks.filter(|it| expects_error(it))
}

/// Whether the `expect` of a chainsaw operation on one object says that the API server rejects it.
pub(crate) fn expects_rejection(expect: &Value) -> bool {
    let mut expected = expect.as_array().into_iter().flatten();
    expected.any(|it| expects_error(&it["check"]))
}

/// Whether a chainsaw check expects an error: `($error != null): true`, `($error): some words`.
fn expects_error(check: &Value) -> bool {
    let fields = check.as_object().into_iter().flatten();
    fields.into_iter().any(|(key, value)| {
        let key: String = key.chars().filter(|it| !it.is_whitespace()).collect();
        match key.as_str() {
            "($error!=null)" => *value == Value::Bool(true),
            "($error==null)" => *value == Value::Bool(false),
            "($error)" => value.is_string(),
            _ => false,
        }
    })
}

/// Phrases in the API server's validation errors.
const OF_VALIDATION: [&str; 4] = ["is invalid:", "Invalid value", "Required value", "Unsupported value"];

/// Phrases in the errors of webhooks and policies, which may also be about values.
const OF_ADMISSION: [&str; 2] = ["admission webhook", "denied"];

/// Whether a chainsaw check expects an error from the API server's validation.
fn expects_invalid(check: &Value) -> bool {
    let fields = check.as_object().into_iter().flatten();
    let is_output = |key: &str| key == "($error)" || key.contains("$stderr");
    let mut texts = fields.filter_map(|(key, value)| value.as_str().filter(|_| is_output(key)));
    texts.any(|text| {
        let has = |words: &[&str]| words.iter().any(|it| text.contains(it));
        has(&OF_VALIDATION) && !has(&OF_ADMISSION)
    })
}

/// The maximum nesting depth of tests to search.
const MAX_DEPTH: usize = 30;

/// The objects in a text that are kuttl or chainsaw tests.
fn test_objects(test: &str) -> Vec<Value> {
    let text: Arc<str> = test.into();
    let objects = split(&text).documents.into_iter().filter_map(|document| {
        let tree = read_document(&text, document, &[]).ok()?;
        Some(read_json(&tree).ok()?.root()?.to_value())
    });
    let is_test = |it: &Value| {
        let group = it["apiVersion"].as_str().and_then(|it| it.split_once('/'));
        group.is_some_and(|it| matches!(it.0, "chainsaw.kyverno.io" | "kuttl.dev"))
    };
    objects.filter(is_test).collect()
}

fn parts(value: &Value, depth: usize, found: &mut Vec<String>) {
    match value {
        _ if depth == 0 => {}
        Value::Array(items) => items.iter().for_each(|it| parts(it, depth - 1, found)),
        Value::Object(fields) => {
            for (key, value) in fields {
                if matches!(key.as_str(), "assert" | "error" | "errors" | "patch") {
                    let files = value.as_array().into_iter().flatten().chain([&value["file"]]);
                    found.extend(files.filter_map(Value::as_str).map(str::to_owned));
                }
                parts(value, depth - 1, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::objects;

    #[test]
    fn numbers_of_steps() {
        for (name, expected) in [
            ("tests/00-install.yaml", Some(0)),
            ("10-assert.yaml", Some(10)),
            ("crd.yaml", None),
            ("-x.yaml", None),
            ("99999999999999999999-x.yaml", None),
        ] {
            assert_eq!(number(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn what_later_steps_update() {
        let of = |text: &str| objects(text.as_bytes().to_vec()).1;
        let a = "apiVersion: example.com/v1\nkind: A\nmetadata: {name: a}\n";
        let b = "apiVersion: example.com/v1\nkind: A\nmetadata: {name: b}\n";
        let step = "apiVersion: kuttl.dev/v1beta1\nkind: TestStep\n";
        let are_updates = |step: &[Object], earlier: &[Object]| {
            let mut created = Created::default();
            created.add(earlier);
            created.has_all(step)
        };
        assert!(are_updates(&of(a), &of(a)));
        assert!(are_updates(&of(&format!("{step}---\n{a}")), &of(a)));
        assert!(!are_updates(&of(&format!("{a}---\n{b}")), &of(a)));
        assert!(!are_updates(&of(step), &of(a)));
        assert!(!are_updates(&of(""), &of(a)));
    }

    #[test]
    fn files_that_tests_name() {
        let test = "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nspec:\n  steps:\n  - try:\n    - apply: {file: a.yaml}\n    - assert: {file: b.yaml}\n    - error: {file: c.yaml}\n    - patch: {resource: {}}\n";
        assert_eq!(NamedFiles::of(test).parts, ["b.yaml", "c.yaml"]);
        assert_eq!(NamedFiles::of(test).applied, ["a.yaml"]);
        let step = "apiVersion: kuttl.dev/v1beta1\nkind: TestStep\napply: [a.yaml]\nassert: [b.yaml, ../c.yaml]\n";
        assert_eq!(NamedFiles::of(step).parts, ["b.yaml", "../c.yaml"]);
        assert_eq!(
            NamedFiles::of("apiVersion: v1\nkind: Test\nassert: [b.yaml]\n").parts,
            [""; 0]
        );
    }

    #[test]
    fn files_that_tests_expect_to_be_rejected() {
        let test = |check: &str| {
            format!(
                "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nspec:\n  steps:\n  - try:\n    - apply: {{file: a.yaml}}\n    - create:\n        file: b.yaml\n        expect:\n        - {check}\n"
            )
        };
        for (check, expected) in [
            ("check: {($error != null): true}", &["b.yaml"][..]),
            ("check: {($error): \"spec.size: Invalid value\"}", &["b.yaml"]),
            ("check: {($error == null): true}", &[]),
            ("check: {($error != null): false}", &[]),
            ("{match: {kind: A}, check: {($error != null): true}}", &[]),
        ] {
            assert_eq!(NamedFiles::of(&test(check)).rejected, expected, "{check}");
        }
        for (step, expected) in [
            (
                "script: {content: kubectl apply -f c.yaml, check: {($error != null): true}}",
                &["c.yaml"][..],
            ),
            (
                "script: {content: kubectl create --filename=c.yaml, check: {($error != null): true}}",
                &["c.yaml"],
            ),
            (
                "command: {entrypoint: kubectl, args: [apply, -n, a, -f, c.yaml], check: {($error != null): true}}",
                &["c.yaml"],
            ),
            ("script: {content: kubectl apply -f c.yaml}", &[]),
            (
                "script: {content: kubectl apply -f c.yaml, check: {($error == null): true}}",
                &[],
            ),
            (
                "script: {content: kubectl delete -f c.yaml, check: {($error != null): true}}",
                &[],
            ),
            (
                "script: {content: kubectl apply -f c.yaml && false, check: {($error != null): true}}",
                &[],
            ),
            (
                "script: {content: cat c.yaml | kubectl apply -f -, check: {($error != null): true}}",
                &[],
            ),
        ] {
            let test = format!(
                "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nspec: {{steps: [{{try: [{{{step}}}]}}]}}\n"
            );
            assert_eq!(NamedFiles::of(&test).rejected, expected, "{step}");
        }
        let by_output = "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nspec:\n  script:\n    content: kubectl apply -f c.yaml\n    check:\n      ($error != null): true\n      (trim_space($stderr)): 'spec.size: Required value'\n";
        assert_eq!(NamedFiles::of(by_output).invalid, ["c.yaml"]);
        for (words, expected) in [
            ("The Widget is invalid: spec.size: Invalid value: -1", &["b.yaml"][..]),
            (
                "admission webhook denied the request: spec.size: Invalid value: -1",
                &[],
            ),
            ("too small", &[]),
        ] {
            let found = NamedFiles::of(&test(&format!("check: {{($error): \"{words}\"}}")));
            assert_eq!(
                (found.rejected.as_slice(), found.invalid.as_slice()),
                (
                    &["b.yaml".to_owned()][..],
                    expected
                        .iter()
                        .map(|it| (*it).to_owned())
                        .collect::<Vec<_>>()
                        .as_slice()
                ),
                "{words}"
            );
        }
    }
}
