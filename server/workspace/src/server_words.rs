//! Diagnostic codes by the API server's words: what somebody pastes from a terminal or the log of a CI run.

use std::sync::LazyLock;

use crate::codes::{self, Code};

/// What begins the line of a page that quotes the API server.
const QUOTES: &str = "- The API server reports ";

/// What stands between texts that the API server writes all.
const AND: &str = "` and `";

/// What a page quotes: a code, and texts that are in the API server's answer, all of them.
struct Quote {
    code: Code,
    texts: Vec<String>,
}

static QUOTED: LazyLock<Vec<Quote>> = LazyLock::new(|| codes::all().into_iter().flat_map(quotes).collect());

fn quotes(code: Code) -> Vec<Quote> {
    let Some((_, rest)) = code.page.split_once(QUOTES) else {
        return Vec::new();
    };
    let end = rest.find("\n- ").or_else(|| rest.find("\n\n")).unwrap_or(rest.len());
    let texts = rest[..end].split('`').skip(1).step_by(2).map(in_one_line);
    let texts: Vec<String> = texts.filter(|it| !it.is_empty()).collect();
    if rest[..end].contains(AND) {
        return vec![Quote { code, texts }];
    }
    let one = |text| Quote {
        code,
        texts: vec![text],
    };
    texts.into_iter().map(one).collect()
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The codes whose pages quote what is in a text of the API server, those with the longest quotes first.
pub fn codes_of(said: &str) -> Vec<Code> {
    // Terminals and logs break lines, and JSON escapes quotes.
    let said = in_one_line(&said.replace("\\\"", "\""));
    let is_said = |it: &&Quote| it.texts.iter().all(|text| said.contains(text.as_str()));
    let mut found: Vec<(usize, Code)> = QUOTED
        .iter()
        .filter(is_said)
        .map(|it| (it.texts.iter().map(String::len).sum(), it.code))
        .collect();
    found.sort_by_key(|(length, code)| (std::cmp::Reverse(*length), code.name));
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
        for Quote { code, texts } in QUOTED.iter() {
            let said = format!("The Widget \"a\" is invalid: {}", texts.join(" … "));
            assert!(codes_of(&said).contains(code), "{} by {said}", code.name);
        }
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
