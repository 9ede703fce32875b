//! From what is wrong with an object to the place of the schema that decides.

use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::codes;
use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_schema::structural::{Structural, lookup};
use crd_analyzer_syntax::json::Json;

use crate::definition::ServedVersion;
use crate::verdict::Decider;

/// The way from `root` to one of its nodes, along the path of the value that the node is about. Paths of the validator begin
/// with `base`, which the schema does not.
pub(crate) fn to_schema(root: &JsonSchemaProps, target: &JsonSchemaProps, at: &Path, base: &Path) -> Option<Path> {
    // What `allOf` and the like find stands at the root, wherever it was found.
    let is_exact = at != base;
    let guide = if is_exact { Some(at.segments()) } else { None };
    let mut search = Search {
        target,
        steps: Path::root(),
        tries: 0,
    };
    let found = guide.is_some_and(|guide| search.node(root, Some(guide)));
    (found || search.again(root)).then_some(search.steps)
}

struct Search<'s> {
    target: &'s JsonSchemaProps,
    steps: Path,
    tries: usize,
}

/// How many schemas are looked at.
const MAX_TRIES: usize = 100_000;

impl Search<'_> {
    /// Looks everywhere.
    fn again(&mut self, root: &JsonSchemaProps) -> bool {
        self.steps = Path::root();
        self.tries = 0;
        self.node(root, None)
    }

    /// `guide`: the way of the value, where it is known.
    fn node(&mut self, schema: &JsonSchemaProps, guide: Option<&[Segment]>) -> bool {
        if std::ptr::eq(schema, self.target) {
            return true;
        }
        self.tries += 1;
        if self.tries > MAX_TRIES {
            return false;
        }
        for (keyword, clauses) in [
            ("allOf", &schema.all_of),
            ("anyOf", &schema.any_of),
            ("oneOf", &schema.one_of),
        ] {
            for (n, clause) in clauses.iter().enumerate() {
                if self.step(keyword, Some(Segment::Index(n)), clause, guide) {
                    return true;
                }
            }
        }
        if let Some(not) = &schema.not
            && self.step("not", None, not, guide)
        {
            return true;
        }
        let (first, rest) = match guide {
            None => (None, None),
            Some([]) => return false,
            Some([first, rest @ ..]) => (Some(first), Some(rest)),
        };
        let name = match first {
            Some(Segment::Field(name) | Segment::Key(name)) => Some(name.as_str()),
            Some(Segment::Index(_)) => None,
            None => None,
        };
        let is_index = matches!(first, Some(Segment::Index(_)));
        if !is_index {
            for (property, below) in &schema.properties {
                let fits = first.is_none() || name == Some(property.as_str());
                if fits && self.step("properties", Some(Segment::Key(property.clone())), below, rest) {
                    return true;
                }
            }
            if let Some(below) = schema
                .additional_properties
                .as_deref()
                .and_then(|it| it.schema.as_deref())
                && self.step("additionalProperties", None, below, rest)
            {
                return true;
            }
        }
        if (is_index || first.is_none())
            && let Some(below) = schema.items.as_deref().and_then(|it| it.schema.as_deref())
        {
            return self.step("items", None, below, rest);
        }
        false
    }

    fn step(
        &mut self,
        keyword: &str,
        below: Option<Segment>,
        schema: &JsonSchemaProps,
        guide: Option<&[Segment]>,
    ) -> bool {
        let depth = self.steps.segments().len();
        self.steps.push(Segment::Field(keyword.to_owned()));
        if let Some(segment) = below {
            self.steps.push(segment);
        }
        if self.node(schema, guide) {
            return true;
        }
        while self.steps.segments().len() > depth {
            self.steps.pop();
        }
        false
    }
}

