//! Converts the API server's answers to findings with places.

use crd_analyzer_apiextensions::{
    codes as server_codes,
    decode::{DecodeProblem, StrictErrorKind},
    places::{self, LocatedField},
    strategy::{self, CrdVerdict, DecodeError, DecodePlace, Stored, Unjudged, judge_later},
    validation::CelCompiler,
    warnings::Warning,
};
use crd_analyzer_budget::Unfinished;
use crd_analyzer_schema::{
    KubernetesVersion, codes as schema_codes, depth,
    field::{Error, Path},
};
use crd_analyzer_syntax::{
    json::{Json, JsonDoc, JsonValue},
    reader::ReadError,
    tree::{NodeId, Span, Tree},
};

use crate::{
    builds::place_reasons,
    codes,
    documents::spans::{first_line, of_error, spot},
    findings::finding::{Class, Finding, Related, ServerSays, Severity},
    findings::other_problems::other_problems,
    findings::report::{DocumentVerdict, Subject},
    judging::merged::{MergeKeys, Merged},
    judging::mixed_objects,
    words::{self, About},
};

/// The answer for a document that cannot be decoded as a CRD.
pub(crate) fn of_unread(server: &CrdVerdict) -> DocumentVerdict {
    let decode_error = server.decode_error.as_ref().map(|error| {
        let span = match error.place {
            DecodePlace::Text(span) => span,
            DecodePlace::Node(_) => Span::default(),
        };
        decode_error(error, span)
    });
    DocumentVerdict {
        decode_error,
        ..DocumentVerdict::default()
    }
}

fn decode_error(error: &DecodeError, span: Span) -> Finding {
    unreadable(error.code, span, &error.text, &error.problem)
}

/// The finding about an error of decoding a CRD, with its place.
pub(crate) fn placed_decode_error(error: &DecodeError, tree: &Tree) -> Finding {
    let span = match error.place {
        DecodePlace::Text(span) => span,
        DecodePlace::Node(node) => spot_of_node(tree, node),
    };
    let mut finding = decode_error(error, span);
    if let DecodePlace::Node(node) = error.place
        && tree.is_scalar(node)
        && let Some(help) = words::decode::written_so(&error.problem, &tree.scalar(node))
    {
        finding.help = vec![help];
    }
    finding
}

/// The finding about a document that cannot be read: its span, the problem, and the API server's words for the problem.
pub(crate) fn unreadable(code: &'static str, span: Span, text: &str, problem: &DecodeProblem) -> Finding {
    let mut finding = Finding::new(Class::Error, code, span, "");
    words::put(&mut finding, words::decode::words(code, problem, text));
    finding.server = Some(ServerSays::Decode(text.to_owned()));
    finding
}

/// The finding about a text that is not YAML.
pub(crate) fn not_yaml(error: &ReadError) -> Finding {
    let problem = DecodeProblem::Yaml(error.problem.clone());
    unreadable(server_codes::INVALID_YAML, error.span, &error.message, &problem)
}

/// The answer for a file that clients cannot split into documents because it is not valid YAML.
pub(crate) fn not_cut(error: &ReadError) -> DocumentVerdict {
    let finding = not_yaml(error);
    DocumentVerdict {
        decode_error: Some(finding),
        ..DocumentVerdict::default()
    }
}

/// The answer for a document that is a scalar and not an object.
pub(crate) fn not_an_object(place: Span) -> DocumentVerdict {
    let fields = r#"APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"""#;
    let found = "json parse error: json: cannot unmarshal string into Go value of type struct";
    let text = format!("couldn't get version/kind; {found} {{ {fields} }}");
    let finding = unreadable(server_codes::INVALID_YAML, place, &text, &DecodeProblem::Other);
    DocumentVerdict {
        decode_error: Some(finding),
        ..DocumentVerdict::default()
    }
}

/// The answer if the old version of the object cannot be read.
pub(crate) fn without_previous(tree: &Tree) -> DocumentVerdict {
    let message = "old object does not decode";
    let span = first_line(tree.text(), tree.document_span());
    let finding = Finding {
        server: Some(ServerSays::Decode(message.to_owned())),
        help: vec![words::FIX_PREVIOUS.to_owned()],
        ..Finding::new(
            Class::Error,
            codes::UNREADABLE_PREVIOUS_REVISION,
            span,
            "the previous revision of this CRD cannot be read",
        )
    };
    DocumentVerdict {
        decode_error: Some(finding),
        ..DocumentVerdict::default()
    }
}

/// The key whose value is a node.
fn key_of(tree: &Tree, node: NodeId) -> Option<NodeId> {
    tree.entry_of(node).map(|entry| entry.key).filter(|key| *key != node)
}

