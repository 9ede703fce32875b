//! Defaults that the API server fills in before conversion (`pkg/apis/apiextensions/v1`, `defaults.go`).

mod v1beta1;

use crate::types::Names;
use crate::types::v1::{Conversion, CustomResourceDefinition};

pub use v1beta1::set_defaults_v1beta1;

/// The default port of a webhook's service.
pub(crate) const WEBHOOK_PORT: i32 = 443;

/// Fills in `singular` and `listKind`, the conversion strategy, the port of a webhook's service, and the stored version.
pub fn set_defaults(definition: &mut CustomResourceDefinition) {
    let spec = &mut definition.spec;
    if definition.status.stored_versions.is_empty() {
        definition
            .status
            .stored_versions
            .extend(spec.versions.iter().find(|it| it.storage).map(|it| it.name.clone()));
    }
    name_defaults(&mut spec.names);
    let conversion = spec.conversion.get_or_insert_with(|| Conversion {
        strategy: "None".to_owned(),
        ..Conversion::default()
    });
    let client_config = conversion.webhook.as_mut().and_then(|it| it.client_config.as_mut());
    if let Some((_, port)) = client_config.and_then(|it| it.service.as_mut()) {
        port.get_or_insert(WEBHOOK_PORT);
    }
}

/// Derives missing names from the kind.
fn name_defaults(names: &mut Names) {
    if names.singular.is_empty() {
        names.singular = names.kind.chars().map(lower).collect();
    }
    if names.list_kind.is_empty() && !names.kind.is_empty() {
        names.list_kind = format!("{}List", names.kind);
    }
}

/// Maps one character to one, like Go's `strings.ToLower`.
fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::set_defaults;
    use crate::types::v1::CustomResourceDefinition;

    #[test]
    fn names_follow_from_the_kind() {
        let mut definition = CustomResourceDefinition::default();
        set_defaults(&mut definition);
        assert_eq!(
            (
                definition.spec.names.singular.as_str(),
                definition.spec.names.list_kind.as_str()
            ),
            ("", "")
        );
        definition.spec.names.kind = "İGadget".to_owned();
        set_defaults(&mut definition);
        assert_eq!(
            (
                definition.spec.names.singular.as_str(),
                definition.spec.names.list_kind.as_str()
            ),
            ("igadget", "İGadgetList")
        );
        assert_eq!(
            definition.spec.conversion.map(|it| it.strategy).as_deref(),
            Some("None")
        );
    }
}
