//! Lists: `items`, `additionalItems`, `minItems`, `maxItems`, `uniqueItems` (`schemaSliceValidator`).

use std::borrow::Cow;

use serde_json::Value;

use super::Run;
use super::compare::has_duplicates;
use super::correlate::Correlated;
use super::outcome::{Failure, MessageValue, Outcome, Report};
use super::value_path::ValuePath;
use crate::codes;
use crate::json_schema::JsonSchemaProps;
use crate::unknown::Known;

impl<'s, 'v> Run<'_, 's, 'v> {
    pub(super) fn list(
        &self,
        schema: &'s JsonSchemaProps,
        (items, known): (&'v [Value], Known<'v>),
        place: &ValuePath<'_>,
        correlated: Option<Correlated<'s, 'v>>,
        depth: u32,
    ) -> Outcome<'s, 'v> {
        let mut outcome = Outcome::default();
        let check = |item_schema: &'s JsonSchemaProps, n: usize, outcome: &mut Outcome<'s, 'v>| {
            let below = correlated.and_then(|parent| self.memo.item(parent, n));
            let item = (&items[n], known.item(n));
            outcome.merge(self.schema(item_schema, item, &ValuePath::Index(place, n), below, depth + 1));
        };
        let mut positional: &'s [JsonSchemaProps] = &[];
        if let Some(item_schemas) = &schema.items {
            if let Some(item_schema) = &item_schemas.schema {
                for n in 0..items.len() {
                    check(item_schema, n, &mut outcome);
                }
            }
            positional = &item_schemas.json_schemas;
            for (n, item_schema) in positional.iter().enumerate().take(items.len()) {
                check(item_schema, n, &mut outcome);
            }
        }
        if let Some(additional) = &schema.additional_items
            && positional.len() < items.len()
        {
            if !positional.is_empty() && !additional.allows {
                let message = "array doesn't allow for additional items".to_owned();
                outcome.push(Failure::of_whole(codes::ADDITIONAL_ITEM, message, place.name()));
            }
            if let Some(item_schema) = &additional.schema {
                // With positional schemas, the API server stops too early, and without them, it continues past the end. In practice neither happens,
                // since CRDs cannot use `additionalItems`.
                let end = (items.len() + 1 - positional.len()).min(items.len());
                for n in positional.len()..end {
                    check(item_schema, n, &mut outcome);
                }
            }
        }
        let has_more = known.has_more();
        let size = if has_more {
            (0..items.len()).filter(|n| !known.item(*n).is_items()).count()
        } else {
            items.len()
        };
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        outcome.is_partial |= has_more;
        if let Some(min) = schema.min_items
            && size < min
            && !has_more
        {
            let what = format!("should have at least {min} items");
            outcome.push(Failure::at(
                place,
                codes::TOO_FEW_ITEMS,
                &what,
                Report::Invalid(MessageValue::Int(size)),
            ));
        }
        if let Some(max) = schema.max_items
            && size > max
        {
            let what = format!("should have at most {max} items");
            outcome.push(Failure::at(
                place,
                codes::TOO_MANY_ITEMS,
                &what,
                Report::TooMany { actual: size, max },
            ));
        }
        if schema.unique_items && known.is_all() && has_duplicates(items) {
            let report = Report::Invalid(MessageValue::Text(Cow::Borrowed("")));
            outcome.push(Failure::at(
                place,
                codes::DUPLICATE_ITEM,
                "shouldn't contain duplicates",
                report,
            ));
        }
        outcome.matches += 1;
        outcome
    }
}
