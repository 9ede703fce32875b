//! The output of `kubectl explain` (`k8s.io/kubectl/pkg/explain/v2`, `templates/plaintext.tmpl`). Each function does the same as the template with
//! the same name, including its quirks.

use std::fmt::Write as _;

use serde_json::Value;

use crate::{
    schema::{Keywords, all_of, inner, reference, required, resolved, text},
    value::printed,
    wrap::{indent, wrap},
};

/// The kind to explain.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The API group.
    pub group: &'a str,
    /// The name of the version.
    pub version: &'a str,
    /// The kind.
    pub kind: &'a str,
    /// The schema of the version as the API server publishes it in OpenAPI v3.
    pub schema: &'a Value,
}

/// The fields inside the explained field to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// The direct fields, with their descriptions.
    Fields,
    /// All nested fields (`--recursive`), one per line, up to this number of levels (`--max-depth`). 0 means no limit.
    Recursive(usize),
}

/// The reason for an error of kubectl.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unexplained {
    /// The kind has no field at this path. Contains the last name of the path.
    NoField(String),
    /// A template fails on the schema.
    Template,
}

/// Formats kubectl's message.
impl std::fmt::Display for Unexplained {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoField(name) => write!(f, "error: field \"{name}\" does not exist"),
            Self::Template => f.write_str("expected schema argument to subtemplate 'typeguess'"),
        }
    }
}

impl std::error::Error for Unexplained {}

/// The output of `kubectl explain` for the field at a path, or for the kind if the path is empty.
pub fn explain(subject: &Subject<'_>, path: &[impl AsRef<str>], depth: Depth) -> Result<String, Unexplained> {
    let mut out = String::new();
    if !subject.group.is_empty() {
        line(&mut out, format_args!("GROUP:      {}", subject.group));
    }
    line(&mut out, format_args!("KIND:       {}", subject.kind));
    line(&mut out, format_args!("VERSION:    {}", subject.version));
    out.push('\n');
    let path: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
    let before = out.len();
    let schema = subject.schema.as_object().ok_or(Unexplained::Template)?;
    output(&mut out, schema, &path, depth)?;
    if out.len() == before {
        return Err(Unexplained::NoField(
            path.last().copied().unwrap_or_default().to_owned(),
        ));
    }
    out.push('\n');
    Ok(out)
}

fn line(out: &mut String, text: impl std::fmt::Display) {
    let _ = writeln!(out, "{text}");
}

/// Prints the field at a path. Prints nothing if the field does not exist.
fn output(out: &mut String, schema: &Keywords, path: &[&str], depth: Depth) -> Result<(), Unexplained> {
    let resolved = resolved(schema);
    let Some((first, rest)) = path.split_first() else {
        out.push_str("DESCRIPTION:\n");
        let mut words = String::new();
        description(&mut words, resolved);
        let words = if words.is_empty() { "<empty>" } else { &words };
        line(out, indent(&wrap(words, 76), 4));
        if let Some(docs) = inner(resolved, "externalDocs") {
            out.push_str("\nEXTERNAL DOCS:\n");
            external_docs(out, docs, 76, 4);
        }
        let mut fields = String::new();
        field_list(&mut fields, resolved, 1, depth)?;
        if !fields.is_empty() {
            out.push_str("FIELDS:\n");
            out.push_str(&fields);
        }
        return Ok(());
    };
    let property = inner(resolved, "properties").and_then(|it| inner(it, first));
    if let Some(property) = property {
        if rest.is_empty() {
            line(out, format_args!("FIELD: {first} <{}>", type_guess(property)?));
            enumeration(out, property, EnumView::Long);
            out.push_str("\n\n");
        }
        return output(out, property, rest, depth);
    }
    if let Some(items) = inner(resolved, "items") {
        return output(out, items, path, depth);
    }
    if let Some(values) = inner(resolved, "additionalProperties") {
        return output(out, values, path, depth);
    }
    let before = out.len();
    for branch in all_of(resolved) {
        output(out, branch, path, depth)?;
        if out.len() > before {
            break;
        }
    }
    Ok(())
}

fn field_list(out: &mut String, schema: &Keywords, level: usize, depth: Depth) -> Result<(), Unexplained> {
    let resolved = resolved(schema);
    let required = required(resolved);
    for (name, property) in inner(resolved, "properties").into_iter().flatten() {
        let Some(property) = property.as_object() else { continue };
        let is_required = required.contains(name.as_str());
        field_detail(out, (name, is_required), property, level, depth)?;
        if let Depth::Recursive(deepest) = depth
            && (deepest == 0 || level < deepest)
        {
            field_list(out, property, level + 1, depth)?;
        }
    }
    for branch in all_of(resolved) {
        field_list(out, branch, level, depth)?;
    }
    for key in ["items", "additionalProperties"] {
        if let Some(below) = inner(resolved, key) {
            field_list(out, below, level, depth)?;
        }
    }
    Ok(())
}

