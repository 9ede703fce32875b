//! Collects CRDs of other projects. From a set of files, it takes the best CRD with each name, as a text of its own.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crd_analyzer_syntax::{read_json_of, template::first_action};

use super::{GroupKind, Object, choice, cluster, lock, objects, signs::may_decide};
use crate::{
    documents::text::Text,
    roles::{Place, Standing, Version, is_template},
};

/// A CRD that was collected from another project.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collected {
    /// The kind that the CRD defines.
    pub defines: GroupKind,
    /// The file that contains the CRD.
    pub path: PathBuf,
    /// The text of the CRD, without the rest of the file.
    pub text: String,
    /// Another file with a different CRD of the same name and rank.
    pub equal: Option<PathBuf>,
}

/// The reason why a CRD is left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LeftOut {
    /// The CRD is a template, of Helm or of a program.
    Template,
    /// The object is only a part of a CRD, or a test's expectation of one.
    Part,
    /// The CRD has an API version that no supported API server serves.
    Unserved,
    /// The CRD is a copy from a release or another project, or belongs to documentation or tests.
    Copy,
    /// The API server does not accept the name of the CRD.
    Name,
    /// The CRD cannot be extracted from its file.
    Form,
}

impl LeftOut {
    /// The words for the reason, which follow "is left out: ".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Template => "it is a template: render it first, as in `helm template … | crd-analyzer crds add -`",
            Self::Part => "a part of a CRD, or what a test expects",
            Self::Unserved => "no API server serves this version of CRDs since Kubernetes 1.22",
            Self::Copy => "a copy of a release, or for documentation or tests; name the file or its folder to take it",
            Self::Name => "the name is not PLURAL.GROUP, which the API server requires",
            Self::Form => "it cannot be taken out of its file",
        }
    }
}

/// A CRD that was left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Other {
    /// The reason.
    pub why: LeftOut,
    /// The name of the CRD; empty if it has none.
    pub name: String,
    /// The file that contains the CRD.
    pub path: PathBuf,
}

/// The rank of a CRD; the best is first.
type Rank = (Standing, Reverse<Option<Version>>);

/// The CRDs collected from some files.
#[derive(Default, Debug)]
pub struct Collection {
    best: BTreeMap<String, (Rank, Collected)>,
    left_out: BTreeMap<(LeftOut, String), PathBuf>,
}

impl Collection {
    /// Adds the CRDs of a file. `below` is the file's path relative to the folder that the user named. It determines the file's role.
    pub fn add(&mut self, path: &Path, below: &Path, bytes: Vec<u8>) {
        if !may_decide(&bytes) {
            return;
        }
        let text = Text::decode(bytes);
        for object in objects::read(&text) {
            if !object.written.is_crd() {
                continue;
            }
            let name = object.written.name.clone();
            match taken(&text, &object, (path, below)) {
                Ok((rank, text)) => self.take(name, rank, text, path, &object),
                Err(why) => {
                    self.left_out.entry((why, name)).or_insert_with(|| path.to_owned());
                }
            }
        }
    }

    fn take(&mut self, name: String, rank: Rank, text: String, path: &Path, object: &Object) {
        let Some(defines) = object.defines.clone() else { return };
        let new = Collected {
            defines,
            path: path.to_owned(),
            text,
            equal: None,
        };
        match self.best.get_mut(&name) {
            None => drop(self.best.insert(name, (rank, new))),
            Some(best) if rank < best.0 => *best = (rank, new),
            Some(best) if rank == best.0 && new.text != best.1.text => {
                best.1.equal.get_or_insert(new.path);
            }
            Some(_) => {}
        }
    }

    /// The collected CRDs by name, and the CRDs that are left out. If a CRD was collected from one file, it is not listed as left out in another.
    pub fn end(self) -> (BTreeMap<String, Collected>, Vec<Other>) {
        let best: BTreeMap<String, Collected> = self.best.into_iter().map(|(name, it)| (name, it.1)).collect();
        let left_out = self.left_out.into_iter();
        let left_out = left_out.filter(|((_, name), _)| !best.contains_key(name));
        let left_out = left_out.map(|((why, name), path)| Other { why, name, path });
        let left_out = left_out.collect();
        (best, left_out)
    }
}

/// The rank of a CRD, and its text as a separate file.
fn taken(text: &Text, object: &Object, (path, below): (&Path, &Path)) -> Result<(Rank, String), LeftOut> {
    let written = &text.content[object.document.span.range()];
    let place = Place::of(below);
    // Outside of charts, braces may be ordinary text, for example in descriptions.
    let has_action = || first_action(&text.content, object.document.span).is_some();
    if written.contains("{{") && (is_template(path) || has_action()) {
        return Err(LeftOut::Template);
    }
    let standing = place.standing.max(choice::of_text(object));
    match standing {
        Standing::Part | Standing::Assertion => return Err(LeftOut::Part),
        Standing::Unserved => return Err(LeftOut::Unserved),
        it if it > Standing::Packaged => return Err(LeftOut::Copy),
        _ => {}
    }
    let defines = object.defines.as_ref().ok_or(LeftOut::Part)?;
    if !object.lacks.is_whole() {
        return Err(LeftOut::Part);
    }
    let name = &object.written.name;
    if !lock::is_name(name) || *defines != lock::defines(name, &defines.kind) {
        return Err(LeftOut::Name);
    }
    let own = match object.item() {
        None => format!("{}\n", written.trim_matches(['\n', '\r'])),
        Some(_) => of_wrapped(text, object).ok_or(LeftOut::Form)?,
    };
    // Check that the CRD is still the same in a separate file, because a separator may have affected how it was parsed.
    let alone = objects::read(&Text::whole(own.as_str().into()));
    match alone.as_slice() {
        [only] if only.defines == object.defines && only.written == object.written && only.inside.is_none() => {
            Ok(((standing, Reverse(place.version)), own))
        }
        _ => Err(LeftOut::Form),
    }
}

