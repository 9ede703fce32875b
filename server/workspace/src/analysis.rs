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
    template::first_action,
    tree::{Span, Tree},
};

use crate::{
    codes,
    finding::{Class, Finding},
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
        match judge(&source, document, question, stored.as_ref()) {
            Some(Judged::Document(document)) => report.documents.push(*document),
            Some(Judged::Template { action, document }) => {
                // Said once of a file: where there is one, there are many.
                if report.findings.is_empty() {
                    report.findings.push(template(action));
                }
                report.documents.extend(document.map(|it| *it));
            }
            None => {}
        }
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

/// What became of a document that there is something to say about.
enum Judged {
    Document(Box<DocumentReport>),
    /// It is the template of a definition.
    Template {
        /// Its first action.
        action: Span,
        /// What a server would say of the template as it is, which nobody wants to be shown; if it was asked.
        document: Option<Box<DocumentReport>>,
    },
}

fn template(action: Span) -> Finding {
    let message = "this is a template, not a manifest: it is checked once it is filled in";
    Finding::new(Class::Hint, codes::TEMPLATE, action, message)
}

fn judge(source: &Text, document: Document, question: &Question<'_>, stored: Option<&StoredText>) -> Option<Judged> {
    let head = head::read(source, document);
    let is_asked = head.is_asked(question.named);
    let text = &source.content[document.span.range()];
    let may_be_template = || head.kind.is_empty() && text.contains("{{") && head::names_definition(text);
    if !(is_asked || may_be_template()) {
        return None;
    }
    let unread = |answer: &dyn Fn(KubernetesVersion) -> ServerVerdict| {
        let mut report = report_of(document.index, document.span, &head, Subject::Definition);
        let verdicts = question
            .versions
            .iter()
            .map(|version| (version, verdict::of_unread(&answer(version))));
        report.verdicts.extend(verdicts);
        Box::new(report)
    };
    let refused = |mut report: Box<DocumentReport>| {
        let Some(action) = first_action(&source.content, document.span) else {
            return is_asked.then_some(Judged::Document(report));
        };
        for (_, verdict) in &mut report.verdicts {
            verdict
                .decode_error
                .iter_mut()
                .for_each(|error| error.suppressed = true);
        }
        Some(Judged::Template {
            action,
            document: question.named.then_some(report),
        })
    };
    if head.unserved().is_some() {
        let tree = source.read(document).ok();
        let written = tree
            .as_ref()
            .and_then(|tree| Some(tree.span(tree.get(tree.root()?, "apiVersion")?)));
        let place = written.unwrap_or_else(|| verdict::first_line(&source.content, document.span));
        if let Some(answer) = ServerVerdict::of_unserved(&head, place) {
            let mut report = unread(&|_| answer.clone());
            if let Some(tree) = &tree {
                silence(source, tree, &mut report);
            }
            return Some(Judged::Document(report));
        }
    }
    // Braces of a template may be YAML that no JSON can be made of.
    let tree = match source.read(document) {
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
            silence(source, &tree, &mut report);
            return refused(report);
        }
    };
    if !is_asked {
        return None;
    }
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
    Some(Judged::Document(Box::new(report)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    const HEAD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";

    /// The codes of what is said of a text that was found in a folder: of the file, and of its documents.
    fn check(text: &str, of_file: &[&str], of_documents: &[&str]) {
        let question = Question {
            versions: VersionSet::default(),
            named: false,
            old: None,
        };
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
        let question = Question {
            versions: VersionSet::default(),
            named: false,
            old: None,
        };
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
