//! Sources: what people write that something else makes manifests of, one row a language. A manifest knows where each of its parts is written, so
//! that what is wrong with it is told there.
//!
//! Nothing outside a row asks which language a file is written in.

pub mod change;
pub mod generated;
mod go;
pub mod go_crds;
pub mod go_file;
pub mod judged;
pub mod made;
pub mod manifest;
mod markdown;
mod older;
mod one_made;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use change::{Change, Written};
use made::{Made, Manifests};
use manifest::Manifest;

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
    /// Its name, as people say it.
    pub name: &'static str,
    /// Whether a file is written in it.
    pub is_of: fn(&Path) -> bool,
    /// What is wrong with the text of a file itself, whatever is made of it.
    pub report: fn(&Arc<str>, &Path, &Question<'_>) -> FileReport,
    /// Silences what comments of the file ask for, once the report has what is wrong with the manifests, too.
    pub silence: fn(&mut FileReport),
    /// Whether the place at a byte may be part of a manifest. Requests in the rest of the text then cost nothing.
    pub may_be_made: fn(&str, usize) -> bool,
    /// Whether a manifest with this text may have been made of files of the language.
    pub may_have_made: fn(&str) -> bool,
    /// What the file at a path, with this text, is made into, alone or with others.
    pub unit: UnitOf,
}

/// Finds what the file at a path, with this text, is made into manifests with.
pub type UnitOf = for<'w> fn(&Path, &Arc<str>, &'w dyn World) -> Option<Box<dyn Unit + 'w>>;

/// What is made into manifests together, such as the packages of a Go module.
pub trait Unit {
    /// The folder or file that the unit is known by.
    fn root(&self) -> &Path;

    /// All manifests.
    fn make(&self) -> Vec<Made>;

    /// All manifests after files have changed. Those that the files have no part in may stay as they were.
    fn again(&self, _before: &[Made], _files: &[&Path]) -> Vec<Made> {
        self.make()
    }

    /// Writes a change of a manifest in the file that decides it. Changes inside of strings do not come here if the string is written in a file.
    /// `None`: no file can say it.
    fn write(&self, _made: &Made, _change: &Change) -> Option<Written> {
        None
    }

    /// The text that the file of a stale manifest would have if it was written again. `None`: not all is known that it takes.
    fn rewritten(&self, _made: &Made) -> Option<String> {
        None
    }

    /// The kinds of objects that a file declares. The repository may lack the manifests of some.
    fn kinds(&self, _file: &Path) -> Vec<String> {
        Vec::new()
    }

    /// A manifest that somebody is still typing a part of, as far as it can be made. `None`: it is made as it is.
    fn begun(&self, _: &Made) -> Option<Manifest> {
        None
    }
}

/// What sources may ask about the files around one.
pub trait World {
    /// The Go modules; `None` if the files are not those on disk.
    fn go(&self) -> Option<&dyn GoSources>;

    /// The CRDs of the repository.
    fn crds(&self) -> Vec<Arc<KnownCrd>>;

    /// Where the texts of CRDs come from.
    fn files(&self) -> &dyn Files;

    /// The files in a folder, or at a path, that somebody edits.
    fn open(&self, below: &Path) -> Vec<(PathBuf, Arc<str>)>;
}

impl fmt::Debug for dyn Unit + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.root().display())
    }
}

static TABLE: Table<Row> = Table::new(&[go::ROW, markdown::ROW]);

/// Adds rows to the table, for a program that reads more languages than these. It has to do so before it reads the first file.
///
/// # Errors
/// The rows, if some have been added before.
pub fn add(rows: &'static [Row]) -> Result<(), &'static [Row]> {
    TABLE.add(rows)
}

/// All languages.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.rows()
}

/// The language of a file, if manifests are made of it. Other files are manifests themselves.
pub fn of(path: &Path) -> Option<&'static Row> {
    TABLE.rows().find(|it| (it.is_of)(path))
}

/// The report on a source file with this text: what is wrong with it, and in it with the manifests that it has a part in. `before`: those of another
/// text of the file.
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
        made.complete(row, (path, &mut report), (question, |_: &Path| false));
    }
    report
}

/// The files around one as if somebody had typed another text.
pub struct WithText<'w> {
    /// The files as they are.
    pub world: &'w dyn World,
    /// The file.
    pub path: &'w Path,
    /// Its text.
    pub text: &'w Arc<str>,
}

impl World for WithText<'_> {
    fn go(&self) -> Option<&dyn GoSources> {
        self.world.go()
    }

    fn crds(&self) -> Vec<Arc<KnownCrd>> {
        self.world.crds()
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
