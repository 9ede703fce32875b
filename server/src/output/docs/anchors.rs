//! The anchors in a document, which links point to.

use std::{collections::BTreeMap, fmt::Write as _};

/// The anchors of a document, which are unique.
#[derive(Default)]
pub(super) struct Anchors(BTreeMap<String, usize>);

impl Anchors {
    /// Creates a unique anchor from a name. The anchor contains only letters, digits, dots, hyphens and underscores.
    pub(super) fn take(&mut self, name: &str) -> String {
        let mut anchor = String::with_capacity(name.len());
        for c in name.chars() {
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') {
                anchor.push(c);
            } else {
                // Writing to a string never fails.
                let _ = write!(anchor, "_{:x}_", c as u32);
            }
        }
        let uses = self.0.entry(anchor.clone()).or_default();
        *uses += 1;
        match *uses {
            1 => anchor,
            // Other anchors cannot end like this, because an underscore in a name is escaped.
            n => format!("{anchor}_{n}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Anchors;

    #[test]
    fn anchors_are_harmless_and_different() {
        let mut anchors = Anchors::default();
        assert_eq!(anchors.take("a.b-v1-spec.x"), "a.b-v1-spec.x");
        assert_eq!(anchors.take("\"><b>"), "_22__3e__3c_b_3e_");
        assert_eq!(anchors.take("x_2"), "x_5f_2");
        assert_eq!(
            (anchors.take("x"), anchors.take("x")),
            ("x".to_owned(), "x_2".to_owned())
        );
    }
}