fn spot_of_node(tree: &Tree, node: NodeId) -> Span {
    spot(tree, key_of(tree, node), node)
}

/// Converts the API server's answer to findings with places. Keeps at most `most` findings in each list.
pub(crate) fn with_places(
    server: &CrdVerdict,
    tree: &Tree,
    json: &JsonDoc<'_>,
    subject: Subject,
    most: usize,
) -> DocumentVerdict {
    let mut verdict = DocumentVerdict {
        decode_error: server.decode_error.as_ref().map(|it| {
            let mut finding = placed_decode_error(it, tree);
            say_two_objects(&mut finding, tree);
            finding
        }),
        other_error: server.other_error.as_ref().map(|text| {
            let span = tree
                .root()
                .map_or_else(|| tree.document_span(), |root| first_line(tree.text(), tree.span(root)));
            let mut finding = Finding::new(Class::Error, codes::REFUSED, span, "");
            words::put(&mut finding, words::refused());
            finding.server = Some(ServerSays::Other(text.clone()));
            finding
        }),
        ..DocumentVerdict::default()
    };
    verdict.strict.extend(server.strict.iter().take(most).map(|error| {
        let mut finding = Finding::new(Class::Error, error.kind.code(), tree.span(error.node), "");
        match (error.kind, json.root()) {
            (StrictErrorKind::UnknownField, Some(root)) => {
                words::put(&mut finding, words::unknown::in_definition(tree, root.node, error.node));
            }
            _ => say_duplicates(&mut finding, tree, json),
        }
        Finding {
            server: Some(ServerSays::Strict(error.text.clone())),
            ..finding
        }
    }));
    let Some(root) = json.root() else { return verdict };
    let locate = Locate {
        server,
        tree,
        root,
        subject,
    };
    verdict
        .errors
        .extend(server.errors.iter().take(most).map(|error| locate.error(error)));
    let later = server.hidden.iter().take(most).map(|error| locate.error(error));
    verdict.hints.extend(later.map(|it| it.in_class(Class::LaterError)));
    verdict.hints.extend(server.dropped.iter().take(most).map(|dropped| {
        let span = tree.span(dropped.node);
        let mut finding = Finding::new(Class::Hint, server_codes::DROPPED_FIELD, span, "");
        let root = json.root().map_or(dropped.node, |it| it.node);
        words::put(&mut finding, words::unknown::in_definition(tree, root, dropped.node));
        finding
            .notes
            .push("the API server drops it without an error or a warning".to_owned());
        finding.unnecessary = true;
        finding
    }));
    verdict
        .warnings
        .extend(server.warnings.iter().take(most).map(|it| locate.warning(it)));
    if let Some(unjudged) = &server.unjudged {
        verdict.other_error = locate.unjudged(unjudged);
    }
    let lists = [
        server.strict.len(),
        server.errors.len(),
        server.hidden.len(),
        server.dropped.len(),
        server.warnings.len(),
    ];
    verdict.left_out = left_out(lists, most) + server.left_out as usize;
    if let Some(unfinished) = server.unfinished {
        let whole = tree
            .root()
            .map_or_else(|| tree.document_span(), |root| first_line(tree.text(), tree.span(root)));
        verdict.unfinished.push(not_finished(whole, "this CRD", unfinished));
    }
    verdict
}

