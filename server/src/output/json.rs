//! JSON output: one document with the lines of the `jsonl` format as a list, the unreadable files, and a summary.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_io::escape;
use crd_analyzer_schema::go::json_float;
use serde::Serialize;
use serde_json::{Serializer, Value, json, ser::Formatter};

use super::{File, Format, Printer, Summary, jsonl};
use crate::input::Unreadable;

pub(super) const FORMAT: Format = Format {
    counts_fixes: true,
    has_resources: true,
    ..Format::new("json", |look| Box::new(Json::new(look.effective)))
};

/// Prints the answers one by one, and the unreadable files at the end.
#[derive(Default)]
struct Json {
    has_begun: bool,
    /// The diagnostics about whole files.
    files: Vec<Value>,
    unreadable: Vec<Value>,
    effective: bool,
}

impl Json {
    fn new(effective: bool) -> Self {
        Self {
            effective,
            ..Self::default()
        }
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.has_begun {
            return out.write_all(b",");
        }
        self.has_begun = true;
        out.write_all(b"{\n  \"answers\": [")
    }
}

impl Printer for Json {
    fn file(&mut self, out: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        for (n, document) in file.report.documents.iter().enumerate() {
            for (version, verdict) in &document.verdicts {
                self.begin(out)?;
                out.write_all(b"\n    ")?;
                let line = jsonl::line(file, (document, file.roles.get(n)), (*version, verdict), self.effective);
                line.serialize(&mut Serializer::with_formatter(&mut *out, Pretty::at(2)))?;
            }
        }
        if let Some(line) = jsonl::of_file(file) {
            self.files.push(serde_json::to_value(line)?);
        }
        Ok(())
    }

    fn unreadable(&mut self, _: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        self.unreadable
            .push(json!({"file": unreadable.label, "why": unreadable.why}));
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary, _: Duration) -> io::Result<()> {
        if self.has_begun {
            out.write_all(b"\n  ]")?;
        } else {
            out.write_all(b"{\n  \"answers\": []")?;
        }
        let (new, baseline) = (summary.new, &summary.baseline);
        let mut by_code: BTreeMap<&str, usize> = BTreeMap::new();
        for ((code, _), count) in &summary.by_code {
            *by_code.entry(code).or_default() += count;
        }
        let mut summary = json!({
            "files": summary.files,
            "definitions": summary.definitions,
            "resources": summary.resources,
            "built_in": summary.built_in,
            "patches": summary.patches,
            "definitions_in_part": summary.bases,
            "in_part": summary.in_part,
            "unknown": summary.unknown.values().sum::<usize>(),
            "unknown_kinds": jsonl::kinds(summary.unknown.iter().map(|(kind, count)| (kind, *count))),
            "not_checked": summary.not_checked.json(),
            "suppressed_errors": summary.hidden_errors,
            "expected_errors": summary.expected.errors,
            "test_data": {
                "errors": summary.test_data.of("error"),
                "warnings": summary.test_data.of("warning"),
                "hints": summary.test_data.of("hint"),
            },
            "errors": summary.errors,
            "later_errors": summary.later_errors,
            "warnings": summary.warnings,
            "hints": summary.hints,
            "fixable": summary.fixable.safe,
            "fixable_unsafe": summary.fixable.more,
            "by_code": by_code,
        });
        if let Some(new) = new {
            summary["new"] = new.into();
        }
        if let Some(baseline) = baseline {
            let gone = baseline.gone.iter();
            let gone = gone.map(|[file, code, message]| json!({"file": file, "code": code, "message": message}));
            summary["baseline"] = json!({"known": baseline.known, "gone": gone.collect::<Vec<_>>()});
        }
        let (files, unreadable) = (json!(self.files), json!(self.unreadable));
        for (key, value) in [("files", files), ("unreadable", unreadable), ("summary", summary)] {
            write!(out, ",\n  \"{key}\": ")?;
            value.serialize(&mut Serializer::with_formatter(&mut *out, Pretty::at(1)))?;
        }
        out.write_all(b"\n}\n")
    }
}

/// Writes a complete JSON document with indentation.
pub(super) fn write_pretty(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Pretty::at(0)))?;
    out.write_all(b"\n")
}

/// The maximum depth of indentation. Without a limit, the output size would grow with the square of the depth.
const DEEPEST_INDENTATION: usize = 100;

/// Formats indented JSON with invisible characters escaped and numbers as the API server writes them.
struct Pretty {
    depth: usize,
    is_empty: bool,
}

impl Pretty {
    /// A formatter that starts at this depth.
    fn at(depth: usize) -> Self {
        Self { depth, is_empty: true }
    }

    fn open<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.is_empty = true;
        writer.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if !self.is_empty {
            self.line(writer)?;
        }
        self.is_empty = false;
        writer.write_all(bracket)
    }

    fn next<W: ?Sized + Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        if !is_first {
            writer.write_all(b",")?;
        }
        self.is_empty = false;
        self.line(writer)
    }

    fn line<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..self.depth.min(DEEPEST_INDENTATION)).try_for_each(|_| writer.write_all(b"  "))
    }
}

impl Formatter for Pretty {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(json_float(value).as_bytes())
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        writer.write_all(escape::json(fragment).as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        self.next(writer, is_first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        self.next(writer, is_first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nests_deep_does_not_grow_with_the_square_of_its_depth() {
        let nested = (0..1000).fold(Value::Null, |inner, _| json!([inner]));
        let mut out = Vec::new();
        write_pretty(&mut out, &nested).unwrap();
        let longest = out.split(|it| *it == b'\n').map(<[u8]>::len).max();
        assert_eq!(longest, Some(2 * DEEPEST_INDENTATION + "null".len()));
    }

    #[test]
    fn the_value_is_that_of_other_json() {
        let value = json!({"a": [1, [], {}, {"b": null}, ["x"]], "c\u{9b}": "##[error]\u{202e}"});
        let mut out = Vec::new();
        value
            .serialize(&mut Serializer::with_formatter(&mut out, Pretty::at(0)))
            .unwrap();
        let out = String::from_utf8(out).unwrap();
        let plain = serde_json::to_string_pretty(&value).unwrap();
        let plain = plain.replace('\u{9b}', "\\u009b").replace('\u{202e}', "\\u202e");
        let plain = plain
            .replace("##[", "##\\u005b")
            .replace("9.223372036854776e18", "9223372036854776000");
        assert_eq!(out, plain);
        assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), value);
    }
}
