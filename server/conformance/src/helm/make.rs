//! Charts made at random: a custom resource whose fields are written out or printed by actions, and values for them.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::{
    chart::{Case, catalog},
    schema::{any_value, crd, is_required, value},
};

const HEAD: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: {{ .Release.Name }}-widget\n";

/// A value that the chart's templates read.
enum Parameter {
    /// A condition.
    Flag,
    /// A value for this schema.
    Value(Value),
    /// Some fields of an object with this schema, other than these.
    Fields(Value, Vec<String>),
    /// Any number of values for this schema.
    List(Value),
}

struct Making<'r> {
    random: &'r mut Rng,
    lines: String,
    helpers: String,
    parameters: Vec<Parameter>,
    /// Whether text is written into a helper, where `.` may be another value.
    depth: usize,
}

/// A chart, and `count` values for it.
pub(super) fn case(name: String, count: usize, random: &mut Rng) -> Case {
    let (crd, spec) = crd(random);
    let object = value(&spec, random);
    let mut making = Making {
        random,
        lines: HEAD.to_owned(),
        helpers: String::new(),
        parameters: Vec::new(),
        depth: 0,
    };
    making.lines.push_str("spec:\n");
    making.fields(&spec, &object, 2);
    let Making {
        lines,
        helpers,
        parameters,
        random,
        ..
    } = making;
    let defaults = values(&parameters, true, random);
    let schema = random.bool().then(|| schema_of_values(&parameters, random));
    let mut files = BTreeMap::from([
        (
            "Chart.yaml".to_owned(),
            "apiVersion: v2\nname: made\nversion: 0.1.0\n".to_owned(),
        ),
        ("values.yaml".to_owned(), defaults.to_string()),
        ("templates/widget.yaml".to_owned(), lines),
    ]);
    if let Some(schema) = schema {
        files.insert("values.schema.json".to_owned(), schema.to_string());
    }
    if !helpers.is_empty() {
        files.insert("templates/_helpers.tpl".to_owned(), helpers);
    }
    let mut given = vec![json!({})];
    given.extend((1..count.max(2)).map(|_| values(&parameters, false, random)));
    Case {
        name,
        files,
        crds: Arc::new(catalog([crd])),
        values: given,
    }
}

/// Values for the parameters. Most of them are accepted, and the defaults repeat no field.
fn values(parameters: &[Parameter], are_defaults: bool, random: &mut Rng) -> Value {
    let is_careful = are_defaults || random.u8(..3) > 0;
    let mut made = Map::new();
    for (n, parameter) in parameters.iter().enumerate() {
        let given = match parameter {
            Parameter::Flag => json!(random.bool()),
            Parameter::Value(schema) if is_careful => value(schema, random),
            Parameter::Value(schema) => any_value(schema, random),
            Parameter::Fields(schema, others) => {
                let mut fields = value(schema, random);
                // Sometimes a field is printed that the template also writes, since the template may lose it.
                if let Some(fields) = fields.as_object_mut()
                    && (are_defaults || random.u8(..3) > 0)
                {
                    fields.retain(|name, _| !others.contains(name));
                }
                fields
            }
            Parameter::List(schema) => (0..random.usize(..3)).map(|_| value(schema, random)).collect(),
        };
        made.insert(format!("v{n}"), given);
    }
    Value::Object(made)
}

/// A schema of the values, for some of the parameters. Helm renders nothing for values that it does not allow.
fn schema_of_values(parameters: &[Parameter], random: &mut Rng) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (n, parameter) in parameters.iter().enumerate() {
        let name = format!("v{n}");
        let schema = match parameter {
            Parameter::Flag => json!({"type": "boolean"}),
            Parameter::Value(schema) | Parameter::Fields(schema, _) if schema.get("type").is_some() => {
                // Of the other keywords, those that depend on the version of JSON Schema are left out.
                let kept = ["type", "enum"].into_iter();
                let kept = kept.filter_map(|it| Some((it.to_owned(), schema.get(it)?.clone())));
                Value::Object(kept.collect())
            }
            Parameter::Value(_) | Parameter::Fields(..) => continue,
            Parameter::List(_) => json!({"type": "array"}),
        };
        if random.u8(..10) < 8 {
            properties.insert(name.clone(), schema);
        }
        if random.u8(..10) < 7 {
            required.push(name);
        }
    }
    json!({"type": "object", "properties": properties, "required": required})
}