/// The errors that the API server would report about a CRD if it could decode the CRD, with their places. Keeps at most `most` in each list. `old` is
/// the CRD to be updated, if any.
pub(crate) fn after_decoding(
    server: &CrdVerdict,
    (tree, json): (&Tree, &JsonDoc<'_>),
    (old, version): (Option<&Stored>, KubernetesVersion),
    subject: Subject,
    most: usize,
) -> Vec<Finding> {
    if server.decode_error.is_none() || json.depth() > depth::limit() {
        return Vec::new();
    }
    // What a template fills in was taken out of the JSON, so it must not be read from the tree again.
    let mut json = json.clone();
    let compiler = CelCompiler::new(version);
    let Some(later) = judge_later(&mut json, tree, old, version, Some(&compiler)) else {
        return Vec::new();
    };
    let other_values = later.decode_errors.iter().map(|it| placed_decode_error(it, tree));
    let mut found: Vec<Finding> = other_values.collect();
    let rest = with_places(&later.verdict, tree, &json, subject, most);
    found.extend(rest.strict);
    found.extend(rest.errors);
    let mut found: Vec<Finding> = found.into_iter().map(|it| it.in_class(Class::LaterError)).collect();
    found.extend(rest.hints);
    found
}

/// The warnings that the API server would report about a CRD after its errors are fixed, with their places. Keeps at most `most`.
pub(crate) fn later_warnings(
    server: &CrdVerdict,
    version: KubernetesVersion,
    tree: &Tree,
    json: &JsonDoc<'_>,
    subject: Subject,
    most: usize,
) -> Vec<Finding> {
    let Some(root) = json.root() else { return Vec::new() };
    let locate = Locate {
        server,
        tree,
        root,
        subject,
    };
    let found = strategy::later_warnings(server, version);
    found.iter().take(most).map(|it| locate.warning(it)).collect()
}

/// The number of findings that are left out if each list has at most `most`.
pub(crate) fn left_out(lists: impl IntoIterator<Item = usize>, most: usize) -> usize {
    lists.into_iter().map(|it| it.saturating_sub(most)).sum()
}

/// The maximum number of repeated keys to list with an error.
const MAX_DUPLICATES: usize = 200;
/// The diagnostic about a document whose analysis exceeds the budget.
pub(crate) fn not_finished(span: Span, what: &str, unfinished: Unfinished) -> Finding {
    let needs = match unfinished {
        Unfinished::Work => "work",
        Unfinished::Bytes => "memory",
    };
    let headline =
        format!("{what} takes too much {needs} to check: crd-analyzer does not know whether the API server accepts it");
    let mut finding = Finding::new(Class::Hint, schema_codes::NOT_FINISHED, span, headline);
    finding.severity = Severity::Warning;
    finding
}

/// Strict field validation reports all repeated keys in one error. Adds the spans of all of them to the finding, and marks the first.
pub(crate) fn say_duplicates(finding: &mut Finding, tree: &Tree, json: &JsonDoc<'_>) {
    let related = |node, message: &str| Related {
        span: tree.span(node),
        message: message.to_owned(),
        file: None,
    };
    if say_two_objects(finding, tree) {
        return;
    }
    let mut merge_keys = MergeKeys::of(tree);
    for (n, duplicate) in json.duplicates().iter().take(MAX_DUPLICATES).enumerate() {
        let merged = merge_keys.between(duplicate);
        // A key beside the merge key is what the author meant to set.
        let (main, other) = match merged {
            Merged::After | Merged::Same => (duplicate.first, duplicate.second),
            Merged::No | Merged::Before | Merged::Twice => (duplicate.second, duplicate.first),
        };
        if n == 0 {
            let name = tree.scalar(main);
            let words = match merged {
                Merged::No => words::unknown::twice(&name),
                Merged::Before => words::unknown::overrides_merged(&name),
                Merged::After | Merged::Same => words::unknown::replaced_by_merge(&name),
                Merged::Twice => words::unknown::merged_twice(&name),
            };
            finding.span = tree.span(main);
            words::put(finding, words);
        } else {
            finding.related.push(related(main, "another key that is written twice"));
        }
        let first = match merged {
            Merged::No => "written here first",
            Merged::Before | Merged::After | Merged::Same | Merged::Twice => "merged from here",
        };
        finding.related.push(related(other, first));
    }
}

/// If the document mixes two objects, changes the finding to say so, because the other errors are a consequence of that. Returns whether it does.
fn say_two_objects(finding: &mut Finding, tree: &Tree) -> bool {
    let Some(second) = mixed_objects::second_object(tree) else {
        return false;
    };
    finding.span = tree.span(second);
    finding.related.clear();
    words::put(finding, words::unknown::two_objects());
    finding.explains_rest = true;
    true
}

/// The data that is needed to find the place of a field path.
struct Locate<'a> {
    server: &'a CrdVerdict,
    tree: &'a Tree,
    root: &'a Json<'a>,
    subject: Subject,
}

