//! Checks a `.crd-analyzer.yaml` file, and locates the mistakes in it.

use std::{fmt::Display, sync::Arc};

use crd_analyzer_diagnostic::text::either;
use crd_analyzer_gosource::check::declared::name_in;
use crd_analyzer_syntax::tree::{NodeId, NodeKind, Span, Tree};
use globset::Glob;

use crate::{
    codes,
    config::Config,
    config::settings::{self, LEVELS, SETTINGS, Setting, Values},
    config::versions::VersionSet,
    documents::text::Text,
    findings::finding::{Class, Finding, Severity},
    findings::report::FileReport,
    judging::verdict,
    words::meant::meant,
};

/// Checks the text of a configuration file.
pub fn check(bytes: Vec<u8>) -> FileReport {
    let source = Text::decode(bytes);
    let findings = match tree(&source) {
        Ok(Some(tree)) => of_tree(&tree),
        Ok(None) => Vec::new(),
        Err(finding) => vec![*finding],
    };
    FileReport {
        findings,
        ..FileReport::empty(source.content.clone())
    }
}

/// The first mistake in the text of a configuration file, described on one line. `None` if the text is correct.
pub fn first_problem(text: &str) -> Option<String> {
    let report = check(text.as_bytes().to_vec());
    let finding = report.findings.iter().find(|it| it.severity == Severity::Error)?;
    let line = report.text.get(..finding.span.start as usize)?.matches('\n').count() + 1;
    let help = finding.help.first().filter(|_| finding.meant.is_none());
    let help = help.map(|it| format!(" ({it})")).unwrap_or_default();
    Some(format!("line {line}: {}{help}", finding.headline))
}

/// The tree of the document; `None` if it is empty.
fn tree(source: &Text) -> Result<Option<Tree>, Box<Finding>> {
    let found = source.documents();
    let not_yaml = |error: &_| Box::new(verdict::not_yaml(error));
    if let Some(error) = &found.error {
        return Err(not_yaml(error));
    }
    if let Some(second) = found.documents.get(1) {
        let start = Span::new(second.span.start, second.span.start);
        return Err(Box::new(wrong(
            start,
            "a configuration must have exactly one document",
            "",
        )));
    }
    let Some(document) = found.documents.first() else {
        return Ok(None);
    };
    source.read(*document).map(Some).map_err(|error| not_yaml(&error))
}

fn of_tree(tree: &Tree) -> Vec<Finding> {
    let Some(root) = tree.root().map(|it| tree.resolve(it)) else {
        return Vec::new();
    };
    if is_null(tree, root) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if matches!(tree.kind(root), NodeKind::Mapping(_)) {
        for entry in tree.entries(root) {
            let key = tree.scalar(entry.key);
            let value = tree.resolve(entry.value);
            match settings::find(&key) {
                Some(setting) => of_setting(tree, setting, value, &mut found),
                None => found.push(unknown(
                    tree.span(entry.key),
                    &key,
                    "setting",
                    SETTINGS.iter().map(|it| it.name),
                )),
            }
        }
    } else {
        let help = "write one setting a line, such as `kubernetesVersion: all`";
        found.push(wrong(
            tree.span(root),
            "a configuration must be a mapping of settings",
            help,
        ));
    }
    // The parser that reads the configuration decides whether it is valid. An error without a place of its own is shown at the start of the text.
    if found.iter().all(|it| it.severity != Severity::Error)
        && let Err(error) = Config::parse(&tree.text()[tree.document_span().range()])
    {
        let start = tree.span(root).start;
        found.push(wrong(Span::new(start, start), first_line(&error), ""));
    }
    found
}

fn of_setting(tree: &Tree, setting: &Setting, value: NodeId, found: &mut Vec<Finding>) {
    let span = tree.span(value);
    let name = setting.name;
    let is_of = |texts: &[&str]| tree.is_scalar(value) && texts.contains(&&*tree.scalar(value));
    match setting.values {
        _ if is_null(tree, value) => {}
        Values::KubernetesVersions => {
            let written = if tree.is_scalar(value) {
                tree.scalar(value)
                    .parse::<VersionSet>()
                    .map_err(|error| first_line(&error))
            } else {
                Err(format!("`{name}` must be a version, a range, or `all`"))
            };
            if let Err(error) = written {
                let help = format!(
                    "write `{}`, a range such as `1.30..1.37`, or `all`",
                    VersionSet::default()
                );
                found.push(wrong(span, error, help));
            }
        }
        Values::Boolean if is_of(&["true", "false"]) => {}
        Values::Boolean => found.push(wrong(span, format!("`{name}` must be `true` or `false`"), "")),
        Values::Globs | Values::Paths | Values::Markers => of_list(tree, setting, value, found),
        Values::Levels => of_levels(tree, value, found),
    }
}