/// The text of a CRD inside another object, such as a list.
fn of_wrapped(text: &Text, object: &Object) -> Option<String> {
    let tree = text.read(object.document).ok()?;
    let json = read_json_of(&tree, object.node(&tree)?).ok()?;
    Some(cluster::text(&json.write(&tree)).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crd(name: &str, more: &str) -> String {
        let (plural, group) = name.split_once('.').unwrap_or((name, ""));
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {name}\nspec:\n  group: {group}\n  \
             scope: Namespaced\n  names: {{plural: {plural}, kind: Widget}}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    \
             schema: {{openAPIV3Schema: {{type: object}}}}\n{more}"
        )
    }

    fn collect(files: &[(&str, String)]) -> (BTreeMap<String, Collected>, Vec<Other>) {
        let mut all = Collection::default();
        for (path, text) in files {
            all.add(Path::new(path), Path::new(path), text.clone().into_bytes());
        }
        all.end()
    }

    #[test]
    fn each_crd_gets_a_text_of_its_own() {
        let both = format!("# a\n---\n{}---\n{}...\n", crd("a.x.io", "# end\n"), crd("b.x.io", ""));
        let (found, left_out) = collect(&[("crds.yaml", both)]);
        assert_eq!(left_out, []);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a.x.io", "b.x.io"]);
        assert_eq!(found["a.x.io"].text, crd("a.x.io", "# end\n"));
        assert_eq!(found["b.x.io"].defines.group, "x.io");
    }

    #[test]
    fn items_of_lists_become_json() {
        let indented = crd("a.x.io", "").replace('\n', "\n  ");
        let list = format!("apiVersion: v1\nkind: List\nitems:\n- {}\n", indented.trim_end());
        let (found, _) = collect(&[("list.yaml", list)]);
        assert!(found["a.x.io"].text.starts_with("{\n"), "{found:?}");
    }

    #[test]
    fn of_several_the_best_one_is_taken() {
        let (found, left_out) = collect(&[
            ("charts/a/crds/a.yaml", crd("a.x.io", "# chart\n")),
            ("config/crd/bases/a.yaml", crd("a.x.io", "# bases\n")),
            ("releases/v1.0.0.yaml", crd("a.x.io", "# old\n")),
            ("one/b.yaml", crd("b.x.io", "# one\n")),
            ("two/b.yaml", crd("b.x.io", "# two\n")),
            ("testdata/c.yaml", crd("c.x.io", "")),
        ]);
        assert_eq!(found["a.x.io"].path, Path::new("config/crd/bases/a.yaml"));
        assert_eq!(found["b.x.io"].equal.as_deref(), Some(Path::new("two/b.yaml")));
        assert_eq!(
            left_out,
            [Other {
                why: LeftOut::Copy,
                name: "c.x.io".to_owned(),
                path: "testdata/c.yaml".into()
            }]
        );
    }

    #[test]
    fn what_is_no_whole_crd_is_left_out_with_a_reason() {
        for (path, text, expected) in [
            (
                "a/templates/a.yaml",
                crd("a.x.io", "# {{ .Values.x }}\n"),
                LeftOut::Template,
            ),
            (
                "a.yaml",
                crd("a.x.io", "  conversion: {{ .Conversion }}\n"),
                LeftOut::Template,
            ),
            (
                "a.yaml",
                crd("a.x.io", "").replace("group: x.io", "group: y.io"),
                LeftOut::Name,
            ),
            (
                "a.yaml",
                crd("../a.x.io", "").replace("plural: ../a", "plural: a"),
                LeftOut::Name,
            ),
            (
                "a.yaml",
                crd("a.x.io", "").replace("k8s.io/v1", "k8s.io/v1beta1"),
                LeftOut::Unserved,
            ),
            (
                "a.yaml",
                crd("a.x.io", "").replace("scope: Namespaced", ""),
                LeftOut::Part,
            ),
            ("a-assert.yaml", crd("a.x.io", ""), LeftOut::Part),
        ] {
            let (found, left_out) = collect(&[(path, text)]);
            assert_eq!(
                (found.len(), left_out.iter().map(|it| it.why).collect::<Vec<_>>()),
                (0, vec![expected]),
                "{path}"
            );
        }
        let (found, _) = collect(&[("a/crds/a.yaml", crd("a.x.io", "# {{ .Values.x }}\n"))]);
        assert_eq!(found.len(), 1, "elsewhere, braces are text");
    }

    #[test]
    fn any_bytes_are_taken() {
        for text in [
            "",
            "kind: CustomResourceDefinition",
            "\0",
            "CustomResourceDefinition: [",
            "- \n---\n\u{FEFF}",
        ] {
            assert_eq!(collect(&[("a.yaml", text.to_owned())]).0.len(), 0);
        }
        let mut all = Collection::default();
        all.add(
            Path::new("a"),
            Path::new("a"),
            [b"\xFF\xFE".as_slice(), crd("a.x.io", "").as_bytes()].concat(),
        );
        assert_eq!(all.end().0.len(), 0);
    }
}
