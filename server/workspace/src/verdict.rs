//! From what the server answers to findings with places.

use crd_analyzer_apiextensions::{
    codes as server_codes,
    decode::StrictErrorKind,
    places::{self, Place},
    strategy::{DecodeError, DecodePlace, Unjudged, Verdict as ServerVerdict},
};
use crd_analyzer_cel::parser::in_plain_words;
use crd_analyzer_schema::{
    codes as schema_codes,
    field::{Error, ErrorType},
};
use crd_analyzer_syntax::{
    json::{Json, JsonDoc},
    reader::ReadError,
    tree::{NodeId, Span, Tree},
};

use crate::{
    codes, decode_words,
    finding::{Class, Finding, Related, ServerSays},
    report::{Subject, Verdict},
    why,
};

/// The answer for a document that cannot be read as a definition.
pub(crate) fn of_unread(server: &ServerVerdict) -> Verdict {
    let decode_error = server.decode_error.as_ref().map(|error| {
        let span = match error.place {
            DecodePlace::Text(span) => span,
            DecodePlace::Node(_) => Span::default(),
        };
        decode_error(error, span)
    });
    Verdict {
        decode_error,
        ..Verdict::default()
    }
}

fn decode_error(error: &DecodeError, span: Span) -> Finding {
    unreadable(error.code, span, &error.text)
}

/// The finding on a document that cannot be read: at a place what is wrong, with the server's words for it.
pub(crate) fn unreadable(code: &'static str, span: Span, text: &str) -> Finding {
    let message = decode_words::of(text).unwrap_or_else(|| text.to_owned());
    Finding {
        server: Some(ServerSays::Decode(text.to_owned())),
        ..Finding::new(Class::Error, code, span, message)
    }
}

/// The answer for a file that clients cannot cut into documents.
pub(crate) fn not_cut(error: &ReadError) -> Verdict {
    let finding = unreadable(server_codes::INVALID_YAML, error.span, &error.message);
    Verdict {
        decode_error: Some(finding),
        ..Verdict::default()
    }
}

/// The answer where the revision to compare with cannot be read.
pub(crate) fn without_previous(tree: &Tree) -> Verdict {
    let message = "old object does not decode";
    let span = first_line(tree.text(), tree.document_span());
    let finding = Finding {
        server: Some(ServerSays::Decode(message.to_owned())),
        ..Finding::new(
            Class::Error,
            codes::UNREADABLE_PREVIOUS_REVISION,
            span,
            "the previous revision cannot be read as a definition",
        )
    };
    Verdict {
        decode_error: Some(finding),
        ..Verdict::default()
    }
}

/// Where to point for a node: a scalar itself, of a collection the key it stands at, or its first line.
pub(crate) fn spot(tree: &Tree, key: Option<NodeId>, value: NodeId) -> Span {
    if tree.is_scalar(value) && !tree.is_absent(value) {
        return tree.span(value);
    }
    if let Some(key) = key {
        return tree.span(key);
    }
    if tree.is_absent(value) {
        return tree.span(value);
    }
    first_line(tree.text(), tree.span(value))
}

/// The first line of a span that holds something.
pub(crate) fn first_line(text: &str, span: Span) -> Span {
    let text = &text[span.range()];
    let end = text.find(['\r', '\n']).unwrap_or(text.len());
    Span::new(span.start, span.start + text[..end].trim_end().len() as u32)
}

/// The key that a node is the value of.
fn key_of(tree: &Tree, node: NodeId) -> Option<NodeId> {
    tree.entry_of(node).map(|entry| entry.key).filter(|key| *key != node)
}

fn spot_of_node(tree: &Tree, node: NodeId) -> Span {
    spot(tree, key_of(tree, node), node)
}

