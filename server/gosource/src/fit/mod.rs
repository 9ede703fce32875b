//! Finds markers that do not fit the type of their declaration, so that controller-gen fails with an error (`ApplyToSchema` in `pkg/crd/markers` of
//! `sigs.k8s.io/controller-tools`), and fields with the same JSON name.
//!
//! Types from other repositories are unknown. So a marker is reported only if controller-gen would reject it for every possible type.

pub mod fields;
mod kinds;
mod misread;
pub mod offered;
mod reach;
mod same_names;
mod scope;
mod tags;
#[cfg(test)]
mod tests;

use std::{ops::Range, path::Path};

use crate::{
    check::{
        Finding, Found, Known, Mismatch, Problem, Wanted,
        catalog::{Definition, Release, Type, definitions},
        comments::{Comments, Target, Written},
        guessed::{self, Guessed},
        parts::Parts,
        refused::OF_PAIRS,
        types::{Set, Shape, Types},
    },
    kinds::embeds_meta,
    literal::{Literal, Value},
    module::Module,
};
use kinds::Kinds;
use scope::{Has, Items, Methods, Schema, Scope, Underlying, plain, typed, typed_items};

/// The prefix of markers that apply to the items of a list.
const OF_ITEMS: &str = "kubebuilder:validation:items:";

/// Finds the markers in a file that do not fit their types, and fields with the same JSON name. `path` is the absolute path of the file, and `module` the
/// repository that contains it.
pub fn find(comments: &Comments, path: &Path, module: Option<&Module>, known: &Known<'_>) -> Vec<Finding> {
    let release = known.release;
    let types = &comments.types;
    if !types
        .declared
        .values()
        .any(|it| !it.markers.is_empty() || has_markers_or_tags(&it.shape))
    {
        return Vec::new();
    }
    let scope = Scope::new(types, path, module, release);
    let reached = reach::reached(&scope);
    let mut found = Vec::new();
    let mut left = same_names::MOST_PROMOTED;
    for (name, declared) in types.declared.iter().filter(|it| reached.contains(it.0)) {
        let is_basic = matches!(&declared.shape, Shape::Name(of) if scope.declared(of).is_none());
        if declared.is_alias && !is_basic {
            continue;
        }
        let methods = scope.methods(name, types, declared);
        let base = scope.schema(types, &declared.shape);
        let site = Site {
            types,
            markers: &declared.markers,
            target: Target::Type,
            release,
            written: types.text.get(declared.of.clone()).unwrap_or_default(),
            shape: &declared.shape,
            scope: &scope,
        };
        site.check(&scope, base, methods, &mut found);
        // controller-gen looks at the fields only if the type does not determine its own JSON form.
        let is_read = methods.lets_read(release, typed(types, &declared.markers).is_some());
        let Shape::Struct(members) = &declared.shape else {
            continue;
        };
        if is_read {
            same_names::find(&scope, types, members, &mut left, &mut found);
            tags::find(types, members, known.meant, &mut found);
        }
        for member in members.iter().filter(|it| is_read && it.is_property()) {
            let is_schemaless = member
                .markers
                .iter()
                .any(|it| it.name == "kubebuilder:validation:Schemaless");
            let base = match (&member.shape, is_schemaless) {
                (_, true) => Schema::of(Kinds::NONE),
                (Shape::Struct(_), false) => Schema::unknown(),
                (shape, false) => scope.schema(types, shape),
            };
            let site = Site {
                types,
                markers: &member.markers,
                target: Target::Field,
                release,
                written: types.text.get(member.of.clone()).unwrap_or_default(),
                shape: &member.shape,
                scope: &scope,
            };
            site.check(&scope, base, Methods::NONE, &mut found);
        }
    }
    found.sort_by_key(|it| it.span.start);
    found
}

fn has_markers_or_tags(shape: &Shape) -> bool {
    matches!(shape, Shape::Struct(members) if members.iter().any(|it| !it.markers.is_empty() || it.json.is_some()))
}

/// The reasons that a rule may state.
const REASONS: [&str; 4] = [
    "FieldValueRequired",
    "FieldValueInvalid",
    "FieldValueForbidden",
    "FieldValueDuplicate",
];

/// The mismatch. If it is not about the whole marker, also its span.
type Told = (Option<Mismatch>, Option<Range<usize>>);

