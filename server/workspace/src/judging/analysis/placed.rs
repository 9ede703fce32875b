//! Converts the API server's answer about an object of a kind in the table to findings with places.

use crd_analyzer_admission::{Unjudged, Verdict};
use crd_analyzer_apiextensions::{
    codes as server_codes,
    decode::{Refused, StrictErrorKind},
    kind::Version,
    places,
    warnings::Warning,
};
use crd_analyzer_resource::codes::UNSERVED_VERSION;
use crd_analyzer_schema::{KubernetesVersion, field::Error, go};
use crd_analyzer_syntax::{
    json::{Json, JsonDoc},
    tree::{NodeId, Span, Tree},
};

use crate::{
    documents::spans::{first_line, of_error, spot, steps},
    findings::finding::{Class, Finding, ServerSays},
    findings::other_problems::other_problems,
    findings::report::DocumentVerdict,
    judging::verdict::{left_out, not_finished, say_duplicates, unreadable},
    kinds::Row,
    words::{self, About},
};

/// An object that was checked, and its text.
pub(super) struct JudgedObject<'a> {
    pub(super) tree: &'a Tree,
    pub(super) json: &'a JsonDoc<'a>,
    pub(super) row: &'static Row,
    pub(super) of: &'static Version,
    pub(super) version: KubernetesVersion,
}

/// The answer if the API server of this Kubernetes version does not serve this version of the kind.
pub(super) fn unserved(row: &Row, api_version: &str, place: Span, by: KubernetesVersion) -> DocumentVerdict {
    let mut finding = Finding::new(Class::Error, UNSERVED_VERSION, place, "");
    let served = row.kind.versions.iter().filter(|it| it.is_served(by));
    let served: Vec<String> = served.map(|it| it.api_version.to_owned()).collect();
    words::put(
        &mut finding,
        words::decode::not_served(api_version, row.kind.name, &served),
    );
    let (kind, api_version) = (go::quote(row.kind.name), go::quote(api_version));
    let text = format!("no matches for kind {kind} in version {api_version}");
    finding.server = Some(ServerSays::Decode(text));
    DocumentVerdict {
        decode_error: Some(finding),
        ..DocumentVerdict::default()
    }
}

/// Converts the API server's answer to findings with places. Keeps at most `most` findings in each list.
pub(super) fn placed(judged: &JudgedObject<'_>, server: &Verdict, most: usize) -> DocumentVerdict {
    let JudgedObject {
        tree, json, row, of, ..
    } = *judged;
    let whole = json.root().map_or_else(
        || tree.document_span(),
        |root| first_line(tree.text(), tree.span(root.node)),
    );
    let mut verdict = DocumentVerdict::default();
    match &server.refused {
        None => {}
        Some(Refused::ByServer {
            text,
            problem,
            node,
            code,
        }) => verdict.decode_error = Some(unreadable(code, spot_of(tree, *node), text, problem)),
        Some(Refused::TooDeep { node }) => {
            let mut finding = Finding::new(Class::Error, server_codes::TOO_DEEP, spot_of(tree, *node), "");
            words::put(&mut finding, words::unjudged(false));
            verdict.other_error = Some(finding);
        }
    }
    let Some(root) = json.root() else { return verdict };
    let what = format!("a {}", row.kind.name);
    verdict.strict.extend(server.strict.iter().take(most).map(|error| {
        let mut finding = Finding::new(Class::Error, error.kind.code(), tree.span(error.node), "");
        match error.kind {
            StrictErrorKind::UnknownField => {
                let words = words::unknown::in_object(tree, root.node, error.node, (of.fields, &what));
                words::put(&mut finding, words);
            }
            StrictErrorKind::DuplicateKeys => say_duplicates(&mut finding, tree, json),
        }
        finding.server = Some(ServerSays::Strict(error.text.clone()));
        finding
    }));
    let locate = |it| judged.error(root, it);
    verdict.errors.extend(server.errors.iter().take(most).map(locate));
    verdict
        .warnings
        .extend(server.warnings.iter().take(most).map(|it| judged.warning(root, it)));
    if let Some(Unjudged::ServerCrashes(error)) = &server.unjudged {
        let mut finding = judged.error(root, error);
        finding.code = server_codes::SERVER_PANIC;
        finding.server = Some(ServerSays::Other(error.detail.clone()));
        verdict.other_error = Some(finding);
    }
    let lists = [server.strict.len(), server.errors.len(), server.warnings.len()];
    verdict.left_out = left_out(lists, most) + server.left_out as usize;
    if let Some(unfinished) = server.unfinished {
        let what = format!("this {}", row.kind.name);
        verdict.unfinished.push(not_finished(whole, &what, unfinished));
    }
    verdict
}

impl JudgedObject<'_> {
    fn error(&self, root: &Json<'_>, error: &Error) -> Finding {
        let place = places::place(root, error.place().clone());
        let span = of_error(self.tree, &place, error);
        let mut finding = Finding::new(Class::Error, error.code, span, "");
        let path = steps(place.path.segments());
        let context = self.row.context(self.tree, root.node, &path, self.version);
        let mut about = About::new(error, &place.path, root, false);
        about.sees = context.as_ref();
        words::give(&mut finding, words::of(&about), error);
        finding.elsewhere = if place.missing {
            Some(format!("{} is missing; this is the closest place", place.path))
        } else if context.is_some() {
            Some(self.row.deciding.to_owned())
        } else if self.tree.is_scalar(place.value) && !self.tree.is_absent(place.value) {
            None
        } else {
            Some(format!(
                "the diagnostic is about {} as a whole, so it is shown at the key",
                place.path
            ))
        };
        finding.related.extend(other_problems(self.tree, &place, error));
        finding.server = Some(ServerSays::cause(error));
        finding
    }

    fn warning(&self, root: &Json<'_>, warning: &Warning) -> Finding {
        let place = warning.paths.first().map(|it| places::place(root, it.clone()));
        let span = place.as_ref().map_or_else(
            || first_line(self.tree.text(), self.tree.span(root.node)),
            |it| spot(self.tree, it.key, it.value),
        );
        let mut finding = Finding::new(Class::Warning, warning.code, span, warning.text.clone());
        if let Some(words) = place.and_then(|it| words::of(&About::of(warning.code, None, &it.path, root, false))) {
            words::put(&mut finding, words);
        }
        finding.server = Some(ServerSays::Warning(warning.text.clone()));
        finding
    }
}

/// The span to mark for a node.
fn spot_of(tree: &Tree, node: NodeId) -> Span {
    let key = tree.entry_of(node).map(|it| it.key).filter(|it| *it != node);
    spot(tree, key, node)
}
