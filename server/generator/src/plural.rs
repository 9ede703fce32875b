//! Forms the plural of a kind in the same way as the library that controller-gen uses (`github.com/gobuffalo/flect` 1.0.3).

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// The table of plurals. `word` rows have a singular, a plural, another plural, and flags: `one-way` (the plural itself is not looked up) and `whole`
/// (matches only the whole word). `end` rows have a suffix and its plural; the first match applies. `short` rows have abbreviations.
const TABLE: &str = include_str!("plurals.tsv");

#[derive(Default)]
struct Tables {
    plural: HashMap<&'static str, &'static str>,
    /// Words that are already plural forms.
    plurals: HashSet<&'static str>,
    /// Suffixes, each with its plural. The first match applies.
    ends: Vec<(&'static str, &'static str)>,
    short: HashSet<&'static str>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut tables = Tables::default();
    let mut ends = Vec::new();
    for line in TABLE.lines() {
        let mut cells = line.split('\t');
        let (Some(of), Some(first)) = (cells.next(), cells.next()) else {
            continue;
        };
        let second = cells.next().unwrap_or_default();
        match of {
            "word" => {
                let (other, marks) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
                tables.plural.insert(first, second);
                if !marks.contains("one-way") {
                    tables.plurals.insert(second);
                    if !other.is_empty() {
                        tables.plurals.insert(other);
                    }
                }
                if !marks.contains("whole") {
                    tables.ends.push((first, second));
                }
            }
            "end" => ends.push((first, second)),
            _ => {
                tables.short.insert(first);
            }
        }
    }
    // The suffix that was added last takes precedence.
    tables.ends.reverse();
    tables.ends.extend(ends);
    tables
});

/// The plural of a kind in lower case.
pub(crate) fn of(kind: &str) -> String {
    plural(kind).to_lowercase()
}

fn plural(word: &str) -> String {
    let tables = &*TABLES;
    let Some(last) = last_part(word, tables) else {
        return String::new();
    };
    if let Some(plural) = tables.plural.get(word) {
        return (*plural).to_owned();
    }
    let small = last.to_lowercase();
    if tables.plurals.contains(word) || tables.plurals.contains(small.as_str()) {
        return word.to_owned();
    }
    let replaced = |by: &str| format!("{}{by}", word.strip_suffix(last.as_str()).unwrap_or(word));
    if let Some(plural) = tables.plural.get(small.as_str()) {
        return replaced(plural);
    }
    for (end, becomes) in &tables.ends {
        if last.ends_with(becomes) {
            return word.to_owned();
        }
        if let Some(start) = last.strip_suffix(end) {
            return replaced(&format!("{start}{becomes}"));
        }
    }
    if small.ends_with('s') {
        return word.to_owned();
    }
    format!("{word}s")
}

/// The last word of a camel-case name.
fn last_part(word: &str, tables: &Tables) -> Option<String> {
    let is_short = |it: &str| tables.short.contains(it.to_uppercase().as_str());
    if is_short(word) {
        return Some(word.to_uppercase());
    }
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    let mut previous = '\0';
    let mut end = |part: &mut String| {
        let word = std::mem::take(part);
        let word = word.trim_matches(['_', ' ', ':', '-', '/']);
        if !word.is_empty() {
            parts.push(if is_short(word) {
                word.to_uppercase()
            } else {
                word.to_owned()
            });
        }
    };
    for sign in word.chars() {
        let begins = sign.is_uppercase() && (!previous.is_uppercase() || is_short(&part));
        if begins || "_ :-/".contains(sign) {
            end(&mut part);
        }
        part.push(sign);
        previous = sign;
    }
    end(&mut part);
    parts.pop()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn kinds_have_plurals() {
        for (kind, plural) in [
            ("CronTab", "crontabs"),
            ("Gateway", "gateways"),
            ("Policy", "policies"),
            ("NetworkPolicy", "networkpolicies"),
            ("Ingress", "ingresses"),
            ("Status", "statuses"),
            ("Redis", "redis"),
            ("Prometheus", "prometheuses"),
            ("Mutex", "mutexes"),
            ("Index", "indices"),
            ("BranchProtectionRules", "branchprotectionrules"),
            ("API", "apis"),
            ("ClusterOSImages", "clusterosimages"),
            ("Kibana", "kibanas"),
            ("DNS", "dnses"),
            ("Proxy", "proxies"),
            ("Person", "people"),
            ("Knife", "knives"),
        ] {
            assert_eq!(of(kind), plural, "{kind}");
        }
    }
}
