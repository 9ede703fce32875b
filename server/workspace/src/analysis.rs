//! From the text of a file to what is said about its documents.

use std::{
    cell::{Cell, RefCell},
    path::Path,
};

use crd_analyzer_apiextensions::{
    decode::WrittenType,
    strategy::{Stored, Verdict as ServerVerdict, judge_create, judge_update},
    validation::CelCompiler,
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    json::{JsonDoc, read_json_of},
    read_json,
    split::{Document, split},
    template::first_action,
    tree::{NodeId, Span, Tree},
};

use crate::{
    advice, codes,
    costs::{self, DocumentCosts},
    finding::{Class, Finding},
    generated::{GoSources, Origin},
    hazards,
    head::{self, Head},
    hints,
    index::{
        Definitions, native,
        objects::{self, Object},
    },
    report::{DocumentReport, FileReport, Subject},
    resource::{self, Previous},
    suppress,
    text::Text,
    verdict,
    versions::VersionSet,
};

/// What is asked about a text.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// By which minors.
    pub versions: VersionSet,
    /// The text was named by the user: a document that does not say what it is counts as a definition, as if it were sent to the server
    /// as one. In texts that were found in a folder, such documents are somebody else's.
    pub named: bool,
    /// The stored manifest that the text replaces: then the question is one about an update.
    pub old: Option<Old<'a>>,
    /// The file of the text, absolute; definitions near to it count for more.
    pub path: Option<&'a Path>,
    /// Where the definitions of custom resources are found. Without, nothing is said of those.
    pub definitions: Option<&'a dyn Definitions>,
    /// The definitions are those that the text was sent for: a text that holds only an object of another kind is answered as a server
    /// that has no other definition would.
    pub has_own_definition: bool,
    /// Where the Go sources are found that definitions are generated from.
    pub go: Option<&'a dyn GoSources>,
    /// Whether hazards of rules are told.
    pub hazards: hazards::Search<'a>,
    /// What the rules of definitions cost is wanted, too, by the newest of the minors.
    pub wants_costs: bool,
}

/// A manifest that is replaced.
#[derive(Clone, Copy, Debug)]
pub struct Old<'a> {
    /// Its text.
    pub text: &'a [u8],
    /// The user said that the one replaces the other: what has no object of its name in the old text replaces the first one there. Else it
    /// is new.
    pub is_paired: bool,
}

impl Question<'_> {
    /// By these minors, of a text that was found somewhere and replaces nothing, and only of the definitions in it.
    pub fn new(versions: VersionSet) -> Self {
        Self {
            versions,
            named: false,
            old: None,
            path: None,
            definitions: None,
            has_own_definition: false,
            go: None,
            hazards: hazards::Search::Off,
            wants_costs: false,
        }
    }
}

/// Answers for all definitions in a text, and for all resources whose definitions are known. Any bytes are a text.
pub fn analyze(bytes: Vec<u8>, question: &Question<'_>) -> FileReport {
    let source = Text::decode(bytes);
    let old = question.old.map(|old| Text::decode(old.text.to_vec()));
    let mut report = FileReport {
        text: source.content.clone(),
        documents: Vec::new(),
        findings: Vec::new(),
        unknown: 0,
        is_unfinished: false,
        costs: Vec::new(),
    };
    let found = split(&source.content);
    if let Some(error) = found.error {
        // Clients that cannot cut a file send none of it.
        if question.named
            || found
                .documents
                .iter()
                .any(|document| head::read(&source, *document).is_definition())
        {
            let mut document = report_of(0, error.span, &WrittenType::default(), Subject::Definition);
            document.verdicts.extend(
                question
                    .versions
                    .iter()
                    .map(|version| (version, verdict::not_cut(&error))),
            );
            report.documents.push(document);
        }
        return report;
    }
    let is_paired = question.old.is_some_and(|it| it.is_paired);
    let previous = old.as_ref().map(|old| Previous::new(old, is_paired));
    let ask = Ask {
        source: &source,
        question,
        previous: previous.as_ref(),
        is_alone: found.documents.len() == 1,
        unknown: Cell::new(0),
        is_unfinished: Cell::new(false),
        costs: RefCell::default(),
    };
    for document in found.documents {
        match ask.judge(document) {
            Judged::Documents(documents) => report.documents.extend(documents),
            Judged::Template { action, document } => {
                // Said once of a file: where there is one, there are many.
                if report.findings.is_empty() {
                    report.findings.push(template(action));
                }
                report.documents.extend(document.map(|it| *it));
            }
        }
    }
    report.unknown = ask.unknown.get();
    report.is_unfinished = ask.is_unfinished.get();
    report.costs = ask.costs.into_inner();
    report
}

