//! Functions of Kubernetes' own types.

use super::{LIST, MAX_FORMAT_REGEX, REGEX, STRING, STRUCT};
use crate::cost::{Call, CallEstimate, CostEstimate, Coster, SizeEstimate};

/// Reading an address, quantity or version: going through the argument once.
pub(crate) fn parse(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    Some(call.costs(coster.library_size(call.args.first()?).times_factor(STRING)))
}

/// `ip.isCanonical`: reading, printing and comparing.
pub(crate) fn parse_twice(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    Some(call.costs(coster.library_size(call.args.first()?).times_factor(2.0 * STRING)))
}

/// The bytes of an address.
const ADDRESS: SizeEstimate = SizeEstimate { min: 4, max: 16 };

fn text_argument(coster: &Coster<'_>, call: &Call<'_>, overload: &str) -> Option<CostEstimate> {
    let argument = call.args.first()?;
    if *call.overload.id != *overload {
        return Some(CostEstimate::default());
    }
    Some(coster.library_size(argument).times_factor(STRING))
}

/// `cidr.containsIP`: comparing addresses, and reading one if it is text.
pub(crate) fn contains_ip(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let text = text_argument(coster, call, "cidr_contains_ip_string")?;
    Some(call.costs(ADDRESS.plus(ADDRESS).times_factor(STRING).plus(text)))
}

/// `cidr.containsCIDR`: the same, and masking.
pub(crate) fn contains_cidr(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let text = text_argument(coster, call, "cidr_contains_cidr_string")?;
    let masking = ADDRESS.times_factor(STRING).plus(CostEstimate::fixed(1));
    Some(call.costs(ADDRESS.plus(ADDRESS).times_factor(STRING).plus(masking).plus(text)))
}

/// `format.validate`: the string, by the longest regular expression that a format has.
pub(crate) fn validate_format(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let size = coster.library_size(call.args.first()?);
    Some(call.costs(size.times_factor(STRING).times_factor(MAX_FORMAT_REGEX * REGEX)))
}

/// An authorization check: two of them fill an expression's budget.
#[expect(clippy::unnecessary_wraps, reason = "an EstimateFn")]
pub(crate) fn authorization_check(_: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    Some(call.costs(CostEstimate::fixed(350_000)))
}

/// A field or label selector: reading it and making its requirements (since 1.31).
pub(crate) fn selector(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let size = coster.library_size(call.args.first()?);
    let requirements = size.times_factor(0.5).times_factor((LIST + STRUCT) as f64);
    Some(
        call.costs(
            CostEstimate::fixed(LIST)
                .plus(size.times_factor(STRING))
                .plus(requirements),
        ),
    )
}