/// Gives everything in the server's answer its place.
pub(crate) fn with_places(server: &ServerVerdict, tree: &Tree, json: &JsonDoc<'_>, subject: Subject) -> Verdict {
    let mut verdict = Verdict {
        decode_error: server.decode_error.as_ref().map(|error| {
            let span = match error.place {
                DecodePlace::Text(span) => span,
                DecodePlace::Node(node) => spot_of_node(tree, node),
            };
            decode_error(error, span)
        }),
        other_error: server.other_error.as_ref().map(|text| {
            let span = tree
                .root()
                .map_or_else(|| tree.document_span(), |root| first_line(tree.text(), tree.span(root)));
            Finding {
                server: Some(ServerSays::Other(text.clone())),
                ..Finding::new(Class::Error, codes::REFUSED, span, text.clone())
            }
        }),
        ..Verdict::default()
    };
    verdict.strict.extend(server.strict.iter().map(|error| {
        let mut finding = Finding::new(
            Class::Error,
            error.kind.code(),
            tree.span(error.node),
            error.text.clone(),
        );
        if error.kind == StrictErrorKind::DuplicateKeys {
            say_duplicates(&mut finding, tree, json);
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
        .extend(server.errors.iter().map(|error| locate.error(error)));
    verdict.hints.extend(server.hidden.iter().map(|error| {
        let found = locate.error(error);
        Finding {
            class: Class::Hint,
            severity: Class::Hint.severity(),
            hidden: true,
            ..found
        }
    }));
    verdict.hints.extend(server.dropped.iter().map(|dropped| {
        let message = format!(
            "no such field, and the server drops it without a word: {}",
            dropped.path
        );
        let span = tree.span(dropped.node);
        Finding {
            unnecessary: true,
            ..Finding::new(Class::Hint, server_codes::DROPPED_FIELD, span, message)
        }
    }));
    verdict.warnings.extend(server.warnings.iter().map(|warning| {
        let places = warning.paths.iter().flat_map(|path| locate.places(path));
        // One text may stand for many keywords, which the paths name in no order of the file.
        let mut spans: Vec<Span> = places.map(|(span, _)| span).collect();
        spans.sort_unstable_by_key(|it| (it.start, it.end));
        spans.dedup();
        let mut spans = spans.into_iter();
        let span = spans
            .next()
            .unwrap_or_else(|| first_line(tree.text(), tree.span(root.node)));
        let related = spans
            .map(|span| Related {
                span,
                message: "here too".to_owned(),
                file: None,
            })
            .collect();
        let server = Some(ServerSays::Warning(warning.text.clone()));
        Finding {
            server,
            related,
            ..Finding::new(Class::Warning, warning.code, span, warning.text.clone())
        }
    }));
    if let Some(unjudged) = &server.unjudged {
        verdict.other_error = Some(locate.unjudged(unjudged));
    }
    verdict
}

/// Strict field validation says of all keys that are written twice in one error: the first one is where to point.
pub(crate) fn say_duplicates(finding: &mut Finding, tree: &Tree, json: &JsonDoc<'_>) {
    let related = |node, message: &str| Related {
        span: tree.span(node),
        message: message.to_owned(),
        file: None,
    };
    for (n, duplicate) in json.duplicates().iter().enumerate() {
        if n == 0 {
            finding.message = format!("key {:?} is already set in this map", tree.scalar(duplicate.second));
        } else {
            finding
                .related
                .push(related(duplicate.second, "another key that is set twice"));
        }
        finding.related.push(related(duplicate.first, "set here first"));
    }
}

/// What is wrong, in one line that makes sense alone.
pub(crate) fn title(error: &Error) -> String {
    let words = error.kind.words();
    match (error.kind, error.detail.as_str(), error.bad_value.as_str()) {
        (_, "", "") => format!("{words}: {}", error.path),
        (_, "", value) => format!("{words}: {value}"),
        (ErrorType::NotSupported | ErrorType::Duplicate, detail, value) if !value.is_empty() => {
            format!("{words}: {value}: {detail}")
        }
        (_, detail, _) => one_line(detail),
    }
}

/// The first of the compiler's errors without its place, which is where the finding is.
fn one_line(detail: &str) -> String {
    let line = detail.lines().next().unwrap_or_default();
    let Some((before, error)) = line.split_once("ERROR: <input>:") else {
        return line.to_owned();
    };
    let message = error.splitn(3, ':').nth(2).unwrap_or(error).trim_start();
    let plain = in_plain_words(message);
    format!("{before}{}", plain.as_deref().unwrap_or(message))
}

/// What is needed to find the place of a field path.
struct Locate<'a> {
    server: &'a ServerVerdict,
    tree: &'a Tree,
    root: &'a Json<'a>,
    subject: Subject,
}

impl Locate<'_> {
    /// The places that a path of the server's internal form means, in the order of the file; the place that is missing, if it is.
    fn places(&self, path: &crd_analyzer_schema::field::Path) -> impl Iterator<Item = (Span, Option<Place>)> + use<'_> {
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

    fn error(&self, error: &Error) -> Finding {
        let message = title(error);
        let hoisted = self
            .server
            .definition
            .as_ref()
            .map(|definition| definition.hoisted)
            .unwrap_or_default();
        let mut places = places::find(self.root, hoisted, &error.path).into_iter();
        let first = places.next();
        let span = first
            .as_ref()
            .map_or_else(|| self.tree.span(self.root.node), |place| self.span(place, error));
        let mut finding = Finding::new(Class::Error, error.code, span, message);
        finding.elsewhere = first.as_ref().and_then(|place| why::reason(error, place, self.tree));
        if self.subject == Subject::PartialDefinition {
            // A patch does not say what every definition needs, and its name is made of what it leaves out.
            let is_missing = first.is_some_and(|place| place.missing);
            finding.suppressed = is_missing || error.code == schema_codes::INVALID_METADATA_NAME;
        }
        finding.related = places
            .map(|place| Related {
                span: self.span(&place, error),
                message: "the same in another version".to_owned(),
                file: None,
            })
            .collect();
        finding.related.extend(
            why::deciding(error, self.root, hoisted)
                .into_iter()
                .map(|(node, what)| Related {
                    span: self.tree.span(node),
                    message: what.to_owned(),
                    file: None,
                }),
        );
        finding.server = Some(ServerSays::cause(error));
        finding
    }

    /// The place of an error, down to the part of the scalar if the error knows it.
    fn span(&self, place: &Place, error: &Error) -> Span {
        match &error.inner {
            Some(inner) if !place.missing && self.tree.is_scalar(place.value) => {
                self.tree.source_map(place.value).span(inner.clone())
            }
            _ => spot(self.tree, place.key, place.value),
        }
    }

    fn unjudged(&self, unjudged: &Unjudged) -> Finding {
        let (code, span, message) = match unjudged {
            Unjudged::ServerPanics { error } => {
                let span = self
                    .places(&error.path)
                    .next()
                    .map_or_else(|| self.tree.span(self.root.node), |(span, _)| span);
                (
                    server_codes::SERVER_PANIC,
                    span,
                    format!("the API server fails on this definition (HTTP 500): {}", error.detail),
                )
            }
            Unjudged::TooDeep { node } => {
                let message = "nested too deeply to be judged here".to_owned();
                (server_codes::TOO_DEEP, spot_of_node(self.tree, *node), message)
            }
        };
        Finding {
            server: Some(ServerSays::Other(message.clone())),
            ..Finding::new(Class::Error, code, span, message)
        }
    }
}
