//! Edits of the files of a package: of their markers, fields, types, and comments. An edit takes lines as text, so that it does not depend on how
//! crd-analyzer reads Go.

use std::sync::LazyLock;

use fastrand::Rng;
use regex::Regex;

use super::words::{DOCUMENTATION, MARKERS, PACKAGE_MARKERS, TAGS, TYPES, VALUES};

/// A file: its name, and its lines.
#[derive(Clone)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) lines: Vec<String>,
}

/// What the packages of a module have in use.
#[derive(Default)]
pub(super) struct Used {
    /// The markers without the plus sign.
    markers: Vec<String>,
    /// The types of fields.
    types: Vec<String>,
}

/// The place of a line: the index of the file, and of the line.
type At = (usize, usize);

#[allow(clippy::unwrap_used, reason = "a constant pattern that every run compiles")]
static FIELD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^(?<indent>\s+)(?:(?<name>\w+)\s+)?(?<type>[^\s`/].*?)\s+(?<tag>`[^`]*json:"(?<json>[^",]*)[^`]*`)(?<rest>.*)$"#).unwrap()
});
#[allow(clippy::unwrap_used, reason = "a constant pattern that every run compiles")]
static TYPE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^type (?<name>\w+) (?<shape>.*)$").unwrap());

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Marker,
    Comment,
    Field,
    Type,
    Package,
    Other,
}

fn kind(line: &str) -> Kind {
    let trimmed = line.trim_start();
    if let Some(comment) = trimmed.strip_prefix("//") {
        let is_marker = comment.trim_start().starts_with('+');
        return if is_marker { Kind::Marker } else { Kind::Comment };
    }
    match line {
        it if TYPE.is_match(it) => Kind::Type,
        it if it.starts_with("package ") => Kind::Package,
        it if FIELD.is_match(it) => Kind::Field,
        _ => Kind::Other,
    }
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// The text of a marker line after the plus sign.
fn marker(line: &str) -> &str {
    line.split_once('+').map_or("", |it| it.1).trim_end()
}

impl Used {
    /// Adds what the files of a package use.
    pub(super) fn add(&mut self, files: &[File]) {
        for line in files.iter().flat_map(|it| &it.lines) {
            match kind(line) {
                Kind::Marker => self.markers.push(marker(line).to_owned()),
                Kind::Field => self.types.extend(FIELD.captures(line).map(|it| it["type"].to_owned())),
                _ => {}
            }
        }
    }
}

/// The files of a package while they are edited.
pub(super) struct Edit<'a> {
    pub(super) files: Vec<File>,
    pub(super) used: &'a Used,
    pub(super) random: &'a mut Rng,
}

impl Edit<'_> {
    /// Makes one edit, and says what it is. `None` if the package has nothing to edit in this way.
    pub(super) fn make(&mut self) -> Option<String> {
        let edits: [fn(&mut Self) -> Option<String>; 24] = [
            Self::value,
            Self::value,
            Self::argument,
            Self::drop_marker,
            Self::double_marker,
            Self::move_marker,
            Self::add_marker,
            Self::add_marker,
            Self::rename_marker,
            Self::respell_marker,
            Self::package_marker,
            Self::blank_line,
            Self::change_type,
            Self::change_type,
            Self::change_tag,
            Self::drop_field,
            Self::copy_field,
            Self::embed,
            Self::rename_field,
            Self::rename_type,
            Self::declare_type,
            Self::declare_method,
            Self::document,
            Self::recomment,
        ];
        let edit = edits[self.random.usize(..edits.len())];
        edit(self)
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> Option<T> {
        (!all.is_empty()).then(|| all[self.random.usize(..all.len())].clone())
    }

    fn word(&mut self, all: &[&str]) -> String {
        all[self.random.usize(..all.len())].to_owned()
    }

    fn chance(&mut self, percent: u8) -> bool {
        self.random.u8(..100) < percent
    }

    fn line(&mut self, (file, line): At) -> &mut String {
        &mut self.files[file].lines[line]
    }

    fn insert(&mut self, (file, line): At, text: String) {
        self.files[file].lines.insert(line, text);
    }

    /// The places of all lines that pass.
    fn all(&self, is_it: impl Fn(&str) -> bool) -> Vec<At> {
        let files = self.files.iter().enumerate();
        let lines = files.flat_map(|(file, it)| it.lines.iter().enumerate().map(move |(line, it)| ((file, line), it)));
        lines.filter(|it| is_it(it.1)).map(|it| it.0).collect()
    }

    /// A random line of a kind, and its text.
    fn any(&mut self, kinds: &[Kind]) -> Option<(At, String)> {
        let all = self.all(|it| kinds.contains(&kind(it)));
        let at = self.pick(&all)?;
        Some((at, self.line(at).clone()))
    }

    /// A marker from the module, or one that fits anywhere.
    fn any_marker(&mut self) -> String {
        let used = self.used;
        if self.chance(50)
            && let Some(it) = self.pick(&used.markers)
        {
            return it;
        }
        self.word(MARKERS)
    }

    /// The first line of the comments above a declaration, or the line below a comment in the middle.
    fn above(&mut self, (file, line): At) -> At {
        let mut line = line;
        while line > 0
            && matches!(kind(&self.files[file].lines[line - 1]), Kind::Marker | Kind::Comment)
            && self.chance(70)
        {
            line -= 1;
        }
        (file, line)
    }

    fn value(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Marker])?;
        let equals: Vec<usize> = line.match_indices('=').map(|it| it.0).collect();
        let from = self.pick(&equals)?;
        let name = marker(&line)
            .split(['=', ':'])
            .next_back()
            .unwrap_or_default()
            .to_owned();
        let used = self.used;
        let others: Vec<&String> = used.markers.iter().filter(|it| it.contains(&name)).collect();
        let value = match self.pick(&others).and_then(|it| Some(it.split_once('=')?.1.to_owned())) {
            Some(other) if self.chance(30) => other,
            _ => self.word(VALUES),
        };
        // The value ends at the next argument, or the line ends with it.
        let to = match line[from..].find(',') {
            Some(comma) if self.chance(60) => from + comma,
            _ => line.len(),
        };
        let changed = format!("{}={value}{}", &line[..from], &line[to..]);
        let said = format!("{} -> {}", line.trim(), changed.trim());
        *self.line(at) = changed;
        Some(said)
    }

    fn argument(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Marker])?;
        let arguments = [
            "message=\"m\"",
            "reason=FieldValueInvalid",
            "optionalOldSelf=true",
            "other=1",
            "priority=1",
            "format=x",
            "warning=w",
            "",
        ];
        let argument = self.word(&arguments);
        let sign = self.word(&[",", ":", ", ", ";", "="]);
        *self.line(at) = format!("{line}{sign}{argument}");
        Some(format!("{} gets {sign}{argument}", line.trim()))
    }

    fn drop_marker(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Marker])?;
        self.files[at.0].lines.remove(at.1);
        Some(format!("without {}", line.trim()))
    }

    fn double_marker(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Marker])?;
        let mut copy = line.clone();
        if self.chance(50)
            && let Some(equals) = line.find('=')
        {
            copy = format!("{}={}", &line[..equals], self.word(VALUES));
        }
        let said = format!("doubled: {} and {}", line.trim(), copy.trim());
        let below = usize::from(self.chance(50));
        self.insert((at.0, at.1 + below), copy);
        Some(said)
    }

    fn move_marker(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Marker])?;
        self.files[at.0].lines.remove(at.1);
        let (to, target) = self.any(&[Kind::Field, Kind::Type, Kind::Field, Kind::Package])?;
        let to = self.above(to);
        let text = format!("{}// +{}", indent(&target), marker(&line));
        self.insert(to, text);
        Some(format!("{} goes to {}", line.trim(), target.trim()))
    }

    fn add_marker(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Field, Kind::Field, Kind::Type])?;
        let marker = self.any_marker();
        let to = self.above(at);
        let text = format!("{}// +{marker}", indent(&line));
        self.insert(to, text);
        Some(format!("+{marker} at {}", line.trim()))
    }

    fn rename_marker(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Marker])?;
        let text = marker(&line);
        let end = text.find('=').unwrap_or(text.len());
        let other = self.any_marker();
        let name = other.split('=').next().unwrap_or_default();
        let changed = format!("{}// +{name}{}", indent(&line), &text[end..]);
        let said = format!("{} -> {}", line.trim(), changed.trim());
        *self.line(at) = changed;
        Some(said)
    }

    /// Writes a marker in another way.
    fn respell_marker(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Marker])?;
        let (space, text) = (indent(&line).to_owned(), marker(&line).to_owned());
        let changed = match self.random.u8(..14) {
            0 => format!("{space}//+{text}"),
            1 => format!("{space}//  +{text}"),
            2 => format!("{space}//\t+{text}"),
            3 => format!("{space}// + {text}"),
            4 => format!("{space}/* +{text} */"),
            5 => format!("{space}/*\n{space}+{text}\n{space}*/"),
            6 => format!("{space}// +{text}   "),
            7 => format!("{space}// +{text} # a comment"),
            8 => format!("{space}// +{text} // a comment"),
            9 => format!("{space}// +{}", text.replacen(':', "::", 1)),
            10 => format!("{space}// +{}", text.replacen('=', " = ", 1)),
            11 => format!("{space}// +{}", text.to_lowercase()),
            12 => format!("{space}/// +{text}"),
            _ => {
                let letters: Vec<usize> = text.char_indices().map(|it| it.0).collect();
                let without = self.pick(&letters)?;
                let (begin, rest) = text.split_at(without);
                let rest: String = rest.chars().skip(1).collect();
                format!("{space}// +{begin}{rest}")
            }
        };
        let said = format!("{} -> {}", line.trim(), changed.trim());
        *self.line(at) = changed;
        Some(said)
    }

    fn package_marker(&mut self) -> Option<String> {
        let (at, _) = self.any(&[Kind::Package])?;
        let marker = self.word(PACKAGE_MARKERS);
        let to = match self.random.u8(..3) {
            0 => (at.0, at.1 + 1),
            _ => self.above(at),
        };
        self.insert(to, format!("// +{marker}"));
        if self.chance(20) {
            self.insert((to.0, to.1 + 1), String::new());
        }
        Some(format!("package +{marker}"))
    }

    /// Separates a comment from what is below it.
    fn blank_line(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Marker, Kind::Comment])?;
        self.insert((at.0, at.1 + 1), String::new());
        Some(format!("a blank line after {}", line.trim()))
    }

    /// A type for a field: one of the module, or any.
    fn any_type(&mut self) -> Option<String> {
        let types = self.all(|it| kind(it) == Kind::Type);
        let used = self.used;
        let found = match self.random.u8(..4) {
            0 => Some(self.word(TYPES)),
            1 => self.pick(&used.types),
            _ => {
                let at = self.pick(&types)?;
                TYPE.captures(self.line(at)).map(|it| it["name"].to_owned())
            }
        }?;
        Some(match self.random.u8(..8) {
            0 => format!("*{found}"),
            1 => format!("[]{found}"),
            2 => format!("map[string]{found}"),
            _ => found,
        })
    }

    fn change_type(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Field])?;
        let found = FIELD.captures(&line)?;
        let name = found.name("name")?.as_str();
        let written = match self.random.u8(..3) {
            0 => match found["type"].strip_prefix('*') {
                Some(it) => it.to_owned(),
                None => format!("*{}", &found["type"]),
            },
            _ => self.any_type()?,
        };
        *self.line(at) = format!(
            "{}{name} {written} {}{}",
            &found["indent"], &found["tag"], &found["rest"]
        );
        Some(format!("{name} {} -> {written}", &found["type"]))
    }

    fn change_tag(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Field])?;
        let found = FIELD.captures(&line)?;
        let tag = self.word(TAGS).replace("NAME", &found["json"]);
        let name = found.name("name").map_or("", |it| it.as_str());
        *self.line(at) = format!("{}{name} {} {tag}{}", &found["indent"], &found["type"], &found["rest"]);
        Some(format!("{name} {} -> {tag}", &found["tag"]))
    }

    fn drop_field(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Field])?;
        self.files[at.0].lines.remove(at.1);
        Some(format!("without {}", line.trim()))
    }

    /// Copies or moves a field to another place.
    fn copy_field(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Field])?;
        let is_moved = self.chance(50);
        let copy = if is_moved {
            self.files[at.0].lines.remove(at.1);
            line.clone()
        } else {
            let found = FIELD.captures(&line)?;
            let json = if self.chance(70) {
                format!("{}2", &found["json"])
            } else {
                found["json"].to_owned()
            };
            let tag = found["tag"].replacen(&format!("\"{}", &found["json"]), &format!("\"{json}"), 1);
            let name = found
                .name("name")
                .map_or(String::new(), |it| format!("{}2", it.as_str()));
            format!("{}{name} {} {tag}", &found["indent"], &found["type"])
        };
        let (to, target) = self.any(&[Kind::Field])?;
        let to = self.above(to);
        self.insert(to, copy);
        Some(format!("{} goes to {}, {is_moved}", line.trim(), target.trim()))
    }

    /// Embeds a type, or gives an embedded type a name.
    fn embed(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Field])?;
        let found = FIELD.captures(&line)?;
        let (name, written) = match found.name("name") {
            Some(_) => {
                let base = found["type"].trim_start_matches(['*', '[', ']']).to_owned();
                (String::new(), if self.chance(20) { format!("*{base}") } else { base })
            }
            None => ("Named".to_owned(), found["type"].to_owned()),
        };
        let tag = match self.random.u8(..4) {
            0 => found["tag"].to_owned(),
            1 => String::new(),
            2 => "`json:\"\"`".to_owned(),
            _ => "`json:\",inline\"`".to_owned(),
        };
        *self.line(at) = format!("{}{name} {written} {tag}", &found["indent"]);
        Some(format!("{} -> {name} {written} {tag}", line.trim()))
    }

    fn rename_field(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Field])?;
        let found = FIELD.captures(&line)?;
        let name = found.name("name")?.as_str();
        let changed = match self.random.u8(..4) {
            0 => format!("{}{}", name[..1].to_lowercase(), &name[1..]),
            1 => format!("{name}, {name}Too"),
            2 => "_".to_owned(),
            _ => format!("{name}Ä"),
        };
        *self.line(at) = format!("{}{changed} {} {}", &found["indent"], &found["type"], &found["tag"]);
        Some(format!("{name} -> {changed}"))
    }

    fn rename_type(&mut self) -> Option<String> {
        let (_, line) = self.any(&[Kind::Type])?;
        let name = TYPE.captures(&line)?["name"].to_owned();
        let changed = match self.random.u8(..6) {
            0 => format!("{}{}", name[..1].to_lowercase(), &name[1..]),
            1 => format!("{name}s"),
            2 => format!("{name}Ä"),
            3 => format!("X{name}"),
            4 => "Policy".to_owned(),
            _ => format!("{name}Index"),
        };
        let word = Regex::new(&format!(r"\b{name}\b")).ok()?;
        for line in self.files.iter_mut().flat_map(|it| &mut it.lines) {
            if line.contains(&name) {
                *line = word.replace_all(line, &*changed).into_owned();
            }
        }
        Some(format!("type {name} -> {changed}"))
    }

    /// Declares a type of another form, and uses it in a field.
    fn declare_type(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Field])?;
        let found = FIELD.captures(&line)?;
        let (name, of) = (found.name("name")?.as_str(), found["type"].to_owned());
        let (declared, written) = match self.random.u8(..9) {
            0 => (format!("type Fresh = {of}"), "Fresh"),
            1 => (format!("type Fresh {of}"), "Fresh"),
            2 => (format!("// Fresh is new.\n// +{}\ntype Fresh {of}", self.any_marker()), "Fresh"),
            3 => (format!("type (\n\t// Fresh is grouped.\n\tFresh {of}\n\tFresh2 = Fresh\n)"), "Fresh2"),
            4 => (format!("type Fresh[T any] struct {{\n\tValue T `json:\"value\"`\n\tOther {of} `json:\"other\"`\n}}"), "Fresh[string]"),
            5 => (format!("type Fresh[T any] = {of}"), "Fresh[int]"),
            6 => (
                "// +enum\n// +k8s:enum\ntype Fresh string\n\nconst (\n\tFreshA Fresh = \"a\"\n\t// b\n\tFreshB Fresh = `b`\n)".to_owned(),
                "Fresh",
            ),
            7 => (format!("type Fresh struct {{\n\t*Fresh `json:\"fresh\"`\n\tOf {of} `json:\"of,omitempty\"`\n}}"), "Fresh"),
            _ => (format!("type Fresh map[string]{of}\n\ntype Fresh2 []Fresh"), "Fresh2"),
        };
        *self.line(at) = format!("{}{name} {written} {}", &found["indent"], &found["tag"]);
        let last = self.files[at.0].lines.len();
        self.insert((at.0, last), format!("\n{declared}\n"));
        Some(format!("{name} {of} -> {written}: {declared}"))
    }

    fn declare_method(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Type])?;
        let name = TYPE.captures(&line)?["name"].to_owned();
        let star = self.word(&["", "*"]);
        let method = self.word(&[
            "MarshalJSON() ([]byte, error)",
            "MarshalText() ([]byte, error)",
            "MarshalJSON() string",
            "UnmarshalJSON(b []byte) error",
            "OpenAPISchemaType() []string",
        ]);
        let last = self.files[at.0].lines.len();
        self.insert(
            (at.0, last),
            format!("\nfunc (x {star}{name}) {method} {{ panic(0) }}\n"),
        );
        Some(format!("func ({star}{name}) {method}"))
    }

    fn document(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Comment, Kind::Field, Kind::Type])?;
        let text = self.word(DOCUMENTATION);
        if kind(&line) == Kind::Comment && self.chance(50) {
            *self.line(at) = format!("{}//{text}", indent(&line));
        } else {
            let to = self.above(at);
            self.insert(to, format!("{}//{text}", indent(&line)));
        }
        Some(format!("//{text} at {}", line.trim()))
    }

    /// Writes a comment in another way, or removes it.
    fn recomment(&mut self) -> Option<String> {
        let (at, line) = self.any(&[Kind::Comment])?;
        let (space, text) = (indent(&line).to_owned(), line.trim().trim_start_matches('/').to_owned());
        let changed = match self.random.u8(..6) {
            0 => format!("{space}/*{text} */"),
            1 => format!("{space}/*{text}\n{space} * more of it\n{space} */"),
            2 => format!("{space}//{text}\r"),
            3 => format!("{space}///{text}"),
            4 => format!("{space}/**{text}*/"),
            _ => {
                self.files[at.0].lines.remove(at.1);
                return Some(format!("without {}", line.trim()));
            }
        };
        let said = format!("{} -> {}", line.trim(), changed.trim());
        *self.line(at) = changed;
        Some(said)
    }
}