/// What became of a document.
enum Judged {
    /// There is this to say about it, or about the objects in it.
    Documents(Vec<DocumentReport>),
    /// It is the template of a definition.
    Template {
        /// Its first action.
        action: Span,
        /// What a server would say of the template as it is, which nobody wants to be shown; if it was asked.
        document: Option<Box<DocumentReport>>,
    },
}

impl Judged {
    const NOTHING: Self = Self::Documents(Vec::new());
}

fn template(action: Span) -> Finding {
    let message = "this is a template, not a manifest: it is checked once it is filled in";
    Finding::new(Class::Hint, codes::TEMPLATE, action, message)
}

/// A text and what is asked about it.
struct Ask<'a> {
    source: &'a Text,
    question: &'a Question<'a>,
    previous: Option<&'a Previous<'a>>,
    /// The text is one document.
    is_alone: bool,
    /// See [`FileReport::unknown`].
    unknown: Cell<usize>,
    /// See [`FileReport::is_unfinished`].
    is_unfinished: Cell<bool>,
    /// See [`FileReport::costs`].
    costs: RefCell<Vec<DocumentCosts>>,
}

impl Ask<'_> {
    fn judge(&self, document: Document) -> Judged {
        let Self { source, question, .. } = *self;
        let found = Head::read(source, document);
        let head = found.written.clone();
        let is_asked = head.is_asked(question.named && !question.has_own_definition);
        if !is_asked {
            let documents = if objects::is_list(&head) {
                self.list(document, &head)
            } else {
                let object = Object {
                    document,
                    item: None,
                    written: head.clone(),
                    defines: None,
                };
                self.resource(&object, None).into_iter().collect()
            };
            if !documents.is_empty() {
                return Judged::Documents(documents);
            }
        }
        let text = &source.content[document.span.range()];
        let may_be_template = || head.kind.is_empty() && text.contains("{{") && head::names_definition(text);
        if !(is_asked || may_be_template()) {
            return Judged::NOTHING;
        }
        let unread = |answer: &dyn Fn(KubernetesVersion) -> ServerVerdict| {
            let mut report = report_of(document.index, document.span, &head, Subject::Definition);
            let verdicts = question
                .versions
                .iter()
                .map(|version| (version, verdict::of_unread(&answer(version))));
            report.verdicts.extend(verdicts);
            report
        };
        let refused = |mut report: DocumentReport| {
            let Some(action) = first_action(&source.content, document.span) else {
                return if is_asked {
                    Judged::Documents(vec![report])
                } else {
                    Judged::NOTHING
                };
            };
            for (_, verdict) in &mut report.verdicts {
                verdict
                    .decode_error
                    .iter_mut()
                    .for_each(|error| error.suppressed = true);
            }
            Judged::Template {
                action,
                document: question.named.then(|| Box::new(report)),
            }
        };
        let read = found.whole(source, document);
        if head.unserved().is_some() {
            let tree = read.as_ref().ok();
            let written = tree.and_then(|tree| Some(tree.span(tree.get(tree.root()?, "apiVersion")?)));
            let place = written.unwrap_or_else(|| verdict::first_line(&source.content, document.span));
            if let Some(answer) = ServerVerdict::of_unserved(&head, place) {
                let mut report = unread(&|_| answer.clone());
                if let Some(tree) = tree {
                    silence(source, tree.comments(), &mut report);
                }
                return Judged::Documents(vec![report]);
            }
        }
        // Braces of a template may be YAML that no JSON can be made of.
        let tree = match read {
            Ok(tree) => tree,
            Err(error) => {
                return refused(unread(&|_| ServerVerdict::of_read_error(&error)));
            }
        };
        let json = match read_json(&tree) {
            Ok(json) => json,
            Err(error) => {
                let answer = |version| ServerVerdict::of_convert_error(&error, version);
                let mut report = unread(&answer);
                silence(source, tree.comments(), &mut report);
                return refused(report);
            }
        };
        if !is_asked {
            return Judged::NOTHING;
        }
        let report = report_of(document.index, document.span, &head, Subject::Definition);
        let mut report = self.definition(report, &tree, &json);
        silence(source, tree.comments(), &mut report);
        Judged::Documents(vec![report])
    }

    /// Answers for a definition that can be read.
    fn definition(&self, mut report: DocumentReport, tree: &Tree, json: &JsonDoc<'_>) -> DocumentReport {
        if is_partial(json) {
            report.subject = Subject::PartialDefinition;
        }
        let hints = hints::find(tree, json);
        let written = WrittenType {
            api_version: report.api_version.clone(),
            kind: report.kind.clone(),
            name: report.name.clone(),
        };
        let stored = self.previous.map(|previous| previous.definition(&written));
        // What nothing of this name was before is new, unless the user says otherwise.
        let is_new = |previous: &Previous<'_>| !previous.must_replace(&written);
        let is_new = matches!(stored, Some(None)) && self.previous.is_some_and(is_new);
        let old_json = stored.flatten().and_then(|(tree, node)| read_json_of(tree, node).ok());
        let newest = self.question.versions.newest();
        let origin = Origin::of(tree, self.question.path, self.question.go);
        for version in self.question.versions.iter() {
            let compiler = CelCompiler::new(version);
            let server = if self.previous.is_none() || is_new {
                judge_create(json, version, Some(&compiler))
            } else if let Some(stored) = old_json.as_ref().and_then(|it| Stored::establish(it, version)) {
                judge_update(json, &stored, version, Some(&compiler))
            } else {
                report.verdicts.push((version, verdict::without_previous(tree)));
                continue;
            };
            let mut verdict = verdict::with_places(&server, tree, json, report.subject);
            verdict.hints.extend_from_slice(&hints);
            let is_needed = advice::is_needed(&verdict);
            let is_wanted =
                self.question.wants_costs && version == self.question.versions.newest() && server.unjudged.is_none();
            if let Some(root) = json.root().filter(|_| is_needed || is_wanted) {
                let placed = costs::of_verdict(tree, root, &server, version);
                if is_needed {
                    advice::give(&mut verdict, &placed, origin.as_ref());
                }
                if is_wanted && !placed.is_empty() {
                    self.costs.borrow_mut().push(DocumentCosts {
                        index: Some(report.index),
                        name: report.name.clone(),
                        answers: vec![(version, Ok(placed))],
                    });
                }
            }
            if let Some(origin) = &origin {
                origin.name(&mut verdict.errors);
                origin.name(&mut verdict.warnings);
                origin.name(&mut verdict.hints);
            }
            report.verdicts.push((version, verdict));
            if version == newest
                && let Some(root) = json.root()
            {
                // Rules do the same everywhere where they compile: one minor tells for all.
                let mut found = hazards::find(tree, root, &server, version, self.question.hazards);
                if let Some(origin) = &origin {
                    origin.name(&mut found.hints);
                }
                self.is_unfinished.set(self.is_unfinished.get() || found.is_unfinished);
                for (_, verdict) in &mut report.verdicts {
                    verdict.hints.extend_from_slice(&found.hints);
                }
            }
        }
        report
    }

    /// Answers for the objects of a list, each as if it came alone: so do clients send them.
    fn list(&self, document: Document, head: &WrittenType) -> Vec<DocumentReport> {
        let Ok(tree) = self.source.read(document) else {
            return Vec::new();
        };
        let Some(objects) = objects::items_in(&tree, document, head) else {
            return Vec::new();
        };
        let mut reports = Vec::new();
        for (object, node) in &objects {
            if object.written.is_definition() {
                let mut report = DocumentReport::new(object, Subject::Definition);
                report.span = tree.span(*node);
                let place = verdict::first_line(tree.text(), report.span);
                if let Some(answer) = ServerVerdict::of_unserved(&object.written, place) {
                    let all = self.question.versions.iter();
                    report.verdicts.extend(all.map(|it| (it, verdict::of_unread(&answer))));
                    reports.push(report);
                } else if let Ok(json) = read_json_of(&tree, *node) {
                    reports.push(self.definition(report, &tree, &json));
                }
            } else {
                reports.extend(self.resource(object, Some((&tree, *node))));
            }
        }
        silence_all(self.source, tree.comments(), &mut reports);
        reports
    }

    /// Answers for a custom resource, if it is one whose definition is known. `read`: where it is, if its document has been read.
    fn resource(&self, object: &Object, read: Option<(&Tree, NodeId)>) -> Option<DocumentReport> {
        let definitions = self.question.definitions?;
        let kind = objects::group_kind(&object.written).unwrap_or_default();
        let Some(found) = definitions.find(&kind, self.question.path.unwrap_or(Path::new(""))) else {
            if !kind.kind.is_empty() && !native::is_native(&kind.group) {
                self.unknown.set(self.unknown.get() + 1);
            }
            let is_asked = self.question.has_own_definition && self.is_alone;
            return is_asked.then(|| resource::without_definition(self.source, object, self.question.versions));
        };
        let asked = resource::Asked {
            text: self.source,
            object,
            kind,
            found,
            definitions,
            question: self.question,
            previous: self.previous,
        };
        if let Some(read) = read {
            return resource::judge(&asked, Ok(read));
        }
        match self.source.read(object.document) {
            Ok(tree) => {
                let root = tree.root()?;
                let mut report = resource::judge(&asked, Ok((&tree, root)))?;
                silence(self.source, tree.comments(), &mut report);
                Some(report)
            }
            Err(error) => resource::judge(&asked, Err(&error)),
        }
    }
}

