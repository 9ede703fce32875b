//! Checks updates of a resource, and the effects of a changed CRD on objects that are already stored.

use std::{collections::HashMap, sync::Arc};

use crd_analyzer_budget as budget;
use crd_analyzer_resource::{self as server, DecodeError, Question, ServedVersion, Stored};
use crd_analyzer_syntax::{
    json::{JsonDoc, read_json_of},
    read, read_json,
    tree::{Span, Tree},
};
use serde_json::Value;

use super::{One, locate::Locate};
use crate::{
    codes,
    comparison::previous::Previous,
    filled_in::unknown,
    findings::finding::{Class, Finding, Severity},
    findings::report::DocumentVerdict,
    index::Object,
    words,
};

/// The stored object, and the text from which it was created.
struct Before {
    stored: Stored,
    /// The stored object in a request that updates it without changes.
    sent: Arc<str>,
    /// Whether the CRD has changed since the object was stored.
    definition_changed: bool,
}

pub(super) fn judge(
    one: &One<'_>,
    previous: &Previous,
    served: ServedVersion<'_>,
    locate: &Locate<'_>,
) -> DocumentVerdict {
    let namespace = one
        .json
        .root()
        .and_then(|it| it.get("metadata")?.get("namespace")?.as_str());
    let Some(old) = previous.of(&one.asked.object.written, namespace) else {
        // The object is new and replaces nothing.
        return locate.verdict(&one.answer(served, Question::Create, locate));
    };
    let before = match before(one, previous, old, served) {
        Ok(before) => before,
        Err(why) => return without_previous(one, &why, served, locate),
    };
    let answer = one.answer(served, Question::Update(&before.stored), locate);
    let mut verdict = locate.verdict(&answer);
    if before.definition_changed {
        verdict.hints.extend(unchanged(&before, &answer, served, locate));
    }
    verdict
}

fn before(one: &One<'_>, previous: &Previous, old: &Object, served: ServedVersion<'_>) -> Result<Before, String> {
    let wanted = &one.asked.kind.kind;
    if let Some(Err(error)) = previous.read(old) {
        return Err(DecodeError::of_read_error(wanted, error).text);
    }
    let unreadable = || "it is not YAML that can be converted to JSON".to_owned();
    let (tree, node) = previous.tree(old).ok_or_else(unreadable)?;
    let json = read_json_of(tree, node).map_err(|it| DecodeError::of_convert_error(wanted, &it, one.version).text);
    let mut json = json?;
    let (path, overlays) = (one.asked.question.path, one.asked.question.around.overlays);
    let variables = path
        .zip(overlays)
        .and_then(|(path, overlays)| overlays.old_variables(path));
    if let Some(variables) = &variables {
        let put_in = || unknown::substitute_known(&mut json, tree, variables);
        if let (
            (),
            budget::Ended {
                unfinished: Some(why), ..
            },
        ) = budget::within(unknown::LIMITS, put_in)
        {
            return Err(why.to_string());
        }
    }
    let definitions = one.asked.definitions;
    let found = &one.asked.found.definition;
    let old_crd = definitions.previous(found);
    let definition_changed = old_crd.as_ref().is_some_and(|it| it.fingerprint != found.fingerprint);
    // The stored object has the defaults of the old CRD, and lacks the fields that the old CRD pruned.
    let as_stored = old_crd
        .filter(|_| definition_changed)
        .and_then(|it| it.serve(definitions.files(), one.version).ok())
        .and_then(|(definition, _)| {
            let served = definition.serving(&old.written.api_version, &old.written.kind).ok()?;
            let answer = server::judge(served, &json, Question::Create);
            answer.stored.or(answer.object)
        });
    let establish = |json: &JsonDoc<'_>| Stored::establish(served, json).map_err(|it| it.text);
    match as_stored {
        None => Ok(Before {
            stored: establish(&json)?,
            sent: json.write(tree).into(),
            definition_changed,
        }),
        Some(object) => {
            let sent: Arc<str> = Value::Object(object).to_string().into();
            let tree = read_whole(&sent).ok_or_else(unreadable)?;
            let json = read_json(&tree).map_err(|it| it.message)?;
            Ok(Before {
                stored: establish(&json)?,
                sent: sent.clone(),
                definition_changed,
            })
        }
    }
}

fn read_whole(text: &Arc<str>) -> Option<Tree> {
    read(text, Span::new(0, text.len() as u32)).ok()
}

/// Hints about the result of updating the stored object without changes, after the CRD has changed.
fn unchanged(
    before: &Before,
    own: &server::ResourceVerdict,
    served: ServedVersion<'_>,
    locate: &Locate<'_>,
) -> Vec<Finding> {
    let Some(tree) = read_whole(&before.sent) else {
        return Vec::new();
    };
    let Ok(json) = read_json(&tree) else {
        return Vec::new();
    };
    // Group errors by path, because each path has only a few.
    let mut own_errors: HashMap<_, Vec<_>> = HashMap::new();
    for it in &own.errors {
        own_errors.entry(&it.error.path).or_default().push(&it.error);
    }
    let said = |it: &server::RejectionCause| {
        own_errors
            .get(&it.error.path)
            .is_some_and(|own| own.contains(&&it.error))
    };
    let hint = |code, severity, note: &str, it: &server::RejectionCause| {
        let found = locate.error(it);
        Finding {
            class: Class::Hint,
            severity,
            code,
            headline: words::clip(&format!("the stored object: {}", found.headline), words::MAX_HEADLINE),
            notes: vec![note.to_owned()],
            ..found
        }
    };
    let again = server::judge(served, &json, Question::Update(&before.stored));
    let is_cause = |it: &&server::RejectionCause| it.error.code != server::codes::UNCHECKED_RULES && !said(it);
    let refused: Vec<_> = again.errors.iter().filter(is_cause).collect();
    if !refused.is_empty() {
        let note = "the CRD has changed: the API server rejects each update of the stored object that keeps this value";
        let refused = refused.into_iter();
        return refused
            .map(|it| hint(codes::STORED_OBJECT_REFUSED, Severity::Warning, note, it))
            .collect();
    }
    let anew = server::judge(served, &json, Question::Create);
    let note = "the CRD has changed: the API server tolerates the stored value until an update changes it";
    anew.errors
        .iter()
        .filter(is_cause)
        .map(|it| hint(codes::STORED_OBJECT_INVALID, Severity::Information, note, it))
        .collect()
}

/// The answer if the object to replace cannot be read. The new object's own errors come first.
fn without_previous(one: &One<'_>, why: &str, served: ServedVersion<'_>, locate: &Locate<'_>) -> DocumentVerdict {
    let answer = server::judge_known(served, one.json, one.known, Question::Create);
    if answer.decode_error.is_some() {
        return locate.verdict(&answer);
    }
    let read = server::ResourceVerdict {
        strict: answer.strict,
        changes: answer.changes,
        object: answer.object,
        ..server::ResourceVerdict::default()
    };
    let mut finding = Finding::new(
        Class::Error,
        codes::UNREADABLE_PREVIOUS_REVISION,
        one.at("kind"),
        "the previous revision of this resource cannot be read",
    );
    finding.help.push(words::FIX_PREVIOUS.to_owned());
    finding.server = Some(crate::findings::finding::ServerSays::Decode(format!(
        "old object: {why}"
    )));
    DocumentVerdict {
        decode_error: Some(finding),
        ..locate.verdict(&read)
    }
}
