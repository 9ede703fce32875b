//! Finds JSON tags that do not say what their author means: options that Go does not know, fields without a name, and names with an option in them.

use std::ops::Range;

use crate::check::{
    Finding, Meant, Problem, Tagged,
    types::{Member, Types},
};

/// The options of a JSON tag that Go or Kubernetes knows.
const OPTIONS: [&str; 4] = ["omitempty", "omitzero", "inline", "string"];

/// Finds the mistakes in the JSON tags of a struct's fields.
pub(super) fn find(types: &Types, members: &[Member], meant: Meant, found: &mut Vec<Finding>) {
    for member in members.iter().filter(|it| !it.is_left_out) {
        let Some(tag) = &member.tag else { continue };
        let (name, options) = tag.split_once(',').unwrap_or((tag, ""));
        let content = content(&types.text, member, tag);
        if let (true, Some(go)) = (name.is_empty(), &member.name) {
            found.push(Finding {
                span: content.clone().unwrap_or_else(|| member.of.clone()),
                problem: Problem::Tagged(Tagged::Nameless { go: go.clone() }),
            });
        }
        if let Some(meant) = name_meant(name, member) {
            let span = content.as_ref().map(|it| it.start..it.start + name.len());
            found.push(Finding {
                span: span.unwrap_or_else(|| member.of.clone()),
                problem: Problem::Tagged(Tagged::Name {
                    written: name.to_owned(),
                    meant,
                }),
            });
        }
        let mut at = name.len() + 1;
        for option in options.split(',') {
            let start = at;
            at += option.len() + 1;
            // Options of the next version of Go's package, such as `format:date`, have a colon.
            if option.is_empty() || OPTIONS.contains(&option) || option.contains([':', '\'']) {
                continue;
            }
            let span = content
                .as_ref()
                .map(|it| it.start + start..it.start + start + option.len());
            found.push(Finding {
                span: span.unwrap_or_else(|| member.of.clone()),
                problem: Problem::Tagged(Tagged::Option {
                    written: option.to_owned(),
                    meant: option_meant(option, meant),
                }),
            });
        }
    }
}

/// Corrects a name with an option in it: `name omitempty` to `name,omitempty`, and the name `inline` of an embedded struct to `,inline`.
fn name_meant(name: &str, member: &Member) -> Option<String> {
    if member.name.is_none() && name == "inline" {
        return Some(",inline".to_owned());
    }
    let (own, option) = name.rsplit_once([' ', ';', '\t'])?;
    let own = own.trim_end_matches([' ', ';', '\t']);
    OPTIONS.contains(&option).then(|| format!("{own},{option}"))
}

/// The option that is probably meant by an unknown one.
fn option_meant(written: &str, meant: Meant) -> Option<String> {
    let letters: String = written.chars().filter(char::is_ascii_alphabetic).collect();
    let letters = letters.to_ascii_lowercase();
    let same = OPTIONS.iter().find(|it| **it == letters).copied();
    same.or_else(|| meant(&letters, &mut OPTIONS.into_iter()))
        .map(str::to_owned)
}

/// The maximum number of bytes between the type of a field and its JSON tag. Other tags may be there.
const LONGEST_BEFORE: usize = 500;

/// The range of a JSON tag's content, if the tag is written in backquotes on the line of the field's type.
fn content(text: &str, member: &Member, tag: &str) -> Option<Range<usize>> {
    let most = text.floor_char_boundary(member.of.end + tag.len() + LONGEST_BEFORE);
    let line = text.get(member.of.end..most)?.lines().next()?;
    let written = format!("json:\"{tag}\"");
    let at = line.find(&written).filter(|_| line.contains('`'))?;
    let start = member.of.end + at + "json:\"".len();
    Some(start..start + tag.len())
}
