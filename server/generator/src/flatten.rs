//! Resolves references between schemas, and merges embedded types: `pkg/crd/flatten.go` of controller-gen.

use std::{collections::HashMap, rc::Rc};

use crd_analyzer_budget as budget;
use crd_analyzer_gosource::check::catalog::Release;

use crate::{
    ids::TypeId,
    node::Origin,
    refused::Reason,
    schema::{Keyword, Property, Schema, Values},
    types::Maker,
};

/// The maximum depth of nested schemas.
const MAX_DEPTH: usize = 200;

/// The work units for each schema.
const A_SCHEMA: u64 = 500;

/// The first release with each change of how schemas are merged.
const KEEPS_ENUMS: Release = Release(21);
const COMPARES_SIZES: Release = Release(22);
const REPLACES_LISTS: Release = Release(23);

/// Resolves references between schemas.
pub(crate) struct Flattener<'s> {
    pub(crate) maker: Maker<'s>,
    /// The resolved schemas of types. While a type is being resolved, its schema is empty, because the type may contain itself.
    whole: HashMap<TypeId, Rc<Schema>>,
    /// The merged schemas, by the address of the original schema. The original is kept alive, so that its address stays unique.
    merged: HashMap<*const Schema, (Rc<Schema>, Rc<Schema>)>,
    depth: usize,
    /// The declaration of the field or kind whose schema is being merged.
    field: Option<Origin>,
}

impl<'s> Flattener<'s> {
    pub(crate) fn new(maker: Maker<'s>) -> Self {
        Self {
            maker,
            whole: HashMap::new(),
            merged: HashMap::new(),
            depth: 0,
            field: None,
        }
    }

    /// The resolved and merged schema of a type. `declared` is the place of its declaration.
    pub(crate) fn flattened(&mut self, id: &TypeId, declared: Origin) -> Rc<Schema> {
        self.field = Some(declared);
        let whole = if let Some(whole) = self.whole.get(id) {
            whole.clone()
        } else {
            let schema = self.maker.schema(id);
            let whole = self.node(&schema);
            self.whole.insert(id.clone(), whole.clone());
            whole
        };
        self.merge(&whole)
    }

    /// A schema with all references resolved.
    fn node(&mut self, schema: &Rc<Schema>) -> Rc<Schema> {
        if budget::work(A_SCHEMA).is_err() || self.depth > MAX_DEPTH {
            self.maker.is_over = true;
            return Rc::new(Schema::unknown());
        }
        self.depth += 1;
        let node = if schema.reference.is_some() {
            Rc::new(self.resolved(schema))
        } else {
            self.each(schema, Self::node)
        };
        self.depth -= 1;
        node
    }

    /// The schema to which `base` refers, combined with the keywords of `base`.
    fn resolved(&mut self, base: &Schema) -> Schema {
        let Some(id) = &base.reference else {
            return base.clone();
        };
        if let Some(whole) = self.whole.get(id) {
            return kept(whole.clone(), base);
        }
        let target = self.maker.schema(id);
        self.whole.insert(id.clone(), Rc::default());
        let whole = self.node(&target);
        self.whole.insert(id.clone(), whole.clone());
        kept(whole, base)
    }

    /// Applies a change to the schemas directly inside a schema.
    fn each(&mut self, schema: &Rc<Schema>, change: fn(&mut Self, &Rc<Schema>) -> Rc<Schema>) -> Rc<Schema> {
        let items = schema.items.as_ref().map(|it| change(self, it));
        let all_of: Vec<Rc<Schema>> = schema.all_of.iter().map(|it| change(self, it)).collect();
        let any_of: Vec<Rc<Schema>> = schema.any_of.iter().map(|it| change(self, it)).collect();
        let properties = schema.properties.as_ref().map(|properties| {
            let each = properties.iter().map(|(name, it)| {
                let around = std::mem::replace(&mut self.field, it.from.clone());
                let of = change(self, &it.of);
                self.field = around;
                let from = it.from.clone();
                (name.clone(), Property { of, from })
            });
            each.collect()
        });
        let additional = match &schema.additional {
            Some(Values::Of(of)) => Some(Values::Of(change(self, of))),
            other => other.clone(),
        };
        let Schema {
            reference,
            description,
            r#type,
            values,
            required,
            rules,
            is_unknown,
            ..
        } = &**schema;
        Rc::new(Schema {
            reference: reference.clone(),
            description: description.clone(),
            r#type: r#type.clone(),
            values: values.clone(),
            required: required.clone(),
            items,
            all_of,
            any_of,
            properties,
            additional,
            rules: rules.clone(),
            is_unknown: *is_unknown,
        })
    }

    /// Merges the embedded types of a schema and of all schemas in it.
    fn merge(&mut self, schema: &Rc<Schema>) -> Rc<Schema> {
        let place = Rc::as_ptr(schema);
        if let Some((_, merged)) = self.merged.get(&place) {
            return merged.clone();
        }
        if budget::work(A_SCHEMA).is_err() || self.depth > MAX_DEPTH {
            self.maker.is_over = true;
            return Rc::new(Schema::unknown());
        }
        self.depth += 1;
        let merged = if schema.all_of.is_empty() {
            self.each(schema, Self::merge)
        } else {
            let mut own = (**schema).clone();
            let embedded = std::mem::take(&mut own.all_of);
            for it in &embedded {
                self.into(&mut own, it);
            }
            self.each(&Rc::new(own), Self::merge)
        };
        self.depth -= 1;
        self.merged.insert(place, (schema.clone(), merged.clone()));
        merged
    }

