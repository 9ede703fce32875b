//! The variables of Makefiles and shell scripts.

use std::collections::HashMap;

/// The maximum number of variables to substitute in a text. The value of one variable may contain the next.
const MOST_VARIABLES: usize = 16;

/// The maximum length of a text after substituting variables, in bytes.
const LONGEST: usize = 4096;

/// The variables that a Makefile or script sets: `NAME ?= value`, `NAME=value`.
#[derive(Debug, Default)]
pub struct Variables<'t> {
    /// The first value of each variable.
    first: HashMap<&'t str, &'t str>,
    /// The variables that may have another value.
    changing: Vec<&'t str>,
}

impl<'t> Variables<'t> {
    /// The variables that a text sets.
    pub fn of(text: &'t str) -> Self {
        let mut found = Self::default();
        for line in text.lines() {
            let line = line.trim_start();
            let line = line.strip_prefix("export ").unwrap_or(line);
            let Some((name, value)) = line.split_once('=') else {
                continue;
            };
            let name = name.trim_end_matches(['?', ':']).trim_end();
            if let Some(name) = name.strip_suffix('+').map(str::trim_end) {
                found.changing.push(name);
            } else if is_name(name) {
                let value = value.split(" #").next().unwrap_or_default().trim();
                let value = value.trim_matches(['"', '\'']);
                if *found.first.entry(name).or_insert(value) != value {
                    found.changing.push(name);
                }
            } else {
                // Another run of make may get another value.
                let words = line.split_whitespace().filter_map(|it| it.split_once('='));
                let is_make = line.contains("make") || line.contains("$(MAKE)");
                let others = words.map(|it| it.0).filter(|it| is_make && is_name(it));
                found.changing.extend(others);
            }
        }
        found
    }

    /// A text after replacing its variables with their first values. `None` if a variable is not set.
    pub fn put_in(&self, written: &str) -> Option<String> {
        replaced(written, |name| self.first.get(name).copied())
    }

    /// A text after replacing its variables with their values. `None` if a variable may have several values, or is not set.
    pub fn put_in_only(&self, written: &str) -> Option<String> {
        let only = |name: &str| self.first.get(name).filter(|_| !self.changing.contains(&name)).copied();
        replaced(written, only)
    }
}

/// A text after replacing its variables. `$(PWD)` and similar variables mean the folder where the command runs.
fn replaced<'t>(written: &str, value: impl Fn(&str) -> Option<&'t str>) -> Option<String> {
    let mut text = written.to_owned();
    for _ in 0..MOST_VARIABLES {
        let Some(at) = text.find('$') else {
            return Some(text);
        };
        let after = &text[at + 1..];
        let close = match after.chars().next()? {
            '(' => ')',
            '{' => '}',
            _ => return None,
        };
        let (name, rest) = after[1..].split_once(close)?;
        let value = match name {
            "PWD" | "CURDIR" | "shell pwd" => ".",
            _ => value(name)?,
        };
        text = format!("{}{value}{rest}", &text[..at]);
        if text.len() > LONGEST {
            return None;
        }
    }
    None
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
}
