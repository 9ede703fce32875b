//! From the text of a file to what is said about its documents.

use crd_analyzer_apiextensions::{
    decode::WrittenType,
    strategy::{Stored, Verdict as ServerVerdict, judge_create, judge_update},
    validation::CelCompiler,
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    json::JsonDoc,
    read_json,
    split::{Document, split},
    tree::{Span, Tree},
};

use crate::{
    head, hints,
    report::{DocumentReport, FileReport, Subject},
    suppress,
    text::Text,
    verdict,
    versions::VersionSet,
};

/// What is asked about a text.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// By which minors.
    pub versions: VersionSet,
    /// The text was named by the user: a document that does not say what it is counts as a definition, as if it were sent to the server
    /// as one. In texts that were found in a folder, such documents are somebody else's.
    pub named: bool,
    /// The stored manifest that the text replaces: then the question is one about an update.
    pub old: Option<&'a [u8]>,
}

/// Answers for all definitions in a text. Any bytes are a text.
pub fn analyze(bytes: Vec<u8>, question: &Question<'_>) -> FileReport {
    let source = Text::decode(bytes);
    let old = question.old.map(|old| Text::decode(old.to_vec()));
    let mut report = FileReport {
        text: source.content.clone(),
        documents: Vec::new(),
        findings: Vec::new(),
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
    let stored = old.as_ref().map(StoredText::new);
    for document in found.documents {
        report
            .documents
            .extend(judge(&source, document, question, stored.as_ref()));
    }
    report
}

/// The definition that an update replaces, in the text of its file.
struct StoredText {
    tree: Option<Tree>,
}

impl StoredText {
    fn new(old: &Text) -> Self {
        let tree = split(&old.content).documents.into_iter().find_map(|document| {
            let head = head::read(old, document);
            head.is_definition().then(|| old.read(document).ok()).flatten()
        });
        Self { tree }
    }

    fn establish(&self, version: KubernetesVersion) -> Option<Stored> {
        let json = read_json(self.tree.as_ref()?).ok()?;
        Stored::establish(&json, version)
    }
}

fn judge(
    source: &Text,
    document: Document,
    question: &Question<'_>,
    stored: Option<&StoredText>,
) -> Option<DocumentReport> {
    let head = head::read(source, document);
    if !(head.is_definition() || head.kind.is_empty() && question.named) {
        return None;
    }
    let unread = |answer: &dyn Fn(KubernetesVersion) -> ServerVerdict| {
        let mut report = report_of(document.index, document.span, &head, Subject::Definition);
        let verdicts = question
            .versions
            .iter()
            .map(|version| (version, verdict::of_unread(&answer(version))));
        report.verdicts.extend(verdicts);
        Some(report)
    };
    if let Some(answer) = ServerVerdict::of_unserved(&head, verdict::first_line(&source.content, document.span)) {
        return unread(&|_| answer.clone());
    }
    let tree = match source.read(document) {
        Ok(tree) => tree,
        Err(error) => return unread(&|_| ServerVerdict::of_read_error(&error)),
    };
    let json = match read_json(&tree) {
        Ok(json) => json,
        Err(error) => return unread(&|version| ServerVerdict::of_convert_error(&error, version)),
    };
    let subject = if is_partial(&json) {
        Subject::PartialDefinition
    } else {
        Subject::Definition
    };
    let hints = hints::find(&tree, &json);
    let mut report = report_of(document.index, document.span, &head, subject);
    for version in question.versions.iter() {
        let server = match stored.map(|stored| stored.establish(version)) {
            None => judge_create(&json, version, Some(&CelCompiler::new(version))),
            Some(Some(stored)) => judge_update(&json, &stored, version, Some(&CelCompiler::new(version))),
            Some(None) => {
                report.verdicts.push((version, verdict::without_previous(&tree)));
                continue;
            }
        };
        let mut verdict = verdict::with_places(&server, &tree, &json, subject);
        verdict.hints.extend_from_slice(&hints);
        report.verdicts.push((version, verdict));
    }
    silence(source, &tree, &mut report);
    Some(report)
}

/// A patch as kustomize has it: it says nothing of what every definition needs.
fn is_partial(json: &JsonDoc<'_>) -> bool {
    let spec = json.root().and_then(|root| root.get("spec"));
    spec.is_none_or(|spec| spec.get("versions").is_none() && spec.get("names").is_none())
}

fn report_of(index: u32, span: Span, head: &WrittenType, subject: Subject) -> DocumentReport {
    DocumentReport {
        index: index as usize,
        span,
        subject,
        api_version: head.api_version.clone(),
        kind: head.kind.clone(),
        name: head.name.clone(),
        verdicts: Vec::new(),
    }
}

/// Applies the comments that silence findings.
fn silence(source: &Text, tree: &Tree, report: &mut DocumentReport) {
    let comments: &[Span] = tree.comments();
    if comments.is_empty() {
        return;
    }
    for (_, verdict) in &mut report.verdicts {
        let hints = suppress::apply(&source.content, comments, verdict.findings_mut());
        verdict.hints.extend(hints);
    }
}