/// A field or a type, and its markers.
struct Site<'a> {
    types: &'a Types,
    markers: &'a [Set],
    target: Target,
    release: Release,
    /// The Go type as written.
    written: &'a str,
    shape: &'a Shape,
    scope: &'a Scope<'a>,
}

impl Site<'_> {
    fn check(&self, scope: &Scope<'_>, base: Schema, methods: Methods, found: &mut Vec<Finding>) {
        let written = scope.written(base.kinds, methods);
        let is_text = written == Kinds::STRING && base.kinds != Kinds::STRING;
        let items = if is_text { Items::None } else { base.items };
        let after = typed(self.types, self.markers).unwrap_or(written);
        // If a type writes its own JSON, controller-gen also applies the markers to a schema without a type.
        let is_marshaler = methods.json == Has::Yes && typed(self.types, self.markers).is_none();
        let is_enum = self.release >= Release(21) && self.has("k8s:enum");
        let is_enum = is_enum && self.target == Target::Type && self.may_be_string();
        let first = Values {
            kinds: if typed(self.types, self.markers).is_some() {
                after.or(written)
            } else {
                written
            },
            has_no_type: is_marshaler,
            is_int_or_string: self.has("kubebuilder:validation:XIntOrString"),
        };
        let values = Values {
            kinds: if is_enum { after.or(Kinds::STRING) } else { after },
            ..first
        };
        for marker in self.markers {
            if !self.counts(marker) {
                continue;
            }
            let (mismatch, span) = match marker.name.strip_prefix(OF_ITEMS) {
                Some(word) => self.of_items(marker, word, values, &items),
                None => self.of_value(marker, first, values),
            };
            let Some(mismatch) = mismatch else {
                misread::find(self.types, marker, (self.release, values.kinds == Kinds::STRING), found);
                continue;
            };
            let begin = marker.span.start + 1;
            let name = marker.name.to_owned();
            found.push(Finding {
                span: span.unwrap_or(begin..begin + marker.name.len()),
                problem: Problem::Mismatched { name, mismatch },
            });
        }
    }

    /// Whether the release supports a marker at this kind of declaration.
    fn counts(&self, marker: &Set) -> bool {
        let is_here = |it: &Definition| it.target == self.target && it.since <= self.release;
        definitions(marker.name).iter().any(is_here)
    }

    /// Whether the type may be a string after all names are resolved.
    fn may_be_string(&self) -> bool {
        match self.scope.underlying(self.types, self.shape, 0) {
            Underlying::Basic(kinds) => kinds == Kinds::STRING,
            Underlying::Unknown => true,
            Underlying::Slice | Underlying::Map | Underlying::Other => false,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.markers.iter().any(|it| it.name == name)
    }

    /// The mismatch between the type and a marker that applies to the value itself. If only a part of the marker is wrong, also the span of that
    /// part.
    fn of_value(&self, marker: &Set, first: Values, values: Values) -> Told {
        let word = marker
            .name
            .strip_prefix("kubebuilder:validation:")
            .unwrap_or(marker.name);
        match word {
            "listType" | "k8s:listType" => {
                if let Some(mismatch) = self.misses(first, Wanted::List) {
                    return (Some(mismatch), None);
                }
                self.one_of(marker, &["map", "set", "atomic"])
            }
            "listMapKey" | "k8s:listMapKey" => {
                if let Some(mismatch) = self.misses(values, Wanted::List) {
                    return (Some(mismatch), None);
                }
                let types = |it: &&Set| matches!(it.name, "listType" | "k8s:listType") && self.counts(it);
                let mut types = self.markers.iter().filter(types);
                let is_map = types.any(|it| plain(self.types, it).is_none_or(|it| it == "map"));
                ((!is_map).then_some(Mismatch::Keys), None)
            }
            "mapType" => match self.misses(values, Wanted::Object) {
                Some(mismatch) => (Some(mismatch), None),
                None => self.one_of(marker, &["granular", "atomic"]),
            },
            "structType" => {
                let fits = values.kinds.meets(Kinds::OBJECT.or(Kinds::NONE));
                if !fits {
                    return (Some(self.mismatch(values, Wanted::Object)), None);
                }
                self.one_of(marker, &["granular", "atomic"])
            }
            "k8s:enum" if self.target == Target::Field => (Some(Mismatch::OnField), None),
            "k8s:enum" => {
                let mismatch = (!self.may_be_string()).then(|| self.mismatch(first, Wanted::Text));
                (mismatch, None)
            }
            "XValidation" => self.reason(marker),
            OF_PAIRS if embeds_meta(self.types, self.shape) => self.pairs(marker),
            word => (self.limit_of(marker, word, values, self.written.to_owned()), None),
        }
    }

    /// The mismatch of a marker that applies to the items of a list.
    fn of_items(&self, marker: &Set, word: &str, values: Values, items: &Items) -> Told {
        let is_named = matches!(innermost(self.shape), Shape::Name(_) | Shape::Selected { .. });
        let refused = || Mismatch::Items {
            written: self.written.to_owned(),
            is_named: is_named && self.named_list(),
        };
        if values.has_no_type || !values.kinds.meets(Kinds::ARRAY) {
            return (Some(refused()), None);
        }
        match items {
            Items::None => (Some(refused()), None),
            Items::Unknown => (None, None),
            Items::Of(_) if word == "XValidation" => self.reason(marker),
            Items::Of(of) => {
                let kinds = typed_items(self.types, self.markers).unwrap_or(of.kinds);
                let values = Values {
                    kinds,
                    has_no_type: false,
                    is_int_or_string: self.has("kubebuilder:validation:items:XIntOrString"),
                };
                (self.limit_of(marker, word, values, self.written_items()), None)
            }
        }
    }

    /// The Go type of the items, as written.
    fn written_items(&self) -> String {
        self.written
            .trim_start_matches('*')
            .split_once(']')
            .map_or(self.written, |it| it.1)
            .to_owned()
    }

    /// Whether the type is a named type that is a list.
    fn named_list(&self) -> bool {
        self.scope.underlying(self.types, innermost(self.shape), 0) == Underlying::Slice
    }

    /// The mismatch of a marker that sets a limit. `word` is the last word of its name.
    fn limit_of(&self, marker: &Set, word: &str, values: Values, written: String) -> Option<Mismatch> {
        let wanted = wanted_by_limit(word)?;
        // Before 0.17, a pattern was the only text limit that an int-or-string could have.
        let is_textual = values.is_int_or_string && (self.release >= Release(17) || word == "Pattern");
        if wanted == Wanted::Text && is_textual {
            return None;
        }
        if !values.fits(wanted) {
            return Some(self.mismatch_of(values, wanted, written));
        }
        let number = matches!(
            word,
            "Maximum" | "Minimum" | "MultipleOf" | "k8s:minimum" | "k8s:maximum"
        );
        let is_fraction = || {
            let text = self.types.text.get(marker.arguments.clone()).unwrap_or_default();
            let text = if word.starts_with("k8s:") {
                text.split('#').next().unwrap_or_default()
            } else {
                text
            };
            text.trim().parse::<f64>().is_ok_and(|it| it.fract() != 0.0)
        };
        let is_integer = !values.kinds.meets(Kinds::NUMBER);
        (number && is_integer && is_fraction()).then_some(Mismatch::Fraction { written })
    }

    fn misses(&self, values: Values, wanted: Wanted) -> Option<Mismatch> {
        (!values.fits(wanted)).then(|| self.mismatch(values, wanted))
    }

    fn mismatch(&self, values: Values, wanted: Wanted) -> Mismatch {
        self.mismatch_of(values, wanted, self.written.to_owned())
    }

    fn mismatch_of(&self, values: Values, wanted: Wanted, written: String) -> Mismatch {
        let found = match values.kinds {
            _ if values.has_no_type => Found::Marshaler,
            Kinds::STRING => Found::Text,
            Kinds::INTEGER => Found::Integer,
            Kinds::BOOLEAN => Found::Bool,
            Kinds::ARRAY => Found::List,
            Kinds::OBJECT => Found::Object,
            kinds if kinds.meets(Kinds::NONE) => match innermost(self.shape) {
                Shape::Name(name) => Found::Name {
                    is_local: self.scope.declared(name).is_some(),
                },
                Shape::Selected { .. } => Found::Name { is_local: false },
                _ => Found::Other,
            },
            _ => Found::Other,
        };
        Mismatch::Type { wanted, found, written }
    }

    /// The mismatch of a marker whose value must be one of some values, and its span.
    fn one_of(&self, marker: &Set, values: &'static [&'static str]) -> Told {
        let value = plain(self.types, marker).filter(|it| !values.contains(it));
        let span = Some(marker.arguments.clone()).filter(|it| !it.is_empty());
        (value.map(|_| Mismatch::Value { values }), span)
    }

    /// The arguments of a marker.
    fn parts(&self, marker: &Set) -> Parts {
        let written = Written {
            span: marker.span.clone(),
            belongs: Ok(self.target),
            is_documentation: true,
            declaration: 0,
        };
        Parts::of(&self.types.text, &written, marker.span.end)
    }

    /// The mismatch of the first text that is not a name and a value, and its span.
    fn pairs(&self, marker: &Set) -> Told {
        let text = &self.types.text;
        let texts = self.parts(marker).arguments.into_iter().filter_map(|it| it.value);
        let lists =
            texts.filter_map(
                |it| match guessed::read(text, it, &Type::List(Box::new(Type::String)), self.release) {
                    Guessed::Value(Literal {
                        value: Value::List(items),
                        ..
                    }) => Some(items),
                    _ => None,
                },
            );
        let mut wrong = lists.flatten().filter_map(|it| {
            let written = it.text().filter(|it| !it.contains('='))?;
            let meant = match written.split_once(':') {
                Some((name, value)) => format!("{name}={}", value.trim_start()),
                None => format!("{written}=…"),
            };
            Some((Some(Mismatch::Pair { meant }), Some(it.span.clone())))
        });
        wrong.next().unwrap_or_default()
    }

    /// The mismatch of the reason that a rule states, and its span.
    fn reason(&self, marker: &Set) -> Told {
        let text = &self.types.text;
        let mut reasons = self.parts(marker).arguments.into_iter().filter_map(|it| {
            let is_reason = text.get(it.name?)?.trim() == "reason";
            it.value.filter(|_| is_reason)
        });
        let Some(span) = reasons.next() else {
            return (None, None);
        };
        let written = text.get(span.clone()).unwrap_or_default();
        let is_known = scope::plain_text(written).is_none_or(|it| it.is_empty() || REASONS.contains(&it));
        let mismatch = (!is_known).then_some(Mismatch::Value { values: &REASONS });
        (mismatch, Some(span))
    }
}

