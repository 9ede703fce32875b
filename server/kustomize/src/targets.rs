//! The targets of patches and replacements, which may select no object. kustomize ignores such a patch or replacement and says nothing.

use crate::{
    id::ResId,
    node::Place,
    problem::{Result, Unknown},
    resource::{AN_ID, Resources},
    selector::{Field, Selector},
    spend,
};

/// The maximum number of targets of a build that are reported because they select no object.
const MOST_UNMATCHED: usize = 100;

/// The maximum number of these targets for which similar names are searched.
const MOST_SUGGESTED: usize = 10;

/// The memory for a target and for a word, in bytes.
const A_TARGET: usize = 64;
const A_WORD: usize = 16;

/// The maximum length of a name in a message, in bytes.
const LONGEST: usize = 60;

/// What has a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Targeting {
    /// A patch.
    Patch,
    /// A replacement.
    Replacement,
}

/// The target of a patch or a replacement that selects no object of a build.
#[derive(Clone, PartialEq, Debug)]
pub struct Unmatched {
    /// What has the target.
    pub of: Targeting,
    /// The target.
    pub target: Place,
    /// The target, or the field of it that no object has.
    pub place: Place,
    /// The reason: a sentence without a capital letter at the start and without a period at the end.
    pub message: String,
    /// If no object has the kind or name in the target: that word, and the words that objects have.
    pub unknown: Option<Unknown>,
}

/// The targets of the patches and replacements of a build.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Targets {
    /// The targets that select an object.
    pub matched: Vec<Place>,
    /// The first targets that select no object although all objects are known.
    pub unmatched: Vec<Unmatched>,
}

impl Targets {
    /// Notes whether a target selects one of the objects. `is_open` means that some objects are unknown.
    pub(crate) fn note(
        &mut self,
        of: Targeting,
        (target, is_matched): (&Selector, bool),
        objects: &Resources,
        is_open: bool,
    ) -> Result<()> {
        if is_matched {
            spend::bytes(A_TARGET)?;
            self.matched.push(target.place);
        } else if !is_open && self.unmatched.len() < MOST_UNMATCHED {
            let has_words = self.unmatched.len() < MOST_SUGGESTED;
            let patterns = target.patterns()?;
            let wanted = Wanted {
                id: &target.id,
                place: target.place,
                fields: &target.fields,
            };
            let is_field = |field: Field, ids: (&ResId, &ResId)| patterns.is_field(field, ids);
            let missing = missing(&wanted, objects, is_field, has_words)?;
            self.unmatched.push(Unmatched {
                of,
                target: target.place,
                place: missing.place,
                message: missing
                    .message
                    .unwrap_or_else(|| "no object matches its target".to_owned()),
                unknown: missing.unknown,
            });
        }
        Ok(())
    }
}

/// The id of an object that something in a kustomization needs.
pub(crate) struct Wanted<'a> {
    pub(crate) id: &'a ResId,
    /// The place of the whole.
    pub(crate) place: Place,
    /// The places of the fields of `id`.
    pub(crate) fields: &'a [(Field, Place)],
}

/// The first field of a wanted id that no object has.
pub(crate) struct Missing {
    /// The place of the field, or of the whole.
    pub(crate) place: Place,
    /// A sentence about the field. `None` if objects have each of the fields.
    pub(crate) message: Option<String>,
    pub(crate) unknown: Option<Unknown>,
}

/// The reason why none of the objects is the wanted one. `is_field` tells whether an object with these ids, now and at first, has a field.
/// `has_words` says whether to return the words that objects have instead.
pub(crate) fn missing(
    wanted: &Wanted<'_>,
    objects: &Resources,
    is_field: impl Fn(Field, (&ResId, &ResId)) -> Result<bool>,
    has_words: bool,
) -> Result<Missing> {
    let list = objects.list();
    // Each object has its ids read, and each field compared.
    spend::work(list.len() * AN_ID * (2 + Field::ALL.len()))?;
    let mut left: Vec<_> = list.iter().map(|it| (it.id(), it.first_id())).collect();
    let mut why = Missing {
        place: wanted.place,
        message: None,
        unknown: None,
    };
    for field in Field::ALL {
        let (mut selected, mut others) = (Vec::new(), Vec::new());
        for (now, first) in left {
            if is_field(field, (&now, &first))? {
                selected.push((now, first));
            } else {
                others.push(field.of(&first).clone());
            }
        }
        left = selected;
        if left.is_empty() {
            let word = field.of(wanted.id);
            let kind = &wanted.id.gvk.kind;
            let of = if field == Field::Kind || kind.is_empty() {
                "object"
            } else {
                clipped(kind)
            };
            why.message = Some(format!("no {of} has the {} `{}`", field.key(), clipped(word)));
            why.place = wanted
                .fields
                .iter()
                .find(|it| it.0 == field)
                .map_or(why.place, |it| it.1);
            others.sort_unstable();
            others.dedup();
            why.unknown = has_words.then(|| Unknown {
                word: word.clone(),
                known: others,
            });
            break;
        }
    }
    spend::bytes(A_TARGET + why.unknown.as_ref().map_or(0, |it| it.known.len() * A_WORD))?;
    Ok(why)
}

/// The beginning of a name.
fn clipped(name: &str) -> &str {
    &name[..name.floor_char_boundary(LONGEST)]
}
