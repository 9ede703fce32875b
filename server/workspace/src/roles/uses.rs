//! What the tools of a repository do with a file. This decides what its text means.

use std::path::Path;

use super::{
    SetByScripts,
    in_tests::is_patches_of_tests,
    names::is_assertion,
    place::{has_placeholders, is_of_crossplane},
};

/// Something that the tools of a repository do with a file. A file may have several uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Tools may complete the text before it is sent, so that values from templates and substitutions are unknown. Without this use, the text is
    /// checked as it is.
    Completed,
    /// The objects are merged into others, like those of a patch. Missing fields are not reported.
    Part,
    /// A kustomization puts the file into a ConfigMap. A program reads the objects without a name.
    Data,
    /// A chainsaw test uses the file. A value in parentheses is an expression and therefore unknown.
    Expressions,
    /// The objects state what a test tool expects of other objects.
    Assertion,
    /// A test merges the objects into others with a kustomization of its own, which may be in the same file.
    PatchesOfTest,
    /// People or programs replace placeholders in the text.
    Placeholders,
    /// Crossplane completes the CRDs in the file when it installs their package.
    InstalledByCrossplane,
}

/// All uses of a file. By default, it has none: its text is sent as it is.
#[derive(Clone, Copy, Default, Debug)]
pub struct Uses<'a> {
    /// The bit with the number of each use.
    bits: u16,
    scripts: Option<&'a SetByScripts>,
}

impl<'a> Uses<'a> {
    /// The uses of a file that nothing uses in a special way: tools may complete it.
    pub const COMPLETED: Self = Self {
        bits: Use::Completed.bit(),
        scripts: None,
    };

    /// Whether the file has a use.
    pub const fn has(self, it: Use) -> bool {
        self.bits & it.bit() != 0
    }

    /// The same uses and another one.
    #[must_use]
    pub const fn with(self, it: Use) -> Self {
        let bits = self.bits | it.bit();
        Self { bits, ..self }
    }

    /// The same uses and, on a condition, another one.
    #[must_use]
    pub const fn with_if(self, it: Use, is_so: bool) -> Self {
        if is_so { self.with(it) } else { self }
    }

    /// These uses and others.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self {
            bits: self.bits | others.bits,
            scripts: self.scripts.or(others.scripts),
        }
    }

    /// The same uses without one of them.
    #[must_use]
    pub const fn without(self, it: Use) -> Self {
        let bits = self.bits & !it.bit();
        Self { bits, ..self }
    }

    /// What scripts set in the objects. A resource whose version they set is checked with the newest served version.
    pub const fn scripts(self) -> Option<&'a SetByScripts> {
        self.scripts
    }

    /// The same uses, with scripts that set something in the objects.
    #[must_use]
    pub const fn with_scripts(self, scripts: Option<&'a SetByScripts>) -> Self {
        Self { scripts, ..self }
    }

    /// The same uses and those that the path of the file shows, if tools may complete the file.
    #[must_use]
    pub(crate) fn with_those_of_path(self, path: Option<&Path>) -> Self {
        let Some(path) = path.filter(|_| self.has(Use::Completed)) else {
            return self;
        };
        self.with_if(Use::Assertion, is_assertion(path))
            .with_if(Use::PatchesOfTest, is_patches_of_tests(path))
            .with_if(Use::Placeholders, has_placeholders(path))
            .with_if(Use::InstalledByCrossplane, is_of_crossplane(path))
    }
}

impl Use {
    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_several_uses() {
        let uses = Uses::COMPLETED.with(Use::Part).with_if(Use::Data, false);
        assert!(uses.has(Use::Completed) && uses.has(Use::Part) && !uses.has(Use::Data));
        assert!(!uses.without(Use::Part).has(Use::Part));
    }

    #[test]
    fn paths_show_uses_of_files_that_tools_complete() {
        let path = Path::new("/test/e2e/00-assert.yaml");
        let uses = Uses::COMPLETED.with_those_of_path(Some(path));
        assert!(uses.has(Use::Assertion) && uses.has(Use::Placeholders));
        assert!(!uses.has(Use::PatchesOfTest) && !uses.has(Use::InstalledByCrossplane));
        let sent = Uses::default().with_those_of_path(Some(path));
        assert!(!sent.has(Use::Assertion) && !sent.has(Use::Placeholders));
    }
}
