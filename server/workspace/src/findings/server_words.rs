//! Finds diagnostic codes for messages of the API server that users have copied from a terminal or a CI log.

use std::{cmp::Reverse, sync::LazyLock};

use crate::codes::{self, Code};

/// The starts of lines in a page that quote the API server and its client.
const QUOTES: [&str; 2] = ["- The API server reports ", "- kubectl reports "];

/// The starts of messages that are very common. If another quote matches as well, it is more specific.
const GENERAL: [&str; 6] = [
    "Forbidden",
    "Invalid value",
    "Required value",
    "Too many",
    "Unsupported value",
    "cannot be handled as a",
];

/// The separator between strings in a page that are all part of the same message.
const AND: &str = "` and `";

/// A quote from a page: the code of the page, and strings that all occur in the API server's message.
struct Quote {
    code: Code,
    texts: Vec<String>,
    /// Whether the quote is from the page of errors, which explains the usual causes.
    is_of_errors: bool,
}

/// The rows of the page of errors in the user documentation.
const ERRORS: &str = include_str!("../codes/errors.txt");

/// The messages in the tables of the page of errors, without the parts that differ between files.
fn quotes_of_errors() -> Vec<Quote> {
    let mut found = Vec::new();
    for row in ERRORS.lines() {
        let row = row.replace("\\|", "\u{1}");
        let cells: Vec<&str> = row.split('|').collect();
        let (Some(messages), Some(code)) = (cells.get(1), cells.get(4)) else {
            continue;
        };
        let code = code
            .split("[`")
            .nth(1)
            .and_then(|it| it.split('`').next())
            .and_then(codes::find);
        let Some(code) = code else { continue };
        for message in messages.split('`').skip(1).step_by(2) {
            let message = message.replace('\u{1}', "|");
            let parts = message.split('…').map(|it| it.trim().trim_matches('"').trim());
            let texts: Vec<String> = parts.filter(|it| it.len() > 2).map(in_one_line).collect();
            if message.contains(' ') && !texts.is_empty() {
                found.push(Quote {
                    code,
                    texts,
                    is_of_errors: true,
                });
            }
        }
    }
    found
}

static QUOTED: LazyLock<Vec<Quote>> = LazyLock::new(|| {
    let of_pages = codes::all().into_iter().flat_map(quotes);
    of_pages.chain(quotes_of_errors()).collect()
});

fn quotes(code: Code) -> Vec<Quote> {
    let lines = QUOTES.iter().filter_map(|it| Some(code.page.split_once(it)?.1));
    lines.flat_map(|it| quoted(code, it)).collect()
}

/// The quotes in a line of a page. `rest` starts with the first quote.
fn quoted(code: Code, rest: &str) -> Vec<Quote> {
    let end = rest.find("\n- ").or_else(|| rest.find("\n\n")).unwrap_or(rest.len());
    let texts = rest[..end].split('`').skip(1).step_by(2).map(in_one_line);
    let texts: Vec<String> = texts.filter(|it| !it.is_empty()).collect();
    if rest[..end].contains(AND) {
        return vec![Quote {
            code,
            texts,
            is_of_errors: false,
        }];
    }
    let one = |text| Quote {
        code,
        texts: vec![text],
        is_of_errors: false,
    };
    texts.into_iter().map(one).collect()
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The codes whose pages quote a part of the given message. Codes with the longest quotes come first.
pub fn codes_of(said: &str) -> Vec<Code> {
    // Terminals and logs wrap lines, and JSON escapes quotes.
    let said = in_one_line(&said.replace("\\\"", "\""));
    let is_said = |it: &&Quote| it.texts.iter().all(|text| said.contains(text.as_str()));
    let is_general = |it: &Quote| it.texts.iter().all(|text| GENERAL.contains(&text.as_str()));
    let rank = |it: &Quote| {
        let length: usize = it.texts.iter().map(String::len).sum();
        (is_general(it), !it.is_of_errors, Reverse(length))
    };
    let mut found: Vec<_> = QUOTED.iter().filter(is_said).map(|it| (rank(it), it.code)).collect();
    found.sort_by_key(|(rank, code)| (*rank, code.name));
    let mut codes: Vec<Code> = Vec::new();
    for (_, code) in found {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(said: &str) -> Vec<&'static str> {
        codes_of(said).iter().map(|it| it.name).collect()
    }

    #[test]
    fn finds_what_every_page_quotes() {
        assert!(QUOTED.len() > 100);
        for Quote { code, texts, .. } in QUOTED.iter() {
            let said = format!("The Widget \"a\" is invalid: {}", texts.join(" … "));
            assert!(codes_of(&said).contains(code), "{} by {said}", code.name);
        }
    }

    /// For the messages on the page of errors in the user documentation, finds the codes that the page lists.
    #[test]
    fn finds_the_codes_of_the_page_of_errors() {
        let mut count = 0;
        for row in ERRORS.lines() {
            let row = row.replace("\\|", "\u{1}");
            let cells: Vec<&str> = row.split('|').collect();
            let codes: Vec<&str> = cells[4]
                .split("[`")
                .skip(1)
                .filter_map(|it| it.split('`').next())
                .collect();
            for message in cells[1].split('`').skip(1).step_by(2).filter(|_| !codes.is_empty()) {
                // Skip parts that differ between files, and single words, because those are searched for as codes or fields.
                if !message.contains(' ') {
                    continue;
                }
                let said = message.replace('\u{1}', "|").replace('…', "foo");
                let found = names(&said);
                assert!(
                    found.first().is_some_and(|it| codes.contains(it)),
                    "{said}: {found:?}, not {codes:?}"
                );
                count += 1;
            }
        }
        assert!(count > 70, "{count}");
    }

    #[test]
    fn what_begins_many_messages_comes_last() {
        let strict = "error when creating \"a.yaml\": Foo in version \"v1\" cannot be handled as a Foo: strict decoding error: unknown field \"spec.x\"";
        assert_eq!(names(strict).first(), Some(&"unknown-field"));
        assert_eq!(
            names("spec: Invalid value: foo: failed rule: self.a").first(),
            Some(&"rule-failed")
        );
        let stored = "status.storedVersions[0]: Invalid value: \"v1alpha1\": must appear in spec.versions";
        assert_eq!(names(stored).first(), Some(&"stored-versions"));
        let kind = "no matches for kind \"Foo\" in version \"a.b/v1\" ensure CRDs are installed first";
        assert_eq!(names(kind).first(), Some(&"unknown-kind"));
    }

    #[test]
    fn finds_the_longest_first_over_line_breaks_and_escapes() {
        assert_eq!(
            names("spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Forbidden:\n  estimated rule cost \
                   exceeds budget by factor of more than 100x")
            .first(),
            Some(&"rule-cost-over-limit")
        );
        let escaped = r#"no matches for kind \"CustomResourceDefinition\" in version \"apiextensions.k8s.io/v1beta1\""#;
        assert_eq!(names(escaped).first(), Some(&"unserved-api-version"));
        assert!(names("connection refused").is_empty());
    }
}