impl Making<'_> {
    fn chance(&mut self, percent: u8) -> bool {
        self.random.u8(..100) < percent
    }

    /// The expression for a new parameter. Helpers get the root as `.`, blocks may not.
    fn parameter(&mut self, parameter: Parameter) -> String {
        self.parameters.push(parameter);
        let root = if self.depth > 0 { "$" } else { "" };
        format!("{root}.Values.v{}", self.parameters.len() - 1)
    }

    /// The expression for a new parameter, whose value the chart's author sometimes gives another type.
    fn any_parameter(&mut self, schema: &Value) -> String {
        let types = ["integer", "boolean", "string", "number"];
        let other = json!({"type": types[self.random.usize(..types.len())]});
        let schema = if self.chance(5) { &other } else { schema };
        self.parameter(Parameter::Value(schema.clone()))
    }

    fn line(&mut self, column: usize, text: &str) {
        self.lines.push_str(&" ".repeat(column));
        self.lines.push_str(text);
        self.lines.push('\n');
    }

    /// The fields of an object, and sometimes more of them that a parameter has.
    fn fields(&mut self, schema: &Value, object: &Value, column: usize) {
        let fields = object.as_object().cloned().unwrap_or_default();
        for (name, value) in &fields {
            let of = field(schema, name);
            let is_needed = is_required(schema, name);
            self.field(&of, name, value, is_needed, column);
        }
        if (self.chance(8) || fields.is_empty()) && schema["properties"].is_object() {
            let names = fields.keys().cloned().collect();
            let more = self.parameter(Parameter::Fields(schema.clone(), names));
            self.line(column, &format!("{{{{- with {more} }}}}"));
            self.line(column, &format!("{{{{- toYaml . | nindent {column} }}}}"));
            self.line(column, "{{- end }}");
        } else if fields.is_empty() {
            let note = self.parameter(Parameter::Value(json!({"type": "string", "enum": ["a"]})));
            self.line(column, &format!("added: {{{{ {note} }}}}"));
        }
    }

    fn field(&mut self, schema: &Value, name: &str, value: &Value, is_needed: bool, column: usize) {
        match self.random.u8(..100) {
            // A block, in whose other branch the field may have another value.
            0..12 => {
                let words = if is_needed { 1 } else { self.random.usize(..3) };
                let flag = self.parameter(Parameter::Flag);
                let column_of_actions = if self.chance(50) { column } else { 0 };
                self.line(column_of_actions, &format!("{{{{- if {flag} }}}}"));
                self.plain(schema, name, value, column);
                if words == 2 && self.chance(50) {
                    let flag = self.parameter(Parameter::Flag);
                    self.line(column_of_actions, &format!("{{{{- else if not {flag} }}}}"));
                    self.other(schema, name, column);
                } else if words > 0 {
                    self.line(column_of_actions, "{{- else }}");
                    self.other(schema, name, column);
                }
                self.line(column_of_actions, "{{- end }}");
            }
            12..18 if !is_needed && !is_block(value) => {
                let of = self.parameter(Parameter::Value(schema.clone()));
                self.line(column, &format!("{{{{- with {of} }}}}"));
                self.line(column, &format!("{name}: {{{{ . | quote }}}}"));
                self.line(column, "{{- end }}");
            }
            18..24 if self.depth == 0 => self.helper(schema, name, value, column),
            24..30 if value.is_object() && schema["properties"].is_object() => {
                let of = self.parameter(Parameter::Value(schema.clone()));
                self.line(column, &format!("{name}:"));
                self.line(column + 2, &format!("{{{{- toYaml {of} | nindent {} }}}}", column + 2));
            }
            _ => self.plain(schema, name, value, column),
        }
    }

    /// The field with a new value.
    fn other(&mut self, schema: &Value, name: &str, column: usize) {
        let other = value(schema, self.random);
        self.plain(schema, name, &other, column);
    }

    /// The field in a template that is included here.
    fn helper(&mut self, schema: &Value, name: &str, value: &Value, column: usize) {
        let before = std::mem::take(&mut self.lines);
        self.depth += 1;
        self.plain(schema, name, value, 0);
        self.depth -= 1;
        let body = std::mem::replace(&mut self.lines, before);
        let number = self.parameters.len() * 100 + self.helpers.len();
        let _ = write!(
            self.helpers,
            "{{{{- define \"made.h{number}\" -}}}}\n{body}{{{{- end }}}}\n\n"
        );
        self.line(
            column,
            &format!("{{{{- include \"made.h{number}\" $ | nindent {column} }}}}"),
        );
    }

    /// The field without a block around it.
    fn plain(&mut self, schema: &Value, name: &str, value: &Value, column: usize) {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                self.line(column, &format!("{name}:"));
                self.fields(schema, value, column + 2);
            }
            Value::Array(items) if !items.is_empty() => {
                self.line(column, &format!("{name}:"));
                let at = column + 2 * usize::from(self.chance(50));
                for item in items {
                    self.item(&schema["items"], item, at);
                }
                if self.chance(15) {
                    let list = self.parameter(Parameter::List(schema["items"].clone()));
                    self.line(at, &format!("{{{{- range {list} }}}}"));
                    if is_block(&items[0]) {
                        self.line(at, &format!("- {{{{- toYaml . | nindent {} }}}}", at + 2));
                    } else {
                        self.line(at, "- {{ . | quote }}");
                    }
                    self.line(at, "{{- end }}");
                }
            }
            _ => {
                let written = self.scalar(schema, value);
                self.line(column, &format!("{name}: {written}"));
            }
        }
    }

    fn item(&mut self, schema: &Value, item: &Value, column: usize) {
        let is_in_block = self.chance(15);
        if is_in_block {
            let flag = self.parameter(Parameter::Flag);
            self.line(column, &format!("{{{{- if {flag} }}}}"));
        }
        let mut fields = item.as_object().into_iter().flatten();
        if let Some((first, value)) = fields.next() {
            // The first field is beside the dash, so it is not in a block.
            let start = self.lines.len();
            self.plain(&field(schema, first), first, value, column + 2);
            self.lines.replace_range(start + column..=start + column, "-");
            for (name, value) in fields {
                let is_needed = is_required(schema, name);
                self.field(&field(schema, name), name, value, is_needed, column + 2);
            }
        } else {
            let written = self.scalar(schema, item);
            self.line(column, &format!("- {written}"));
        }
        if is_in_block {
            self.line(column, "{{- end }}");
        }
    }

    /// A value in a line, as it is written or as an action prints it.
    fn scalar(&mut self, schema: &Value, value: &Value) -> String {
        let literal = literal(value);
        match self.random.u8(..100) {
            0..6 => {
                let of = self.any_parameter(schema);
                let filter = ["", "", "", " | int", " | default 7", " | toYaml"][self.random.usize(..6)];
                format!("{{{{ {of}{filter} }}}}")
            }
            6..10 => {
                let of = self.parameter(Parameter::Value(schema.clone()));
                format!("{{{{ {of} | toJson }}}}")
            }
            10..14 if value.is_string() => {
                let of = self.parameter(Parameter::Value(schema.clone()));
                ["{{ @ | quote }}", "\"{{ @ }}\"", "{{ @ | default \"web\" | quote }}"][self.random.usize(..3)]
                    .replace('@', &of)
            }
            14..26 => {
                let flag = self.parameter(Parameter::Flag);
                let other = self::literal(&super::schema::value(schema, self.random));
                format!("{{{{ if {flag} }}}}{literal}{{{{ else }}}}{other}{{{{ end }}}}")
            }
            _ => literal,
        }
    }
}

fn field(schema: &Value, name: &str) -> Value {
    let property = schema["properties"].get(name);
    property
        .or_else(|| schema.get("additionalProperties"))
        .cloned()
        .unwrap_or_default()
}

fn is_block(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

/// A value in YAML on one line. Only strings that YAML reads as something else are in quotes.
pub(super) fn literal(value: &Value) -> String {
    match value.as_str() {
        Some(text) if text.bytes().all(|it| it.is_ascii_alphabetic() || it == b'-') && text != "true" => {
            text.to_owned()
        }
        _ => value.to_string(),
    }
}
