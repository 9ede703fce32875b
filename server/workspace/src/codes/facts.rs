//! The facts about each code that are the same wherever it is reported, and the list of them at the start of the code's page.

use std::{collections::HashMap, fmt::Write as _, sync::LazyLock};

use crd_analyzer_gosource::marker_for;
use crd_analyzer_lints::Lint;
use crd_analyzer_schema::KubernetesVersion;

use super::{Code, OFF_BY_DEFAULT, all};
use crate::config::versions::VersionSet;

/// The table of codes. Its columns are the code, its severity, its fix, Kubernetes versions, the field of a CRD that the code is about, and a word
/// that related codes share. Lints have these facts in their own table.
const TABLE: &str = include_str!("facts.tsv");

/// The first words of the list of facts on a page.
const BEGIN: &str = "- Default severity: ";

/// The maximum number of related codes that a page names.
const MOST_RELATED: usize = 6;

/// Whether a code has a quick fix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HasFix {
    /// The code has no quick fix.
    No,
    /// Editors offer a quick fix for the code. `check --fix` applies it only where it is unambiguous, which the example of the code is not.
    Offered,
    /// Editors offer a quick fix. `check --fix` never applies it, because it looks at one file at a time, and other files decide here.
    Editors,
    /// Editors offer a quick fix, and `check --fix` applies it without asking.
    Safe,
    /// Editors that compare with a git revision offer to restore what the revision has.
    Restored,
}

/// The facts about a code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The default severity: `error`, `warning` or `hint`.
    pub severity: &'static str,
    /// Whether the code has a quick fix.
    pub fix: HasFix,
    /// The Kubernetes versions whose API servers report the code. `None` if all do, or if the code does not depend on Kubernetes.
    pub versions: Option<VersionSet>,
    /// The kubebuilder marker that sets the field that the code is about.
    pub marker: Option<&'static str>,
    /// A word that is the same for all codes about a subject. Empty if there is none.
    group: &'static str,
}

static FACTS: LazyLock<HashMap<&'static str, Facts>> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|it| !it.starts_with('#'));
    let lints = crd_analyzer_lints::ALL.iter().map(|it| (it.code, of_lint(it)));
    rows.filter_map(row).chain(lints).collect()
});

fn of_lint(lint: &Lint) -> Facts {
    Facts {
        severity: "hint",
        fix: match lint.no_fix {
            Some(_) => HasFix::No,
            None if lint.has_safe_fix => HasFix::Safe,
            None => HasFix::Offered,
        },
        versions: None,
        marker: marker_of(lint.field),
        group: lint.group,
    }
}

/// The kubebuilder marker that sets a field of a CRD.
fn marker_of(field: &str) -> Option<&'static str> {
    marker_for(field, true).or_else(|| marker_for(field, false))
}

fn row(line: &'static str) -> Option<(&'static str, Facts)> {
    let mut cells = line.split('\t');
    let (code, severity, fix) = (cells.next()?, cells.next()?, cells.next()?);
    let (versions, field, group) = (cells.next()?, cells.next()?, cells.next()?);
    let facts = Facts {
        severity,
        fix: match fix {
            "safe" => HasFix::Safe,
            "yes" => HasFix::Offered,
            "editors" => HasFix::Editors,
            "restored" => HasFix::Restored,
            _ => HasFix::No,
        },
        versions: range(versions),
        marker: marker_of(field),
        group,
    };
    Some((code, facts))
}

/// Parses a range of Kubernetes versions. In `1.31..`, the range has no end.
fn range(written: &str) -> Option<VersionSet> {
    match written.strip_suffix("..") {
        Some(first) => format!("{first}..{}", KubernetesVersion::NEWEST).parse().ok(),
        None => written.parse().ok(),
    }
}

impl Code {
    /// The facts about the code. `None` only if the table lacks it.
    pub fn facts(&self) -> Option<Facts> {
        FACTS.get(self.name).copied()
    }

    /// The related codes: those that the page names, those whose pages name this code, and those with the same word in the table.
    pub fn related(&self) -> Vec<Code> {
        let named: Vec<Code> = all()
            .into_iter()
            .filter(|it| names(&body(self.page), it.name))
            .collect();
        let naming = all().into_iter().filter(|it| names(&body(it.page), self.name));
        let mut related: Vec<Code> = Vec::new();
        let group = |it: &Self| it.facts().map(|it| it.group).filter(|it| !it.is_empty());
        let of_group = all()
            .into_iter()
            .filter(|it| group(it).is_some() && group(it) == group(self));
        for code in named.into_iter().chain(naming).chain(of_group) {
            if code.name != self.name && !related.contains(&code) {
                related.push(code);
            }
        }
        related.truncate(MOST_RELATED);
        related
    }

