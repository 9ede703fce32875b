//! Reference documentation: describes a kind as blocks, and a format writes the blocks.
//!
//! Blocks contain strings from the CRD unchanged. Each format escapes all of these strings.

mod anchors;
mod fields;
mod html;
mod markdown;

use crd_analyzer_io::escape;
use crd_analyzer_reference::{KindReference, Message, Rule, VersionReference};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::config::versions::VersionSet;

use super::format::choose;
use anchors::Anchors;
pub(crate) use fields::Shown;

/// All formats.
const ALL: &[&Format] = &[&markdown::FORMAT, &html::FORMAT];

/// An output format.
#[derive(Debug)]
pub(crate) struct Format {
    /// The name to type on the command line.
    name: &'static str,
    /// The help text.
    help: &'static str,
    /// The file name extension.
    pub(crate) extension: &'static str,
    /// The file name of the index of all pages.
    pub(crate) index: &'static str,
    /// Writes a document with the given title.
    write: fn(&str, &[Block<'_>]) -> String,
}

choose!(Format, ALL);

/// The documented facts about a CRD.
pub(crate) struct Page {
    pub(crate) kind: KindReference,
    /// The Kubernetes versions that accept the CRD, among the supported ones.
    pub(crate) accepted_by: VersionSet,
    /// For each version of the kind, an object that the API server accepts, as YAML. `None` if crd-analyzer found no such object.
    pub(crate) examples: Vec<Option<String>>,
}

/// A part of a document.
enum Block<'a> {
    Heading {
        /// The level of the heading. Level 1 is the title.
        level: usize,
        anchor: String,
        text: Vec<Span<'a>>,
    },
    Paragraph(Vec<Span<'a>>),
    /// A description written by the CRD's author.
    Description(&'a str),
    List(Vec<Vec<Span<'a>>>),
    Code {
        language: &'static str,
        text: String,
    },
    /// A table of fields.
    Table(Vec<Row<'a>>),
}

/// The titles of the columns of a table.
const COLUMNS: [&str; 3] = ["Field", "Type", "Description"];

/// A field in a table.
struct Row<'a> {
    /// The target of links to the field. `None` if the links lead to a section.
    anchor: Option<String>,
    cells: [Vec<Span<'a>>; COLUMNS.len()],
}

/// A part of a line.
#[derive(Clone)]
enum Span<'a> {
    /// Text written by crd-analyzer.
    Ours(String),
    /// Text written by the author of the CRD.
    Theirs(&'a str),
    Code(String),
    /// A link to an anchor in the same document, or to another page.
    Link {
        target: String,
        name: String,
    },
    /// A new line in a cell of a table.
    Break,
}

fn ours<'a>(text: impl Into<String>) -> Span<'a> {
    Span::Ours(text.into())
}

fn code<'a>(text: impl Into<String>) -> Span<'a> {
    Span::Code(text.into())
}

/// Joins names with commas.
fn listed<'a>(names: impl IntoIterator<Item = Span<'a>>) -> Vec<Span<'a>> {
    let mut spans = Vec::new();
    for name in names {
        spans.extend((!spans.is_empty()).then(|| ours(", ")));
        spans.push(name);
    }
    spans
}

/// A text of several lines with invisible characters escaped. Tabs become spaces.
fn visible(text: &str) -> String {
    escape::text(text).replace('\t', "    ")
}

/// All pages as one document.
pub(crate) fn document(pages: &[Page], shown: Shown, format: &Format) -> String {
    let mut anchors = Anchors::default();
    let mut blocks = Vec::new();
    for page in pages {
        add_page(&mut blocks, page, shown, &mut anchors);
    }
    let title = match pages {
        [only] => only.kind.kind.as_str(),
        _ => "Custom resources",
    };
    (format.write)(title, &blocks)
}

/// The index of pages that are separate files.
pub(crate) fn index(pages: &[Page], format: &Format) -> String {
    let entries = pages.iter().map(|page| {
        let target = format!("{}.{}", page.kind.name, format.extension);
        let name = page.kind.kind.clone();
        vec![Span::Link { target, name }, ours(" of "), code(&*page.kind.group)]
    });
    let heading = Block::Heading {
        level: 1,
        anchor: "resources".to_owned(),
        text: vec![ours("Custom resources")],
    };
    (format.write)("Custom resources", &[heading, Block::List(entries.collect())])
}

fn add_page<'a>(blocks: &mut Vec<Block<'a>>, page: &'a Page, shown: Shown, anchors: &mut Anchors) {
    let kind = &page.kind;
    blocks.push(Block::Heading {
        level: 1,
        anchor: anchors.take(&kind.name),
        text: vec![Span::Theirs(&kind.kind)],
    });
    let targets: Vec<String> = kind
        .versions
        .iter()
        .map(|it| anchors.take(&format!("{}-{}", kind.name, it.name)))
        .collect();
    blocks.push(Block::List(facts(page, &targets)));
    for (n, version) in kind.versions.iter().enumerate() {
        let mut text = vec![ours("Version "), code(&*version.name)];
        if kind.versions.len() > 1 {
            text.splice(..0, [Span::Theirs(&kind.kind), ours(": ")]);
        }
        blocks.push(Block::Heading {
            level: 2,
            anchor: targets[n].clone(),
            text,
        });
        let example = page.examples.get(n).and_then(Option::as_deref);
        add_version(blocks, (kind, version), example, shown, anchors);
    }
}

/// The facts about the kind of a page.
fn facts<'a>(page: &'a Page, targets: &[String]) -> Vec<Vec<Span<'a>>> {
    let kind = &page.kind;
    let mut facts = vec![vec![ours("Resource: "), code(&*kind.name)]];
    if !kind.other_names.is_empty() {
        let mut names = vec![ours("Other names: ")];
        names.extend(listed(kind.other_names.iter().map(|it| code(&**it))));
        facts.push(names);
    }
    let scope = if kind.is_namespaced { "Namespaced" } else { "Cluster" };
    facts.push(vec![ours("Scope: "), ours(scope)]);
    let mut versions = vec![ours("Served versions: ")];
    for (n, version) in kind.versions.iter().enumerate() {
        versions.extend((n > 0).then(|| ours(", ")));
        versions.push(Span::Link {
            target: format!("#{}", targets[n]),
            name: version.name.clone(),
        });
        versions.extend(version.is_stored.then(|| ours(" (stored)")));
    }
    facts.push(versions);
    facts.push(vec![ours(accepted(page.accepted_by))]);
    facts
}