/// The type that a marker needs, by the last word of its name.
fn wanted_by(word: &str) -> Option<Wanted> {
    Some(match word {
        "listType" | "k8s:listType" | "listMapKey" | "k8s:listMapKey" => Wanted::List,
        "mapType" | "structType" => Wanted::Object,
        word => return wanted_by_limit(word),
    })
}

/// The type that a marker which sets a limit needs.
fn wanted_by_limit(word: &str) -> Option<Wanted> {
    Some(match word {
        "Maximum" | "Minimum" | "ExclusiveMaximum" | "ExclusiveMinimum" | "MultipleOf" | "k8s:minimum"
        | "k8s:maximum" => Wanted::Number,
        "MaxLength" | "MinLength" | "Pattern" => Wanted::Text,
        "MaxItems" | "MinItems" | "UniqueItems" | "k8s:maxItems" => Wanted::List,
        "MaxProperties" | "MinProperties" => Wanted::Object,
        _ => return None,
    })
}

/// A type without its pointers.
fn innermost(shape: &Shape) -> &Shape {
    match shape {
        Shape::Pointer(of) => innermost(of),
        other => other,
    }
}

/// The types of values to which a marker applies.
#[derive(Clone, Copy)]
struct Values {
    kinds: Kinds,
    /// Whether the marker is also applied to a schema without a type.
    has_no_type: bool,
    is_int_or_string: bool,
}

impl Values {
    fn fits(self, wanted: Wanted) -> bool {
        let kinds = match wanted {
            Wanted::Number => Kinds::INTEGER.or(Kinds::NUMBER),
            Wanted::Text => Kinds::STRING,
            Wanted::List => Kinds::ARRAY,
            Wanted::Object => Kinds::OBJECT,
        };
        !self.has_no_type && self.kinds.meets(kinds)
    }
}
