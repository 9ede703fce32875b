//! The probable meaning of a misspelt word.

use crd_analyzer_budget as budget;

/// The maximum length of words to compare. It is limited because the time is proportional to the product of both lengths.
const LONGEST: usize = 80;
/// The maximum number of words to compare.
const MAX_COMPARED: usize = 1_000;

/// The word that was probably meant. It differs from the written word only in case, or by at most two letters (one letter for short words). `None` if
/// no word is similar, or if two words are equally similar.
pub fn meant<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Brackets have a meaning of their own, so they are not typos: `[]string` is not `string`.
    if written.len() > LONGEST || written.contains(is_bracket) {
        return None;
    }
    let lower: Vec<char> = lowercase(written).collect();
    let letters = letters(lower.iter().copied());
    let most = if written.len() < 5 { 1 } else { 2 };
    let mut best: Option<(usize, &str)> = None;
    let mut is_tie = false;
    for word in known.into_iter().take(MAX_COMPARED) {
        if word == written || word.len() > LONGEST || word.len().abs_diff(written.len()) > 4 * most {
            continue;
        }
        if !budget::advise(1 + word.len() as u64) {
            return None;
        }
        // A single edit removes a letter, adds a letter, or does both.
        if (letters ^ letters_of(word)).count_ones() as usize > 2 * most {
            continue;
        }
        let word_lower: Vec<char> = lowercase(word).collect();
        let distance = if word_lower == lower {
            0
        } else if budget::advise((lower.len() * word_lower.len()) as u64) {
            distance(&lower, &word_lower, most)
        } else {
            return None;
        };
        if distance > most {
            continue;
        }
        match best {
            Some((least, _)) if least < distance => {}
            Some((least, same)) if least == distance => is_tie = is_tie || same != word,
            _ => {
                best = Some((distance, word));
                is_tie = false;
            }
        }
    }
    best.filter(|_| !is_tie).map(|it| it.1)
}

/// Whether one name differs from the other only by a typo: another case, a letter too many or too few, two swapped letters, or, in a long name, one
/// wrong letter. The rules are strict because kinds of one group, such as `TCPRoute` and `TLSRoute`, can be similar and mean different things.
pub fn is_slip(one: &str, other: &str) -> bool {
    if one == other || one.len().max(other.len()) > LONGEST {
        return false;
    }
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    if one == other {
        return true;
    }
    let is_long = one.len().min(other.len()) >= 8;
    let mut letters: [Vec<char>; 2] = [one.chars().collect(), other.chars().collect()];
    if distance(&letters[0], &letters[1], 1) != 1 {
        return false;
    }
    let mut is_rearranged = || {
        for it in &mut letters {
            it.sort_unstable();
        }
        letters[0] == letters[1]
    };
    one.len() != other.len() || is_long || is_rearranged()
}

/// Whether the name of an API group lacks its last label: `example` for `example.com`. A number in the label makes it another group: `example.com.v2`.
pub fn lacks_last_label(group: &str, whole: &str) -> bool {
    let label = whole.strip_prefix(group).and_then(|it| it.strip_prefix('.'));
    !group.is_empty() && label.is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_lowercase()))
}

/// Whether a character makes a type from another type, so that it is not a typo.
pub(crate) fn is_bracket(c: char) -> bool {
    matches!(c, '[' | ']' | '<' | '>' | '{' | '}' | '*' | '?' | '|')
}

fn lowercase(word: &str) -> impl Iterator<Item = char> {
    word.chars().flat_map(char::to_lowercase)
}

/// The letters of a word as a bit set, in which different letters may share a bit.
fn letters(word: impl Iterator<Item = char>) -> u64 {
    word.fold(0, |set, letter| set | 1 << (u32::from(letter) % 64))
}

/// The letters of the word in lower case, as a bit set.
fn letters_of(word: &str) -> u64 {
    if word.is_ascii() {
        return letters(word.bytes().map(|it| char::from(it.to_ascii_lowercase())));
    }
    letters(lowercase(word))
}