impl Locate<'_> {
    /// The places in the CRD's text for a path in the API server's internal form, in the order of the file. If the field is missing, the place where
    /// it would be.
    fn places(
        &self,
        path: &crd_analyzer_schema::field::Path,
    ) -> impl Iterator<Item = (Span, Option<LocatedField>)> + use<'_> {
        let hoisted = self
            .server
            .definition
            .as_ref()
            .map(|definition| definition.hoisted)
            .unwrap_or_default();
        places::find(self.root, hoisted, path)
            .into_iter()
            .map(|place| (spot(self.tree, place.key, place.value), place.missing.then_some(place)))
    }

    /// The first place for an internal path, as a path in the form that the author uses.
    fn first_path(&self, path: &Path) -> Option<Path> {
        let definition = self.server.definition.as_ref();
        let hoisted = definition.map(|it| it.hoisted).unwrap_or_default();
        let first = places::find(self.root, hoisted, path).into_iter().next();
        first.map(|it| it.path)
    }

    fn error(&self, error: &Error) -> Finding {
        let hoisted = self
            .server
            .definition
            .as_ref()
            .map(|definition| definition.hoisted)
            .unwrap_or_default();
        let mut places = places::find(self.root, hoisted, error.place()).into_iter();
        let first = places.next();
        let one_too_many = place_reasons::one_too_many(error, self.root);
        let span = match (one_too_many, &first) {
            (Some(node), _) => self.tree.span(node),
            (None, Some(place)) => of_error(self.tree, place, error),
            (None, None) => self.tree.span(self.root.node),
        };
        let mut finding = Finding::new(Class::Error, error.code, span, "");
        let path = first.as_ref().map_or(&error.path, |it| &it.path);
        let about = About::new(error, path, self.root, true).of_tree(self.tree);
        words::give(&mut finding, words::of(&about), error);
        finding.elsewhere = first
            .as_ref()
            .and_then(|place| place_reasons::reason(error, place, self.tree));
        if self.subject == Subject::PartialCrd {
            // A patch leaves out fields that every CRD needs. Its name must match fields that it leaves out as well.
            let is_missing = first.as_ref().is_some_and(|place| place.missing);
            finding.suppressed = is_missing || self.is_of_the_rest(error.code);
        }
        finding.related = places
            .map(|place| Related {
                span: of_error(self.tree, &place, error),
                message: words::same_elsewhere(self.root, &place.path),
                file: None,
            })
            .collect();
        finding
            .related
            .extend(first.iter().flat_map(|it| other_problems(self.tree, it, error)));
        finding.related.extend(
            place_reasons::deciding(error, self.root, hoisted)
                .into_iter()
                .filter(|(node, _)| Some(*node) != one_too_many)
                .map(|(node, what)| Related {
                    span: self.tree.span(node),
                    message: what.to_owned(),
                    file: None,
                }),
        );
        finding.server = Some(ServerSays::cause(error));
        finding
    }

    /// Whether an error of a partial CRD is about a field that is in the rest of the CRD.
    fn is_of_the_rest(&self, code: &str) -> bool {
        let spec = self.root.get("spec");
        let versions = spec.and_then(|it| it.get("versions"));
        let versions = versions.and_then(Json::items).unwrap_or_default();
        let names_itself = || spec?.get("group").zip(spec?.get("names")?.get("plural"));
        let is_stored = |it: &Json<'_>| it.get("storage").is_some_and(|it| it.value == JsonValue::Bool(true));
        match code {
            schema_codes::INVALID_METADATA_NAME => names_itself().is_none(),
            server_codes::STORED_VERSIONS => true,
            server_codes::STORAGE_VERSION_COUNT => !versions.iter().any(is_stored),
            _ => false,
        }
    }

    fn warning(&self, warning: &Warning) -> Finding {
        let places = warning.paths.iter().flat_map(|path| self.places(path));
        // Through aliases, the same text may be used for several keywords, and the paths are not in document order.
        let mut spans: Vec<Span> = places.map(|(span, _)| span).collect();
        spans.sort_unstable_by_key(|it| (it.start, it.end));
        spans.dedup();
        let mut spans = spans.into_iter();
        let span = spans
            .next()
            .unwrap_or_else(|| first_line(self.tree.text(), self.tree.span(self.root.node)));
        let path = warning.paths.first().and_then(|it| self.first_path(it));
        let related = spans
            .map(|span| Related {
                span,
                message: "here too".to_owned(),
                file: None,
            })
            .collect();
        let mut finding = Finding::new(Class::Warning, warning.code, span, warning.text.clone());
        let about = |path| About::of(warning.code, None, path, self.root, true);
        if let Some(words) = path.as_ref().and_then(|it| words::of(&about(it))) {
            words::put(&mut finding, words);
        }
        finding.server = Some(ServerSays::Warning(warning.text.clone()));
        finding.related = related;
        finding
    }

    fn unjudged(&self, unjudged: &Unjudged) -> Option<Finding> {
        let (code, span, message) = match unjudged {
            Unjudged::NotFinished => return None,
            Unjudged::ServerPanics { error } => {
                let span = self
                    .places(&error.path)
                    .next()
                    .map_or_else(|| self.tree.span(self.root.node), |(span, _)| span);
                (
                    server_codes::SERVER_PANIC,
                    span,
                    format!("the API server fails on this CRD (HTTP 500): {}", error.detail),
                )
            }
            Unjudged::TooDeep { node } => {
                let message = "nested too deeply to be checked".to_owned();
                (server_codes::TOO_DEEP, spot_of_node(self.tree, *node), message)
            }
        };
        let mut finding = Finding::new(Class::Error, code, span, "");
        words::put(&mut finding, words::unjudged(code == server_codes::SERVER_PANIC));
        finding.server = Some(ServerSays::Other(message));
        Some(finding)
    }
}