/// The path of the keyword that an error of this code comes from; `steps` lead from the schema at `base` to the node.
pub(crate) fn keyword(schema: &JsonSchemaProps, code: &str, base: Path, steps: &Path) -> Path {
    let mut path = base;
    for step in steps.segments() {
        path.push(step.clone());
    }
    match keyword_of(schema, code) {
        Some(keyword) => path.child(keyword),
        None => path,
    }
}

fn keyword_of(schema: &JsonSchemaProps, code: &str) -> Option<&'static str> {
    Some(match code {
        codes::WRONG_TYPE if schema.x_int_or_string => "x-kubernetes-int-or-string",
        codes::WRONG_TYPE => "type",
        codes::MISSING_PROPERTY => "required",
        codes::NOT_IN_ENUM => "enum",
        codes::STRING_TOO_LONG => "maxLength",
        codes::STRING_TOO_SHORT => "minLength",
        codes::PATTERN_MISMATCH => "pattern",
        codes::FORMAT_MISMATCH | codes::NUMBER_OUT_OF_FORMAT => "format",
        codes::NUMBER_TOO_LARGE => "maximum",
        codes::NUMBER_TOO_SMALL => "minimum",
        codes::NOT_A_MULTIPLE => "multipleOf",
        codes::TOO_MANY_ITEMS => "maxItems",
        codes::TOO_FEW_ITEMS => "minItems",
        codes::DUPLICATE_ITEM => "uniqueItems",
        codes::TOO_MANY_PROPERTIES => "maxProperties",
        codes::TOO_FEW_PROPERTIES => "minProperties",
        codes::FORBIDDEN_PROPERTY => "additionalProperties",
        codes::ALL_OF_MISMATCH => "allOf",
        codes::ANY_OF_MISMATCH => "anyOf",
        codes::ONE_OF_MISMATCH => "oneOf",
        codes::NOT_MISMATCH => "not",
        _ => return None,
    })
}

/// The path of the schema of the value at `at`, or of the closest around it that has one, and a keyword if it is written there.
pub(crate) fn along(base: Path, root: &JsonSchemaProps, at: &Path, keyword: Option<&str>) -> Path {
    let mut path = base;
    let mut schema = root;
    let mut marked = None;
    for segment in at.segments() {
        if is_marked(schema, keyword) {
            marked = Some(path.clone());
        }
        match segment {
            Segment::Index(_) => {
                let Some(items) = schema.items.as_deref().and_then(|it| it.schema.as_deref()) else {
                    break;
                };
                path.push(Segment::Field("items".to_owned()));
                schema = items;
            }
            Segment::Field(name) | Segment::Key(name) => {
                if let Some(property) = lookup(&schema.properties, name) {
                    path.push(Segment::Field("properties".to_owned()));
                    path.push(Segment::Key(name.clone()));
                    schema = property;
                } else if let Some(values) = schema
                    .additional_properties
                    .as_deref()
                    .and_then(|it| it.schema.as_deref())
                {
                    path.push(Segment::Field("additionalProperties".to_owned()));
                    schema = values;
                } else {
                    break;
                }
            }
        }
    }
    if is_marked(schema, keyword) {
        marked = Some(path.clone());
    }
    match (marked, keyword) {
        (Some(marked), Some(keyword)) => marked.child(keyword),
        _ => path,
    }
}

/// Whether the keyword stands in the schema.
fn is_marked(schema: &JsonSchemaProps, keyword: Option<&str>) -> bool {
    match keyword {
        Some("x-kubernetes-list-type") => schema.x_list_type.is_some(),
        Some("x-kubernetes-embedded-resource") => schema.x_embedded_resource,
        _ => false,
    }
}

/// The schema that does not know the field at a dotted path.
pub(crate) fn around_unknown(version: ServedVersion<'_>, root: Structural<'_>, json: &Json<'_>, path: &str) -> Decider {
    let at = crate::places::path_of_dotted(json, path);
    Decider {
        path: along(version.schema_path(), root.props(), &at, None),
        rule: None,
    }
}