/// The number of letters to insert, delete, change or swap with the next letter; `most + 1` if this number is larger than `most`.
fn distance(a: &[char], b: &[char], most: usize) -> usize {
    if a.len().abs_diff(b.len()) > most {
        return most + 1;
    }
    // Cells further from the diagonal always contain more than `most`.
    let width = b.len() + 1;
    let mut table = vec![most + 1; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in i.saturating_sub(most)..=(i + most).min(b.len()) {
            table[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = usize::from(a[i - 1] != b[j - 1]);
                let mut least = (table[(i - 1) * width + j] + 1)
                    .min(table[i * width + j - 1] + 1)
                    .min(table[(i - 1) * width + j - 1] + same);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(table[(i - 2) * width + j - 2] + 1);
                }
                least
            };
        }
    }
    table[a.len() * width + b.len()].min(most + 1)
}

/// Common wrong names of types.
const ALIASES: [(&str, &str); 14] = [
    ("int", "integer"),
    ("int32", "integer"),
    ("int64", "integer"),
    ("long", "integer"),
    ("bool", "boolean"),
    ("str", "string"),
    ("text", "string"),
    ("float", "number"),
    ("double", "number"),
    ("list", "array"),
    ("slice", "array"),
    ("map", "object"),
    ("dict", "object"),
    ("struct", "object"),
];

/// The types of a schema.
pub const TYPES: [&str; 6] = ["object", "string", "array", "integer", "boolean", "number"];

/// The type that was probably meant.
pub fn meant_type(written: &str) -> Option<&'static str> {
    let lower = written.to_ascii_lowercase();
    let alias = ALIASES.iter().find(|it| it.0 == lower).map(|it| it.1);
    alias.or_else(|| meant(written, TYPES))
}

/// The type to which a format belongs, if somebody writes the format as the value of `type`.
pub fn type_of_format(format: &str) -> Option<&'static str> {
    match format {
        "date" | "date-time" | "duration" | "uuid" | "uri" | "email" | "hostname" | "ipv4" | "ipv6" | "byte"
        | "password" => Some("string"),
        "int32" | "int64" => Some("integer"),
        "float" | "double" => Some("number"),
        _ => None,
    }
}

/// The name of an object that was probably meant: with lower-case letters, digits, `-` and `.` only.
pub fn meant_object_name(written: &str) -> Option<String> {
    let lower = written.to_ascii_lowercase();
    let kept = lower.chars().map(|c| {
        let fits = c.is_ascii_alphanumeric() || c == '.';
        if fits { c } else { '-' }
    });
    let kept: String = kept.collect();
    let near = kept.trim_matches(['-', '.']);
    let is_name = !near.is_empty() && near != written && near.len() <= 253 && !near.contains("..");
    is_name.then(|| near.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_was_meant() {
        let words = ["maxLength", "minLength", "maxItems", "set", "map", "string", "jsonPath"];
        for (written, expected) in [
            ("maxlength", Some("maxLength")),
            ("maxLenght", Some("maxLength")),
            ("mxLengt", Some("maxLength")),
            ("strng", Some("string")),
            ("sett", Some("set")),
            ("mat", Some("map")),
            ("m", None),
            ("axLength", Some("maxLength")),
            ("JSONPath", Some("jsonPath")),
            ("other", None),
        ] {
            assert_eq!(meant(written, words), expected, "{written}");
        }
        for (written, expected) in [
            ("Integer", "integer"),
            ("int", "integer"),
            ("List", "array"),
            ("strng", "string"),
        ] {
            assert_eq!(meant_type(written), Some(expected));
        }
    }

    #[test]
    fn guessing_has_an_end() {
        use budget::{Limits, within};
        let words: Vec<String> = (0..900).map(|it| format!("a-long-word-{it}")).collect();
        let guess = |limits| {
            let known = || words.iter().map(String::as_str).chain(["maxLength"]);
            within(limits, || meant("maxLenght", known()))
        };
        let (found, ended) = guess(Limits::ADVICE);
        assert_eq!((found, ended.unfinished), (Some("maxLength"), None));
        let few = Limits {
            advice: 1_000,
            ..Limits::NONE
        };
        let (found, ended) = guess(few);
        assert_eq!((found, ended.unfinished), (None, None), "the answer is still finished");
    }
}
