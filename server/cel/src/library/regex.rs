//! Searching with regular expressions (`k8s.io/apiserver/pkg/cel/library`, `Regex`).

use crd_analyzer_budget as budget;
use crd_analyzer_goregexp::GoRegex;

use super::costs::{estimate_match, matching};
use super::declaration::{Cost, Counted, Function, Library, cost, function, overload};
use super::operands::{PATTERN_WORK, int, text};
use crate::KubernetesVersion;
use crate::cost::SizeEstimate;
use crate::value::{EvalError, Result, Value};

/// The regex library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.regex",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "find",
        "The first match of a regular expression, empty if there is none.",
        Counted::ByName(SEARCH),
        &[("'abc 123'.find('[0-9]+')", "'123'")],
        &[overload(
            "string_find_string",
            "string.(string) -> string",
            SEARCH,
            |_, args| find(&pattern(&args[1])?, args),
        )],
    )
    .pattern(find),
    function(
        "findAll",
        "All matches of a regular expression that do not overlap, up to an optional limit.",
        Counted::ByName(SEARCH),
        &[
            ("'123 abc 456'.findAll('[0-9]+')", "['123', '456']"),
            ("'123 abc 456'.findAll('[0-9]+', 1)", "['123']"),
        ],
        &[
            overload("string_find_all_string", "string.(string) -> list(string)", SEARCH, all),
            overload(
                "string_find_all_string_int",
                "string.(string, int) -> list(string)",
                SEARCH,
                all,
            ),
        ],
    )
    .pattern(find_all),
];

/// The cost of a search: the product of the sizes of string and pattern.
const SEARCH: Cost = cost(
    |coster, call| {
        let text = coster.library_size(call.target?);
        let pattern = coster.library_size(call.args.first()?);
        Some(call.gives(estimate_match(text, pattern), SizeEstimate { min: 0, max: text.max }))
    },
    |call| Ok(matching(call.size(0), call.size(1))),
);

/// The size of an element in a list of strings, in bytes, without its characters.
const TEXT_BYTES: u64 = 56;

fn pattern(value: &Value) -> Result<GoRegex> {
    budget::work(value.text_bytes() * PATTERN_WORK)?;
    GoRegex::new(text(value)?).map_err(|e| EvalError::new(format!("Illegal regex: {e}")))
}

fn find(pattern: &GoRegex, args: &[Value]) -> Result {
    let text = text(&args[0])?;
    Ok(pattern.find(text)?.map_or("", |found| &text[found]).into())
}

fn all(_: KubernetesVersion, args: &[Value]) -> Result {
    find_all(&pattern(&args[1])?, args)
}

fn find_all(pattern: &GoRegex, args: &[Value]) -> Result {
    let text = text(&args[0])?;
    let limit = usize::try_from(args.get(2).map_or(Ok(-1), int)?).unwrap_or(usize::MAX);
    let found = pattern.find_all(text, limit)?;
    budget::bytes(found.iter().map(|it| it.len() as u64 + TEXT_BYTES).sum())?;
    Ok(Value::list(found.into_iter().map(|it| text[it].into()).collect()))
}