    /// The page with the list of facts about the code. `link` returns the path of another code's page, relative to this page.
    pub fn with_head(&self, page: &str, link: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let facts = self.facts()?;
        let mut head = format!("{BEGIN}{}", facts.severity);
        if OFF_BY_DEFAULT.contains(&self.name) {
            head.push_str(", but the code is off by default");
        }
        head.push('\n');
        let fix = match (facts.fix, self.without_fix) {
            (HasFix::Safe, _) => "in editors, and with `check --fix`".to_owned(),
            (HasFix::Offered, _) => "in editors; `check --fix` applies it only if there is one correction".to_owned(),
            (HasFix::Editors, _) => "in editors".to_owned(),
            (HasFix::Restored, _) => "in editors, if they compare with a git revision".to_owned(),
            (HasFix::No, Some(why)) => format!("none. {why}"),
            (HasFix::No, None) => "none".to_owned(),
        };
        let _ = writeln!(head, "- Quick fix: {fix}");
        if let Some(versions) = facts.versions {
            let _ = writeln!(head, "- Kubernetes: {versions}");
        }
        if let Some(marker) = facts.marker {
            let _ = writeln!(head, "- Kubebuilder marker: `{marker}`");
        }
        let related: Vec<String> = self
            .related()
            .iter()
            .filter_map(|it| Some(format!("[`{}`]({})", it.name, link(it.name)?)))
            .collect();
        if !related.is_empty() {
            let _ = writeln!(head, "- Related: {}", related.join(", "));
        }
        let page = body(page);
        // Insert the list after the title and the first sentence.
        let end = page.match_indices("\n\n").nth(1)?.0 + 2;
        Some([&page[..end], &wrapped(&head), "\n", &page[end..]].concat())
    }

    /// The page without links to other pages, for readers who see only this page.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in self.page.split_inclusive('\n') {
            let mut rest = line;
            while let Some(at) = rest
                .find("](")
                .filter(|_| line.contains("codes/") || line.contains(".md)"))
            {
                let Some(end) = rest[at..].find(')') else { break };
                let begin = rest[..at].rfind('[').unwrap_or(at);
                text.push_str(&rest[..begin]);
                text.push_str(rest.get(begin + 1..at).unwrap_or_default());
                rest = &rest[at + end + 1..];
            }
            text.push_str(rest);
        }
        text
    }
}

/// The part of a page after its list of facts.
fn body(page: &str) -> String {
    let Some(begin) = page.find(&format!("\n{BEGIN}")) else {
        return page.to_owned();
    };
    let end = page[begin..].find("\n\n").map_or(page.len(), |it| begin + it + 1);
    [&page[..begin], &page[end..]].concat()
}

/// Whether a page mentions a code. Codes that consist of one word are ignored, because the word may mean something else.
fn names(page: &str, code: &str) -> bool {
    code.contains('-') && page.contains(&format!("`{code}`"))
}

/// The maximum number of columns in a line of a page.
const COLUMNS: usize = 120;

/// The lines of a list, broken between words.
fn wrapped(list: &str) -> String {
    let mut wrapped = String::new();
    for line in list.lines() {
        let mut column = 0;
        for word in line.split(' ') {
            if column > 0 && column + 1 + word.chars().count() > COLUMNS {
                wrapped.push_str("\n ");
                column = 1;
            }
            if column > 0 {
                wrapped.push(' ');
                column += 1;
            }
            wrapped.push_str(word);
            column += word.chars().count();
        }
        wrapped.push('\n');
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::find;

    #[test]
    fn every_code_has_a_row_and_every_row_a_code() {
        for code in all() {
            assert!(code.facts().is_some(), "add {} to codes/facts.tsv", code.name);
        }
        for lint in crd_analyzer_lints::ALL {
            let facts = find(lint.code).and_then(|it| it.facts()).expect("facts");
            let has_marker = facts.marker.is_some() || lint.field.is_empty();
            assert!(has_marker, "{}: no marker sets `{}`", lint.code, lint.field);
        }
        for line in TABLE.lines().filter(|it| !it.starts_with('#')) {
            let cells: Vec<&str> = line.split('\t').collect();
            let [code, severity, fix, versions, field, _] = cells.as_slice() else {
                panic!("six cells: {line}");
            };
            assert!(find(code).is_some(), "{code}");
            assert!(["error", "warning", "hint"].contains(severity), "{line}");
            assert!(["no", "yes", "editors", "safe", "restored"].contains(fix), "{line}");
            let facts = find(code).and_then(|it| it.facts());
            assert_eq!(
                facts.is_some_and(|it| it.versions.is_some()),
                !versions.is_empty(),
                "{line}"
            );
            assert_eq!(facts.is_some_and(|it| it.marker.is_some()), !field.is_empty(), "{line}");
        }
    }

    #[test]
    fn a_head_replaces_the_head_that_is_there() {
        let code = find("number-too-large").expect("a code");
        let link = |it: &str| Some(format!("{it}.md"));
        let page = "# number-too-large\n\nA number.\n\n## Fails\n\nLike `string-too-long`.\n";
        let once = code.with_head(page, &link).expect("a head");
        assert!(
            once.starts_with("# number-too-large\n\nA number.\n\n- Default severity: error\n- Quick fix: "),
            "{once}"
        );
        assert!(
            once.contains("\n- Kubebuilder marker: `+kubebuilder:validation:Maximum`\n"),
            "{once}"
        );
        assert_eq!(code.with_head(&once, &link).as_deref(), Some(once.as_str()));
    }

    #[test]
    fn a_page_alone_has_no_links() {
        for code in all() {
            let text = code.text();
            assert!(!text.contains(".md)"), "{text}");
            assert!(text.starts_with(&format!("# {}\n", code.name)));
        }
    }
}