fn of_list(tree: &Tree, setting: &Setting, value: NodeId, found: &mut Vec<Finding>) {
    let name = setting.name;
    if !matches!(tree.kind(value), NodeKind::Sequence(_)) {
        let help = format!(
            "write `{name}: [{}]`",
            tree.source(value).lines().next().unwrap_or_default()
        );
        found.push(wrong(tree.span(value), format!("`{name}` must be a list"), help));
        return;
    }
    for item in tree.items(value).map(|it| tree.resolve(it)) {
        if !tree.is_scalar(item) {
            found.push(wrong(
                tree.span(item),
                format!("an item of `{name}` must be a string"),
                "",
            ));
        } else if setting.values == Values::Markers
            && let Err(error) = name_in(&tree.scalar(item))
        {
            found.push(wrong(tree.span(item), first_line(&error), ""));
        } else if setting.values == Values::Globs
            && let Err(error) = Glob::new(&tree.scalar(item))
        {
            found.push(wrong(tree.span(item), first_line(&error), ""));
        }
    }
}

fn of_levels(tree: &Tree, value: NodeId, found: &mut Vec<Finding>) {
    if !matches!(tree.kind(value), NodeKind::Mapping(_)) {
        let help = "write a code and its severity, such as `large-manifest: off`";
        found.push(wrong(
            tree.span(value),
            "`rules` must be a mapping of diagnostic codes",
            help,
        ));
        return;
    }
    for entry in tree.entries(value) {
        let code = tree.scalar(entry.key);
        if codes::find(&code).is_none() {
            let all = codes::all();
            let known = all.iter().map(|it| it.name);
            found.push(unknown(tree.span(entry.key), &code, "diagnostic code", known));
        }
        let level = tree.resolve(entry.value);
        let is_level = tree.is_scalar(level) && LEVELS.iter().any(|it| it.0 == tree.scalar(level));
        if !is_level {
            let names: Vec<_> = LEVELS.iter().map(|it| it.0).collect();
            let written = if tree.is_scalar(level) {
                tree.scalar(level)
            } else {
                "".into()
            };
            let near = meant(&written, names.iter().copied());
            let (headline, help) = match near {
                Some(near) => (
                    format!("`{written}` is not a severity, did you mean `{near}`?"),
                    format!("write `{near}`"),
                ),
                None => (
                    format!("`{code}` needs a severity"),
                    format!("write {}", either(&names)),
                ),
            };
            let span = if tree.is_absent(level) {
                tree.span(entry.key)
            } else {
                tree.span(level)
            };
            let mut finding = wrong(span, headline, help);
            finding.meant = near.map(str::to_owned);
            found.push(finding);
        } else if let level @ ("hint" | "info" | "warning") = &*tree.scalar(level)
            && codes::find(&code).is_some_and(|it| it.is_rejection())
        {
            let headline = format!("`{level}` has no effect: `{code}` is an error of the API server");
            let mut finding = wrong(
                tree.span(entry.value),
                headline,
                "write `off` to hide it, or remove the line",
            );
            finding.severity = Severity::Warning;
            found.push(finding);
        }
    }
}

fn unknown<'a>(span: Span, written: &str, what: &str, known: impl Iterator<Item = &'a str>) -> Finding {
    let meant = meant(written, known);
    let help = meant.map_or_else(
        || "`docs/configuration.md` lists them".to_owned(),
        |it| format!("write `{it}`"),
    );
    let question = meant.map_or_else(String::new, |it| format!(", did you mean `{it}`?"));
    let mut finding = wrong(span, format!("`{written}` is not a {what}{question}"), help);
    finding.meant = meant.map(str::to_owned);
    finding
}