/// A patch as kustomize has it: it says nothing of what every definition needs.
fn is_partial(json: &JsonDoc<'_>) -> bool {
    let spec = json.root().and_then(|root| root.get("spec"));
    spec.is_none_or(|spec| spec.get("versions").is_none() && spec.get("names").is_none())
}

fn report_of(index: u32, span: Span, head: &WrittenType, subject: Subject) -> DocumentReport {
    DocumentReport {
        index: index as usize,
        item: None,
        span,
        subject,
        api_version: head.api_version.clone(),
        kind: head.kind.clone(),
        name: head.name.clone(),
        verdicts: Vec::new(),
    }
}

/// Applies the comments that silence findings.
fn silence(source: &Text, comments: &[Span], report: &mut DocumentReport) {
    if comments.is_empty() {
        return;
    }
    for (_, verdict) in &mut report.verdicts {
        let hints = suppress::apply(&source.content, comments, verdict.findings_mut());
        verdict.hints.extend(hints);
    }
}

/// As [`silence`], for objects that share a document: a comment speaks to the object that it stands in or on whose last line, or to the next one.
fn silence_all(source: &Text, comments: &[Span], reports: &mut [DocumentReport]) {
    let mut comments = comments;
    for report in reports {
        let end = report.span.end as usize;
        let line_end = source.content[end..]
            .find(['\n', '\r'])
            .map_or(source.content.len(), |it| end + it);
        let own = comments.partition_point(|it| (it.start as usize) < line_end);
        let (mine, rest) = comments.split_at(own);
        silence(source, mine, report);
        comments = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    const HEAD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";

    /// The codes of what is said of a text that was found in a folder: of the file, and of its documents.
    fn check(text: &str, of_file: &[&str], of_documents: &[&str]) {
        let question = Question::new(VersionSet::default());
        let report = analyze(text.as_bytes().to_vec(), &question);
        let codes: Vec<_> = report.findings.iter().map(|it| it.code).collect();
        assert_eq!(codes, of_file, "of the file {text:?}");
        let findings = report
            .documents
            .iter()
            .flat_map(|it| &it.verdicts)
            .flat_map(|it| it.1.findings());
        let codes: Vec<_> = findings.map(|it| it.code).collect();
        assert_eq!(codes, of_documents, "of the documents of {text:?}");
    }

    #[test]
    fn a_broken_definition_is_still_one() {
        check(
            &format!("{HEAD}metadata:\n  name: [\nspec: {{}}\n"),
            &[],
            &["invalid-yaml"],
        );
        check(&format!("spec: \"\n{HEAD}"), &[], &["invalid-yaml"]);
        check(
            "{\"apiVersion\": \"apiextensions.k8s.io/v1\", \"kind\": \"CustomResourceDefinition\", \"spec\": {",
            &[],
            &["invalid-yaml"],
        );
        check("apiVersion: v1\nkind: Pod\nspec: [\n", &[], &[]);
        check("a: [\n", &[], &[]);
    }

    #[test]
    fn a_comment_silences_also_what_refuses_the_whole_document() {
        let question = Question::new(VersionSet::default());
        let shown = |text: &str| {
            let report = analyze(text.as_bytes().to_vec(), &question);
            let shown = report.documents[0].shown(&Config::default());
            shown.into_iter().map(|it| it.finding.code).collect::<Vec<_>>()
        };
        let old = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n";
        let comment = "# crd-analyzer: ignore[unserved-api-version] for an old cluster\n";
        assert_eq!(shown(old), ["unserved-api-version"]);
        assert_eq!(shown(&format!("{comment}{old}")), [""; 0]);
        let twice = format!("{HEAD}spec: {{}}\nspec: {{}} # crd-analyzer: ignore[duplicate-key] generated so\n");
        assert_eq!(
            shown(&twice.replace("ignore", "see")),
            ["duplicate-key", "malformed-suppression"]
        );
        assert_eq!(shown(&twice), [""; 0]);
        // The last line of an item belongs to it, and what comes after to the next.
        let item = format!("- {}  spam: 1", HEAD.replace('\n', "\n  ").trim_end_matches(' '));
        let list = format!(
            "apiVersion: v1\nkind: List\nitems:\n{item} # crd-analyzer: ignore[unknown-field] for now\n{item}\n"
        );
        assert_eq!(
            shown(&list.replace("ignore[unknown-field] for now", "")),
            ["unknown-field", "malformed-suppression"]
        );
        assert_eq!(shown(&list), [""; 0]);
    }

    #[test]
    fn a_template_is_said_to_be_one_and_left_alone() {
        let template = format!("{{{{- if .Values.crds }}}}\n{HEAD}metadata:\n  name: {{{{ .x }}}}\n{{{{- end }}}}\n");
        check(&template, &["template"], &[]);
        check(&format!("{template}---\n{template}"), &["template"], &[]);
        check(
            &format!("{HEAD}metadata:\n  labels:\n    {{{{- include \"x\" . | nindent 4 }}}}\n"),
            &["template"],
            &[],
        );
        check("kind: Deployment\nmetadata:\n  name: {{ .x }}\n", &[], &[]);
        check(
            &format!("{HEAD}metadata:\n  name: \"{{{{ .x }}\nspec: [\n"),
            &[],
            &["invalid-yaml"],
        );
    }
}