/// Describes the Kubernetes versions in which the CRD can be installed.
fn accepted(by: VersionSet) -> String {
    let known = VersionSet::all();
    let oldest = by.iter().next().unwrap_or(KubernetesVersion::NEWEST);
    let later = known.iter().filter(|it| *it >= oldest).count();
    if by == known {
        format!("Kubernetes: {oldest} or newer. crd-analyzer knows no older version.")
    } else if later == by.count() {
        format!("Kubernetes: {oldest} or newer. Older versions reject the CRD.")
    } else {
        format!("Kubernetes: {by}. Other versions reject the CRD.")
    }
}

fn add_version<'a>(
    blocks: &mut Vec<Block<'a>>,
    (kind, version): (&'a KindReference, &'a VersionReference),
    example: Option<&str>,
    shown: Shown,
    anchors: &mut Anchors,
) {
    match &version.deprecation {
        None => {}
        Some(Some(warning)) => blocks.push(Block::Paragraph(vec![ours("Deprecated: "), Span::Theirs(warning)])),
        Some(None) => blocks.push(Block::Paragraph(vec![ours("This version is deprecated.")])),
    }
    if let Some(description) = &version.description {
        blocks.push(Block::Description(description));
    }
    add_example(blocks, example);
    add_rules(blocks, &version.rules);
    fields::add(blocks, (kind, version), shown, anchors);
}

/// The introduction of a rule: the values to which the rule applies, and its message.
fn introduced(rule: &Rule) -> Vec<Span<'_>> {
    let mut text = vec![ours("Rule")];
    if !rule.scope.is_whole() {
        text.push(ours(format!(" of {}", rule.scope)));
    }
    match &rule.message {
        Some(Message::Text(message)) => text.extend([ours(": "), Span::Theirs(message.trim())]),
        Some(Message::Expression(message)) => {
            text.extend([ours(", whose message is made by "), code(message.trim()), ours(":")]);
        }
        None => text.push(ours(":")),
    }
    text
}

/// A note in brackets about the time when a rule runs, if the rule does not run on every write.
fn when(rule: &Rule) -> Option<Span<'_>> {
    Some(ours(format!(" ({})", rule.when()?.replace('`', ""))))
}

fn add_rules<'a>(blocks: &mut Vec<Block<'a>>, rules: &'a [Rule]) {
    for rule in rules {
        let mut text = introduced(rule);
        text.extend(when(rule));
        blocks.push(Block::Paragraph(text));
        blocks.push(Block::Code {
            language: "cel",
            text: rule.expression.trim().to_owned(),
        });
    }
}

fn add_example(blocks: &mut Vec<Block<'_>>, example: Option<&str>) {
    if let Some(yaml) = example {
        blocks.push(Block::Paragraph(vec![ours("An object that the API server accepts:")]));
        blocks.push(Block::Code {
            language: "yaml",
            text: yaml.trim_end().to_owned(),
        });
    } else {
        let none = "Example: crd-analyzer did not find an object that the API server accepts.";
        blocks.push(Block::Paragraph(vec![ours(none)]));
    }
}
