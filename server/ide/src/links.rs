//! Links in a document.

use crd_analyzer_syntax::tree::Span;

use crate::{file::Document, manifest::is_manifest};

/// The target of a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// The page of a diagnostic code.
    Code(String),
    /// A URL.
    Address(String),
}

/// A link in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// The linked text.
    pub span: Span,
    /// The target.
    pub target: Target,
}

/// The links of a manifest, in the order of the text: codes in suppression comments, and URLs.
pub fn links(document: &Document<'_>) -> Vec<Link> {
    let mut found = Vec::new();
    let tree = document.tree;
    if !is_manifest(tree) {
        return found;
    }
    let text = tree.text();
    for comment in tree.comments() {
        found.extend(codes(text, *comment));
    }
    let whole = document.span();
    let body = &text[whole.range()];
    for (at, _) in body.match_indices("http") {
        let rest = &body[at..];
        if !(rest.starts_with("https://") || rest.starts_with("http://")) {
            continue;
        }
        let ends = |c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '"' | '\'' | '<' | '>' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '\\'
                )
        };
        let end = rest.find(ends).unwrap_or(rest.len());
        let address = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?']);
        let is_more = address.split_once("://").is_some_and(|it| !it.1.is_empty());
        if is_more {
            let start = whole.start + at as u32;
            found.push(Link {
                span: Span::new(start, start + address.len() as u32),
                target: Target::Address(address.to_owned()),
            });
        }
    }
    found.sort_by_key(|it| it.span.start);
    found
}

/// The codes in a comment `# crd-analyzer: ignore[code, code] reason`.
fn codes(text: &str, comment: Span) -> Vec<Link> {
    let body = &text[comment.range()];
    let list = body.find("crd-analyzer:").and_then(|it| {
        let open = it + body[it..].find('[')? + 1;
        let close = open + body[open..].find(']')?;
        Some((open, &body[open..close]))
    });
    let Some((start, list)) = list else {
        return Vec::new();
    };
    let mut at = start;
    let mut found = Vec::new();
    for part in list.split(',') {
        let name = part.trim();
        let begin = at + part.len() - part.trim_start().len();
        at += part.len() + 1;
        if !name.is_empty() {
            let begin = comment.start + begin as u32;
            found.push(Link {
                span: Span::new(begin, begin + name.len() as u32),
                target: Target::Code(name.to_owned()),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::file::File;

    #[test]
    fn codes_and_addresses_lead_somewhere() {
        let text = "kind: Widget\napiVersion: a.b/v1 # crd-analyzer: ignore[unknown-type , other] why\nspec:\n  x: \"see https://a.b/c?d=e. Or (http://f)\"\n  y: https://\n";
        let file = File::new(text, Arc::default());
        let found = links(&file.documents().next().expect("a document"));
        let shown: Vec<_> = found.iter().map(|it| &text[it.span.range()]).collect();
        assert_eq!(shown, ["unknown-type", "other", "https://a.b/c?d=e", "http://f"]);
        assert_eq!(found[0].target, Target::Code("unknown-type".to_owned()));
    }
}