fn field_detail(
    out: &mut String,
    (name, is_required): (&str, bool),
    schema: &Keywords,
    level: usize,
    depth: Depth,
) -> Result<(), Unexplained> {
    let columns = level * 2;
    let _ = write!(out, "{}\t<{}>", indent(name, columns), type_guess(schema)?);
    if is_required {
        out.push_str(" -required-");
    }
    enumeration(out, schema, EnumView::Short { columns });
    out.push('\n');
    if depth == Depth::Fields {
        let words = text(schema, "description").unwrap_or("<no description>");
        line(out, indent(&wrap(words, 78 - columns), columns + 2));
        if let Some(docs) = inner(schema, "externalDocs") {
            out.push('\n');
            line(out, indent("EXTERNAL DOCS:", columns + 2));
            external_docs(out, docs, 76 - columns, columns + 4);
        }
        out.push('\n');
    }
    Ok(())
}

/// Prints the description of a schema and of the schemas inside it.
fn description(out: &mut String, schema: &Keywords) {
    let schema = resolved(schema);
    if let Some(words) = text(schema, "description") {
        line(out, words);
    }
    all_of(schema).for_each(|it| description(out, it));
    for key in ["items", "additionalProperties"] {
        if let Some(below) = inner(schema, key) {
            description(out, below);
        }
    }
}

/// Prints the lines after `EXTERNAL DOCS:`.
fn external_docs(out: &mut String, docs: &Keywords, width: usize, columns: usize) {
    if let Some(words) = text(docs, "description") {
        line(out, indent(&wrap(words, width), columns));
    }
    if let Some(url) = text(docs, "url") {
        line(out, indent(&format!("URL: {url}"), columns));
    }
}

/// The type of a field, as `kubectl explain` prints it.
pub(crate) fn type_name(schema: &Value) -> String {
    let guess = schema.as_object().and_then(|it| type_guess(it).ok());
    guess.unwrap_or_else(|| "Object".to_owned())
}

fn type_guess(schema: &Keywords) -> Result<String, Unexplained> {
    if schema.is_empty() {
        return Err(Unexplained::Template);
    }
    if let Some(items) = inner(schema, "items") {
        return Ok(format!("[]{}", type_guess(items)?));
    }
    if let Some(values) = inner(schema, "additionalProperties") {
        return Ok(format!("map[string]{}", type_guess(values)?));
    }
    let mut branches = all_of(schema);
    if let (1, None) = (branches.len(), inner(schema, "properties"))
        && let Some(only) = branches.next()
    {
        return type_guess(only);
    }
    if let Some(target) = reference(schema) {
        let named = resolved(schema);
        let found = if std::ptr::eq(named, schema) {
            None
        } else {
            text(named, "type")
        };
        return Ok(match found {
            None | Some("object") => target.rsplit(['/', '.']).next().unwrap_or("Object").to_owned(),
            Some(name) => name.to_owned(),
        });
    }
    Ok(match text(schema, "type") {
        None | Some("object") => "Object".to_owned(),
        Some(name) => name.to_owned(),
    })
}

/// The form in which the values of an enum are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EnumView {
    /// One value per line, for the explained field itself.
    Long,
    /// The first few values, on one line below the field.
    Short { columns: usize },
}

/// The maximum number of values on the line below a field.
const MOST_VALUES: usize = 4;

fn enumeration(out: &mut String, schema: &Keywords, view: EnumView) {
    let values = schema.get("enum").and_then(Value::as_array);
    let Some(values) = values.filter(|it| !it.is_empty()) else {
        return;
    };
    match view {
        EnumView::Long => out.push_str("ENUM:"),
        EnumView::Short { columns } => {
            let _ = write!(out, "\n{}enum: ", " ".repeat(columns));
        }
    }
    for (n, value) in values.iter().enumerate() {
        match view {
            EnumView::Long => out.push_str("\n    "),
            EnumView::Short { .. } if n >= MOST_VALUES => {
                out.push_str(", ....");
                break;
            }
            EnumView::Short { .. } if n > 0 => out.push_str(", "),
            EnumView::Short { .. } => {}
        }
        if value == "" {
            out.push_str("\"\"");
        } else {
            out.push_str(&printed(value));
        }
    }
}
