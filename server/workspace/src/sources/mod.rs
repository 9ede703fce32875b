//! Source files from which manifests are generated, as a table with one row for each language. A manifest records where each of its parts is written,
//! so that diagnostics can be shown there.
//!
//! No code outside a row depends on the language of a file.

pub mod change;
pub mod earlier;
pub mod earlier_crds;
pub mod generated;
mod go;
pub mod go_crds;
mod go_edits;
pub mod go_file;
mod go_types;
mod helm;
pub mod judged;
pub mod made;
pub mod manifest;
mod markdown;
mod older;
mod one_made;
mod refused;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use change::{Change, Written};
use made::{Made, Manifests};
use manifest::{Manifest, Place};

use crate::{
    findings::report::FileReport,
    index::{Files, KnownCrd},
    judging::question::Question,
    sources::generated::GoSources,
    table::Table,
};

/// A language of source files.
#[derive(Debug)]
pub struct Row {
    /// The name of the language for users.
    pub name: &'static str,
    /// Whether a file is written in the language.
    pub is_of: fn(&Path) -> bool,
    /// The report on the text of a file itself, without the manifests that are generated from it.
    pub report: fn(&Arc<str>, &Path, &Question<'_>) -> FileReport,
    /// Applies the suppression comments of the file. It is called after the diagnostics about the manifests are in the report.
    pub silence: fn(&mut FileReport),
    /// Whether the text at an offset may be part of a manifest. If not, requests there need no manifests.
    pub may_be_made: fn(&str, usize) -> bool,
    /// Whether the text at an offset may be a name that manifests take over, see [`Unit::names`].
    pub may_be_name: fn(&str, usize) -> bool,
    /// Whether a manifest with this text may have been generated from files of the language.
    pub may_have_made: fn(&str) -> bool,
    /// Finds the unit of source files that contains the file at a path, with this text of the file.
    pub unit: UnitOf,
}

/// A function that finds the unit of source files that contains the file at a path, with this text of the file.
pub type UnitOf = for<'w> fn(&Path, &Arc<str>, &'w dyn World) -> Option<Box<dyn Unit + 'w>>;

/// Source files from which manifests are generated together, such as the packages of a Go module.
pub trait Unit {
    /// The folder or file that identifies the unit.
    fn root(&self) -> &Path;

    /// Generates all manifests of the unit.
    fn make(&self) -> Vec<Made>;

    /// Generates the manifests that a file may be a part of. Others may be among them.
    fn make_of(&self, _file: &Path) -> Vec<Made> {
        self.make()
    }

    /// A number that is another one if [`Self::make_of`] may generate other manifests for a file than before the last edit of the file.
    fn part_of(&self, _file: &Path) -> u64 {
        0
    }

    /// Compares the files of the manifests with what their source generates now. Takes longer than [`Self::again`], which leaves it out. Manifests that
    /// were compared before are left out.
    fn compare(&self, _made: &[Made]) {}

    /// All manifests after files have changed. Manifests that do not depend on these files may be reused.
    fn again(&self, _before: &[Made], _files: &[&Path]) -> Vec<Made> {
        self.make()
    }

    /// Converts a change of a manifest to an edit of the file that sets the value. Changes inside a string that is written in a file are handled
    /// elsewhere. `None` if no file can express the change.
    fn write(&self, _made: &Made, _change: &Change) -> Option<Written> {
        None
    }

    /// The text of a stale manifest's file after generating it again. `None` if some types are unknown.
    fn rewritten(&self, _made: &Made) -> Option<String> {
        None
    }

    /// The kinds of objects that a file declares. The repository may have no manifests for some of them.
    fn kinds(&self, _file: &Path) -> Vec<String> {
        Vec::new()
    }

    /// The names in a file that manifests take over for properties.
    fn names(&self, _file: &Path) -> Vec<Name> {
        Vec::new()
    }

    /// The edits that rename a name where manifests do not have it as it is written, such as in a marker that creates a rule about several fields. Each
    /// has the place of the whole marker. The error gives the reason why the name cannot be changed there.
    fn mentions(&self, _name: &Name, _new_name: &str) -> Result<Vec<(Place, Written)>, String> {
        Ok(Vec::new())
    }