    /// Merges a schema into another one.
    fn into(&mut self, to: &mut Schema, from: &Schema) {
        let size = from.properties.as_ref().map_or(0, |it| it.len() as u64);
        if self.maker.is_over || budget::work(A_SCHEMA * (1 + size)).is_err() {
            self.maker.is_over = true;
            to.is_unknown = true;
            return;
        }
        for embedded in &from.all_of {
            self.into(to, embedded);
        }
        let release = self.maker.options.release;
        let (mut of_to, mut of_from) = (Schema::default(), Schema::default());
        let mut is_split = false;
        to.is_unknown |= from.is_unknown;
        match (&to.r#type, &from.r#type) {
            (None, Some(_)) => to.r#type.clone_from(&from.r#type),
            (Some(one), Some(other)) if one.value != other.value => {
                let said = other.from.clone().or_else(|| one.from.clone());
                let origin = said.or_else(|| self.field.clone());
                self.maker.refuse(origin, Reason::Conflict);
            }
            _ => {}
        }
        for (keyword, said) in &from.values {
            if matches!(keyword, Keyword::Title | Keyword::Example | Keyword::ExternalDocs) {
                continue;
            }
            let Some(own) = to.values.get(keyword) else {
                to.values.insert(*keyword, said.clone());
                continue;
            };
            let is_same = own.value == said.value;
            // controller-gen compares these values by pointer, and copies of a schema share pointers.
            let is_shared =
                matches!(keyword, Keyword::Default | Keyword::ListType) && own.from.is_some() && own.from == said.from;
            let is_size = matches!(keyword, Keyword::MinProperties | Keyword::MaxProperties);
            if keyword.is_compared() && is_same
                || is_shared
                || *keyword == Keyword::Enum && release >= KEEPS_ENUMS
                || is_size && is_same && release >= COMPARES_SIZES
            {
                continue;
            }
            let is_list = matches!(keyword, Keyword::ListType | Keyword::ListMapKeys);
            if matches!(keyword, Keyword::PreserveUnknownFields | Keyword::MapType)
                || is_list && release >= REPLACES_LISTS
            {
                to.values.insert(*keyword, said.clone());
                continue;
            }
            is_split = true;
            of_from.values.insert(*keyword, said.clone());
            if let Some(own) = to.values.remove(keyword) {
                of_to.values.insert(*keyword, own);
            }
        }
        if let Some(items) = &from.items {
            match to.items.take() {
                None => to.items = Some(items.clone()),
                own => {
                    is_split = true;
                    of_to.items = own;
                    of_from.items = Some(items.clone());
                }
            }
        }
        if !from.any_of.is_empty() {
            if to.any_of.is_empty() {
                to.any_of.clone_from(&from.any_of);
            } else {
                is_split = true;
                of_to.any_of = std::mem::take(&mut to.any_of);
                of_from.any_of.clone_from(&from.any_of);
            }
        }
        self.properties(to, from);
        self.additional(to, from);
        to.required.extend(from.required.iter().cloned());
        let mut rules = from.rules.clone();
        rules.append(&mut to.rules);
        to.rules = rules;
        if is_split {
            to.all_of.extend([Rc::new(of_to), Rc::new(of_from)]);
        }
        to.required.sort_by(|one, other| one.0.cmp(&other.0));
        to.required.dedup_by(|one, other| one.0 == other.0);
    }

    fn properties(&mut self, to: &mut Schema, from: &Schema) {
        let Some(properties) = &from.properties else { return };
        let Some(own) = &mut to.properties else {
            to.properties = Some(properties.clone());
            return;
        };
        for (name, it) in properties {
            match own.get_mut(name) {
                None => {
                    own.insert(name.clone(), it.clone());
                }
                Some(own) => {
                    let mut merged = (*own.of).clone();
                    let around = std::mem::replace(&mut self.field, it.from.clone());
                    self.into(&mut merged, &it.of);
                    self.field = around;
                    own.of = Rc::new(merged);
                }
            }
        }
    }

    fn additional(&mut self, to: &mut Schema, from: &Schema) {
        match (&mut to.additional, &from.additional) {
            (None, Some(_)) => to.additional.clone_from(&from.additional),
            (Some(own), Some(Values::Of(of))) => {
                let mut merged = match own {
                    Values::Any => Schema::default(),
                    Values::Of(own) => (**own).clone(),
                };
                self.into(&mut merged, of);
                *own = Values::Of(Rc::new(merged));
            }
            _ => {}
        }
    }
}

/// Adds the keywords of a field to the schema of the field's type.
fn kept(whole: Rc<Schema>, field: &Schema) -> Schema {
    let mut own = field.clone();
    own.reference = None;
    let mut schema = Schema {
        description: std::mem::take(&mut own.description),
        ..Schema::default()
    };
    if schema.description.is_empty() {
        schema.description.clone_from(&whole.description);
    }
    for keyword in [Keyword::Title, Keyword::Example, Keyword::ExternalDocs] {
        let said = own
            .values
            .remove(&keyword)
            .or_else(|| whole.values.get(&keyword).cloned());
        schema.values.extend(said.map(|it| (keyword, it)));
    }
    schema.all_of = vec![whole, Rc::new(own)];
    schema
}
