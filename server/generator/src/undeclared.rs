//! Names of types that nothing declares.

use std::{ops::Range, path::Path};

use crd_analyzer_gosource::check::types::Types;

use crate::{
    known::is_struct_of_go,
    packages::Packages,
    refused::Reason,
    types::{Context, Maker},
};

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The offset of a name in a type, not as a part of another name.
fn find(written: &str, name: &str) -> Option<usize> {
    let is_whole = |at: &usize| {
        let (before, after) = (&written[..*at], &written[at + name.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    };
    written.match_indices(name).map(|it| it.0).find(is_whole)
}

impl Maker<'_> {
    /// Notes a name that no known type has. `span` has the type in which it is written.
    pub(crate) fn undeclared(&mut self, context: Context<'_>, name: &str, span: &Range<usize>) {
        let types = context.types();
        let is_generic = context.declared.is_some_and(|it| it.is_generic);
        let written = types.text.get(span.clone()).unwrap_or_default();
        match find(written, name) {
            Some(at) if !is_generic && self.packages.is_undefined((context.package, types), name) => {
                let start = span.start + at;
                self.refuse(context.origin(start..start + name.len()), Reason::Undefined);
            }
            _ => self.missing.push(name.to_owned()),
        }
    }

    /// Notes a name with a package before it that no known type has. `span` has the type in which it is written.
    pub(crate) fn undeclared_in(&mut self, context: Context<'_>, (package, name): (&str, &str), span: &Range<usize>) {
        let types = context.types();
        let written = types.text.get(span.clone()).unwrap_or_default();
        let at = find(written, &format!("{package}.{name}")).map(|it| span.start + it);
        let reason = self.packages.why_undefined(types, package);
        let (Some(at), Some(reason)) = (at, reason) else {
            let path = Packages::meant(types, package);
            if let Some(at) = at.filter(|_| is_struct_of_go(path, name)) {
                let end = at + package.len() + 1 + name.len();
                return self.refuse(context.origin(at..end), Reason::OfGo);
            }
            return self.missing.push(format!("{path}.{name}"));
        };
        let at = match reason {
            Reason::NotImported => at..at + package.len(),
            _ => at + package.len() + 1..at + package.len() + 1 + name.len(),
        };
        self.refuse(context.origin(at), reason);
    }
}

impl Packages<'_> {
    /// Why Go does not know a type that is not found in the package that a file refers to by this name. `None` if Go may know it.
    fn why_undefined(&mut self, file: &Types, package: &str) -> Option<Reason> {
        if let Some(id) = self.imported(file, package) {
            let is_known = self.get(id).is_some_and(|it| it.has_all_types());
            return is_known.then_some(Reason::NotInPackage);
        }
        // The name of a package that is not on this machine may differ from its path. In Go's own library, it does not.
        let mut unnamed = file.imported.iter().filter(|it| it.name.is_none());
        let is_named = unnamed.all(|it| {
            let is_of_go = it.path.split('/').next().is_some_and(|it| !it.contains('.'));
            let id = self.load(&it.path);
            is_of_go || self.get(id).is_some()
        });
        is_named.then_some(Reason::NotImported)
    }

    /// The names that may be written at a place of a file: those of a package's types after the package, those of packages before a dot, or those of
    /// types without a package.
    pub(crate) fn names_at(&mut self, path: &Path, span: &Range<usize>) -> Vec<String> {
        let Some((_, types)) = self.file(path) else {
            return Vec::new();
        };
        let around = types.text.get(..span.start).zip(types.text.get(span.end..));
        let (before, after) = around.unwrap_or_default();
        if let Some(before) = before.strip_suffix('.') {
            let package = &before[before.trim_end_matches(is_part).len()..];
            let found = self.imported(&types, package).and_then(|it| self.get(it));
            let names = found.iter().flat_map(|it| it.names()).map(str::to_owned);
            return names.filter(|it| it.starts_with(char::is_uppercase)).collect();
        }
        if after.starts_with('.') {
            let paths = types.imported.iter().map(|it| (it.name.clone(), it.path.clone()));
            let paths: Vec<(Option<String>, String)> = paths.collect();
            let name = |(name, path): (Option<String>, String)| {
                name.or_else(|| {
                    let id = self.load(&path);
                    Some(self.get(id)?.name.clone())
                })
            };
            return paths.into_iter().filter_map(name).collect();
        }
        self.names(path)
    }
}