    /// The other CRDs of the repository with the name of a CRD. The repository keeps them in step with the CRD.
    fn copies(&self, _of: &KnownCrd) -> Vec<Arc<KnownCrd>> {
        Vec::new()
    }

    /// Why a property cannot have a name. `None` if a file can express it.
    fn refuses_name(&self, _name: &str) -> Option<String> {
        None
    }

    /// The packages that the unit's kinds need and that are not on this machine.
    fn missing(&self) -> Vec<MissingPackages> {
        Vec::new()
    }

    /// The manifest to use while the user is still typing in a part of it. `None` if the generated manifest can be used.
    fn begun(&self, _: &Made) -> Option<Manifest> {
        None
    }
}

/// Packages that a module needs and that are not on this machine.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MissingPackages {
    /// The folder of the module.
    pub module: PathBuf,
    /// The import paths of the packages, sorted.
    pub packages: Vec<String>,
}

/// A name in a source file that manifests take over for a property, such as the JSON name of a Go field.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub name: String,
    /// The place of the name.
    pub written: Place,
    /// The place from which the property comes in manifests, such as the name of the Go field.
    pub declared: Place,
}

/// Access to other files and CRDs, for a source file.
pub trait World {
    /// The source of Go modules. `None` if the files are not those on disk.
    fn go(&self) -> Option<&dyn GoSources>;

    /// The CRDs of the repository.
    fn crds(&self) -> Vec<Arc<KnownCrd>>;

    /// The other CRDs with the name of a CRD, which its repository keeps in step with it.
    fn copies(&self, _of: &KnownCrd) -> Vec<Arc<KnownCrd>> {
        Vec::new()
    }

    /// The source of the texts of CRDs.
    fn files(&self) -> &dyn Files;

    /// The open files in a folder, or the open file at a path.
    fn open(&self, below: &Path) -> Vec<(PathBuf, Arc<str>)>;
}

impl fmt::Debug for dyn Unit + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.root().display())
    }
}

static TABLE: Table<Row> = Table::new(&[go::ROW, markdown::ROW, helm::ROW]);

/// Adds rows to the table, for a program that supports more languages. Call it before the first file is read.
///
/// # Errors
/// Returns the rows if rows have been added before.
pub fn add(rows: &'static [Row]) -> Result<(), &'static [Row]> {
    TABLE.add(rows)
}

/// All languages.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.rows()
}

/// The language of a source file. Other files are manifests themselves.
pub fn of(path: &Path) -> Option<&'static Row> {
    TABLE.rows().find(|it| (it.is_of)(path))
}

/// The report on a source file with this text, including the manifests that are generated from it. `before` has the manifests of an earlier text of
/// the file.
pub fn judge(
    row: &Row,
    (path, text): (&Path, &Arc<str>),
    world: &dyn World,
    before: Option<&Manifests>,
    question: &Question<'_>,
) -> FileReport {
    let mut report = (row.report)(text, path, question);
    if let Some(unit) = (row.unit)(path, text, world) {
        let made = match before {
            Some(before) => before.again(&[path], &*unit),
            None => Manifests::new(&*unit),
        };
        made.complete(row, (path, &mut report), (question, |_: &Path| false, &|_| false));
    }
    report
}

/// The same files, except that one of them has another text.
pub struct WithText<'w> {
    /// The files without the change.
    pub world: &'w dyn World,
    /// The path of the changed file.
    pub path: &'w Path,
    /// The new text of that file.
    pub text: &'w Arc<str>,
}

impl World for WithText<'_> {
    fn go(&self) -> Option<&dyn GoSources> {
        self.world.go()
    }

    fn crds(&self) -> Vec<Arc<KnownCrd>> {
        self.world.crds()
    }

    fn copies(&self, of: &KnownCrd) -> Vec<Arc<KnownCrd>> {
        self.world.copies(of)
    }

    fn files(&self) -> &dyn Files {
        self.world.files()
    }

    fn open(&self, below: &Path) -> Vec<(PathBuf, Arc<str>)> {
        let mut open = self.world.open(below);
        open.retain(|it| it.0 != self.path);
        if self.path.starts_with(below) {
            open.push((self.path.to_owned(), self.text.clone()));
        }
        open
    }
}
