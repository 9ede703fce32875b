//! Semantic versions (`github.com/blang/semver`).

use std::cmp::Ordering;
use std::fmt;

use crate::go::quote;

/// A semantic version.
#[derive(Clone, Debug)]
pub struct Semver {
    /// The major version.
    pub major: u64,
    /// The minor version.
    pub minor: u64,
    /// The patch version.
    pub patch: u64,
    pre: Vec<Pre>,
    build: Vec<String>,
}

/// A part of a pre-release. Numbers sort before words.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Pre {
    Number(u64),
    Word(String),
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

fn number(text: &str, name: &str, capital: &str) -> Result<u64, String> {
    if !is_number(text) {
        return Err(format!("Invalid character(s) found in {name} number {}", quote(text)));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!(
            "{capital} number must not contain leading zeroes {}",
            quote(text)
        ));
    }
    parse_uint(text)
}

fn parse_uint(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        let reason = if text.is_empty() {
            "invalid syntax"
        } else {
            "value out of range"
        };
        format!("strconv.ParseUint: parsing {}: {reason}", quote(text))
    })
}

impl Semver {
    /// Parses a version. The error is the API server's message.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err("No Major.Minor.Patch elements found".to_owned());
        };
        let (major, minor) = (number(major, "major", "Major")?, number(minor, "minor", "Minor")?);
        let (rest, build) = rest
            .split_once('+')
            .map_or((rest, None), |(rest, build)| (rest, Some(build)));
        let (patch, pre) = rest
            .split_once('-')
            .map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
        let patch = number(patch, "patch", "Patch")?;
        let pre = pre.iter().flat_map(|p| p.split('.')).map(|part| {
            if part.is_empty() {
                return Err("Prerelease is empty".to_owned());
            }
            if is_number(part) {
                if part.len() > 1 && part.starts_with('0') {
                    let part = quote(part);
                    return Err(format!(
                        "Numeric PreRelease version must not contain leading zeroes {part}"
                    ));
                }
                return parse_uint(part).map(Pre::Number);
            }
            if is_word(part) {
                return Ok(Pre::Word(part.to_owned()));
            }
            Err(format!("Invalid character(s) found in prerelease {}", quote(part)))
        });
        let pre = pre.collect::<Result<Vec<_>, _>>()?;
        let build = build.iter().flat_map(|b| b.split('.')).map(|part| {
            if part.is_empty() {
                return Err("Build meta data is empty".to_owned());
            }
            if is_word(part) {
                return Ok(part.to_owned());
            }
            Err(format!("Invalid character(s) found in build meta data {}", quote(part)))
        });
        let build = build.collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            major,
            minor,
            patch,
            pre,
            build,
        })
    }

    /// Parses a version. A leading `v`, leading zeros and missing numbers are allowed.
    pub fn parse_normalized(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(str::to_owned).collect();
        for part in &mut parts {
            if part.len() > 1 {
                let trimmed = part.trim_start_matches('0');
                let zero = if trimmed.starts_with(|c: char| c.is_ascii_digit()) {
                    ""
                } else {
                    "0"
                };
                *part = format!("{zero}{trimmed}");
            }
        }
        if parts.len() < 3 {
            if parts.last().is_some_and(|p| p.contains(['+', '-'])) {
                return Err("short version cannot contain PreRelease/Build meta data".to_owned());
            }
            parts.resize(3, "0".to_owned());
        }
        Self::parse(&parts.join("."))
    }

    /// Compares two versions. Build metadata is ignored.
    pub fn compare(&self, other: &Self) -> Ordering {
        let numbers = |v: &Self| (v.major, v.minor, v.patch);
        numbers(self)
            .cmp(&numbers(other))
            .then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                _ => self.pre.cmp(&other.pre),
            })
    }
}

impl fmt::Display for Semver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        for (at, pre) in self.pre.iter().enumerate() {
            f.write_str(if at == 0 { "-" } else { "." })?;
            match pre {
                Pre::Number(n) => write!(f, "{n}")?,
                Pre::Word(w) => f.write_str(w)?,
            }
        }
        for (at, build) in self.build.iter().enumerate() {
            write!(f, "{}{build}", if at == 0 { "+" } else { "." })?;
        }
        Ok(())
    }
}
