//! Prints foreign text to a terminal, a log or a program: no part of the text may be hidden, and programs must be able to read it again.

use crd_analyzer_io::escape::{github_data, github_property, is_hidden, json, line, tap_description, text};

use crate::{Target, dictionary::owned, input::input};

pub(super) const TARGET: Target = Target {
    name: "printed",
    run,
    seeds: |cases| {
        let texts = cases.manifests().filter(|it| it.len() < 500);
        texts.chain(WORDS.iter().copied()).map(|it| input(&[], &[it])).collect()
    },
    words: || owned(WORDS),
};

const WORDS: &[&str] = &[
    "\u{1b}[2J",
    "\u{9b}31m",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{feff}",
    "\u{fffe}",
    "\u{e0041}",
    "::error file=a,line=1::",
    "##[group]",
    "\r\n",
    "\n",
    "\t",
    "%0A",
    "%25",
    " # SKIP",
    " # TODO",
    "\\",
    "\\u{1b}",
    "\"",
    "\u{7f}",
    "\u{1F600}\u{fe0f}",
    "e\u{301}",
    "\u{3164}",
];

fn run(bytes: &[u8]) {
    let whole = String::from_utf8_lossy(bytes);
    let one_line = line(&whole);
    assert!(!one_line.contains(is_hidden), "{one_line:?} of {whole:?}");
    let lines = text(&whole);
    assert!(
        !lines.contains(|c| is_hidden(c) && !"\n\t".contains(c)),
        "{lines:?} of {whole:?}"
    );
    for command in [github_data(&whole), github_property(&whole), tap_description(&whole)] {
        assert!(!command.contains(['\n', '\r']), "{command:?} of {whole:?}");
        assert!(
            !command.contains(|c| is_hidden(c) && c != '\t'),
            "{command:?} of {whole:?}"
        );
    }
    let value = serde_json::json!({ &*whole: [&whole] });
    for serialized in [value.to_string(), format!("{value:#}")] {
        let escaped = json(&serialized);
        assert!(!escaped.contains(|c| is_hidden(c) && c != '\n'), "{escaped:?}");
        let again: serde_json::Value = serde_json::from_str(&escaped).expect("it is JSON still");
        assert_eq!(again, value);
    }
}