fn wrong(span: Span, headline: impl Into<Arc<str>>, help: impl Into<String>) -> Finding {
    let headline: Arc<str> = headline.into();
    let mut finding = Finding::new(Class::Hint, codes::INVALID_CONFIGURATION, span, &*headline);
    finding.severity = Severity::Error;
    finding.help.extend(Some(help.into()).filter(|it| !it.is_empty()));
    finding
}

fn first_line(error: &dyn Display) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// Whether the value is empty or null.
fn is_null(tree: &Tree, node: NodeId) -> bool {
    tree.is_absent(node) || tree.is_scalar(node) && matches!(&*tree.scalar(node), "" | "~" | "null")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the findings. For each, `expected` has the marked text and the headline.
    #[track_caller]
    fn check_text(text: &str, expected: &[(&str, &str)]) {
        let report = check(text.as_bytes().to_vec());
        let found: Vec<_> = report
            .findings
            .iter()
            .map(|it| (&report.text[it.span.range()], &*it.headline))
            .collect();
        assert_eq!(found, expected, "{text}");
        assert_eq!(
            expected.is_empty(),
            Config::parse(text).is_ok(),
            "the file is refused where something is found: {text}"
        );
    }

    #[test]
    fn what_can_be_used_has_no_findings() {
        check_text("", &[]);
        check_text("# nothing\n", &[]);
        check_text(
            "kubernetesVersion: 1.31..1.33\nrules:\n  missing-type: off\nexclude: ['vendor/**']\ncrds: [../crds]\nrequireCrd: true\nmarkers: [kubebuilder:oneOf, +example]\n",
            &[],
        );
    }

    #[test]
    fn what_the_api_server_rejects_stays_an_error() {
        let headlines = |text: &str| {
            let found = check(text.as_bytes().to_vec()).findings;
            assert!(Config::parse(text).is_ok() && found.iter().all(|it| it.severity == Severity::Warning));
            found.into_iter().map(|it| it.headline).collect::<Vec<_>>()
        };
        assert_eq!(
            headlines("rules: {unknown-scope: hint}\n"),
            ["`hint` has no effect: `unknown-scope` is an error of the API server"]
        );
        for level in ["off", "error"] {
            assert!(
                headlines(&format!("rules: {{unknown-scope: {level}}}\n")).is_empty(),
                "{level}"
            );
        }
        assert!(headlines("rules: {unknown-marker: hint, set-of-objects: hint, rule-can-fail: info}\n").is_empty());
    }

    #[test]
    fn the_first_problem_is_said_in_a_line() {
        assert_eq!(first_problem("rules: {}\n"), None);
        assert_eq!(
            first_problem("rules: {}\nselct: [a]\nexclude: 3\n").as_deref(),
            Some("line 2: `selct` is not a setting (`docs/configuration.md` lists them)")
        );
        assert_eq!(
            first_problem("exclude: vendor\n").as_deref(),
            Some("line 1: `exclude` must be a list (write `exclude: [vendor]`)")
        );
        assert_eq!(
            first_problem("rules: {unknown-scope: 7}\n").as_deref(),
            Some("line 1: `unknown-scope` needs a severity (write `off`, `hint`, `info`, `warning` or `error`)")
        );
    }

    #[test]
    fn each_problem_has_its_place() {
        check_text(
            "rulez: {}\n",
            &[("rulez", "`rulez` is not a setting, did you mean `rules`?")],
        );
        check_text(
            "rules:\n  missing-typ: off\n  missing-type: of\n",
            &[
                (
                    "missing-typ",
                    "`missing-typ` is not a diagnostic code, did you mean `missing-type`?",
                ),
                ("of", "`of` is not a severity, did you mean `off`?"),
            ],
        );
        check_text(
            "kubernetesVersion: 1.99\nrequireCrd: maybe\n",
            &[
                ("1.99", "Kubernetes 1.99 is not known: choose from 1.30 to 1.37"),
                ("maybe", "`requireCrd` must be `true` or `false`"),
            ],
        );
        check_text(
            "markers: [a=1, +]\n",
            &[
                ("a=1", "the name of a marker contains no `=`"),
                ("+", "the name of a marker is missing"),
            ],
        );
        check_text("exclude: vendor\n", &[("vendor", "`exclude` must be a list")]);
        check_text(
            "exclude: ['[']\n",
            &[("'['", "error parsing glob '[': unclosed character class; missing ']'")],
        );
        check_text("- a\n", &[("- a", "a configuration must be a mapping of settings")]);
    }
}
