//! The Go packages that declare types. They are loaded when they are needed.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use crd_analyzer_budget as budget;
use crd_analyzer_gosource::{
    check::{
        comments::Target,
        types::{Declared, Import, Marshals, Set, Shape, Types},
    },
    literal::Literal,
};

use crate::{
    ids::PackageId,
    known,
    node::Origin,
    values::{self, Reading, Values},
};

/// The maximum number of files to read in a package.
const MAX_FILES: usize = 1_000;

/// The maximum depth of embedded types to search for methods.
const MAX_DEPTH: usize = 32;

/// The work units for each file.
const A_FILE: u64 = 10_000;

/// Finds and reads packages.
pub trait Sources {
    /// The folder of the package with this import path. `None` if it is not on this machine, or if it must not be read.
    fn folder_of(&self, import: &str) -> Option<PathBuf>;

    /// The names of the Go files in a folder that belong to its package, sorted. Tests and files for other systems are left out.
    fn files(&self, folder: &Path) -> Arc<[String]>;

    /// The declarations in a file, without any if its build constraints leave it out. `None` if the file cannot be read.
    fn types(&self, file: &Path) -> Option<Arc<Types>>;
}

/// The files of a package, with their declarations.
pub(crate) struct Package {
    /// The name of the package, as its files declare it.
    pub(crate) name: String,
    pub(crate) files: Vec<File>,
    /// The index of the file that declares each type.
    declared: HashMap<String, usize>,
    marshals: HashMap<String, Marshals>,
    /// The markers of the package, by name.
    pub(crate) markers: Markers,
    /// Whether controller-gen skips the package.
    pub(crate) is_skipped: bool,
    /// Whether all files of the package were read.
    is_complete: bool,
    /// The places of invalid markers. If a package has any, it has no types.
    refused: Vec<Origin>,
}

pub(crate) struct File {
    pub(crate) path: Arc<Path>,
    pub(crate) types: Arc<Types>,
}

/// The markers of a declaration by their name.
pub(crate) type Markers = BTreeMap<&'static str, Vec<Marker>>;

/// A marker with its values.
pub(crate) struct Marker {
    pub(crate) origin: Origin,
    /// The values of the marker's arguments. `None` if they are invalid or unsupported.
    pub(crate) values: Option<Values>,
}

impl Marker {
    /// The origin of one of the marker's values.
    pub(crate) fn given(&self, literal: &Arc<Literal>) -> Origin {
        Origin {
            written: Some(literal.clone()),
            ..self.origin.clone()
        }
    }
}

/// A type and the file that declares it.
#[derive(Clone, Copy)]
pub(crate) struct Found<'p> {
    pub(crate) file: &'p File,
    pub(crate) declared: &'p Declared,
}

impl Package {
    fn read(folder: &Path, sources: &dyn Sources, reading: Reading) -> Option<Self> {
        let mut package = Self {
            name: String::new(),
            files: Vec::new(),
            declared: HashMap::new(),
            marshals: HashMap::new(),
            markers: Markers::new(),
            is_skipped: false,
            is_complete: true,
            refused: Vec::new(),
        };
        for (n, name) in sources.files(folder).iter().enumerate() {
            if n == MAX_FILES || budget::work(A_FILE).is_err() {
                package.is_complete = false;
                break;
            }
            let path: Arc<Path> = folder.join(name).into();
            let Some(types) = sources.types(&path) else {
                package.is_complete = false;
                continue;
            };
            if !types.text.is_empty() {
                package.add(File { path, types }, reading);
            }
        }
        (!package.files.is_empty()).then_some(package)
    }

    fn add(&mut self, file: File, reading: Reading) {
        let number = self.files.len();
        let types = &file.types;
        if self.name.is_empty() {
            self.name.clone_from(&types.package);
        }
        self.declared
            .extend(types.declared.keys().map(|it| (it.clone(), number)));
        for (name, it) in &types.marshals {
            let all = self.marshals.entry(name.clone()).or_default();
            all.json |= it.json;
            all.text |= it.text;
        }
        self.is_skipped |= types.is_skipped;
        let markers = markers(&file, &types.markers, Target::Package, reading);
        for (name, all) in markers {
            self.markers.entry(name).or_default().extend(all);
        }
        if reading.is_strict {
            self.refused.extend(unreadable(&file, reading));
        }
        self.files.push(file);
    }

    /// The type with this name, if the package declares it.
    pub(crate) fn find(&self, name: &str) -> Option<Found<'_>> {
        if !self.refused.is_empty() {
            return None;
        }
        let file = &self.files[*self.declared.get(name)?];
        Some(Found {
            file,
            declared: file.types.declared.get(name)?,
        })
    }

    /// Whether all types of the package are known.
    pub(crate) fn has_all_types(&self) -> bool {
        self.is_complete && self.refused.is_empty()
    }

    /// The invalid markers of all files.
    pub(crate) fn unreadable(&self, reading: Reading) -> Vec<Origin> {
        self.files.iter().flat_map(|it| unreadable(it, reading)).collect()
    }

    /// The names of the declared types, sorted.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.declared.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }
}

/// The invalid markers of a file.
fn unreadable(file: &File, reading: Reading) -> Vec<Origin> {
    fn below<'t>(shape: &'t Shape, all: &mut Vec<(&'t [Set], Target)>) {
        match shape {
            Shape::Struct(members) => {
                for member in members {
                    all.push((&member.markers, Target::Field));
                    below(&member.shape, all);
                }
            }
            Shape::Pointer(of) | Shape::Slice(of) | Shape::Array(of) | Shape::Map { value: of, .. } => below(of, all),
            _ => {}
        }
    }
    let mut all: Vec<(&[Set], Target)> = vec![(&file.types.markers, Target::Package)];
    for declared in file.types.declared.values() {
        all.push((&declared.markers, Target::Type));
        below(&declared.shape, &mut all);
    }
    let read = all
        .into_iter()
        .flat_map(|(sets, target)| markers(file, sets, target, reading).into_values());
    let unread = read.flatten().filter(|it| it.values.is_none());
    unread.map(|it| it.origin).collect()
}

/// The markers of a declaration.
pub(crate) fn markers(file: &File, sets: &[Set], target: Target, reading: Reading) -> Markers {
    let mut markers = Markers::new();
    for set in sets {
        let Some(definition) = values::definition(set.name, target, reading.release) else {
            continue;
        };
        let marker = Marker {
            origin: Origin {
                file: file.path.clone(),
                span: set.span.clone(),
                written: None,
            },
            values: values::read(&file.types.text, set, (definition, target), reading),
        };
        markers.entry(set.name).or_default().push(marker);
    }
    markers
}

/// All packages that were looked up.
pub(crate) struct Packages<'s> {
    sources: &'s dyn Sources,
    reading: Reading,
    all: Vec<Option<Rc<Package>>>,
    by_path: HashMap<String, PackageId>,
    paths: Vec<Rc<str>>,
    /// The invalid markers in all packages.
    pub(crate) refused: Vec<Origin>,
}

/// The meaning of a type name.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Meaning {
    /// A type that a package declares.
    Declared(PackageId, String),
    /// A built-in type of Go.
    Basic(String),
    /// The name has no known meaning.
    Unknown,
}

impl<'s> Packages<'s> {
    pub(crate) fn new(sources: &'s dyn Sources, reading: Reading) -> Self {
        Self {
            sources,
            reading,
            all: Vec::new(),
            by_path: HashMap::new(),
            paths: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Loads the package with this import path.
    pub(crate) fn load(&mut self, path: &str) -> PackageId {
        if let Some(id) = self.by_path.get(path) {
            return *id;
        }
        let folder = self.sources.folder_of(path);
        let read = folder.and_then(|it| Package::read(&it, self.sources, self.reading));
        self.refused
            .extend(read.iter().flat_map(|it| it.refused.iter().cloned()));
        let id = PackageId(self.all.len());
        self.all.push(read.map(Rc::new));
        self.by_path.insert(path.to_owned(), id);
        self.paths.push(path.into());
        id
    }

    /// The import path of a package.
    pub(crate) fn path(&self, id: PackageId) -> Rc<str> {
        self.paths[id.0].clone()
    }

    /// The folder of a package. `None` if it is not on this machine.
    pub(crate) fn folder(&self, id: PackageId) -> Option<PathBuf> {
        self.sources.folder_of(&self.path(id))
    }

    /// The package with an ID, if it was found.
    pub(crate) fn get(&self, id: PackageId) -> Option<Rc<Package>> {
        self.all[id.0].clone()
    }

    /// The packages without types, because a marker in them is invalid.
    pub(crate) fn unusable(&self) -> Vec<PackageId> {
        let all = (0..).map(PackageId).zip(&self.all);
        let is_unusable = |it: &Option<Rc<Package>>| it.as_ref().is_some_and(|it| !it.refused.is_empty());
        all.filter(|it| is_unusable(it.1)).map(|it| it.0).collect()
    }

    /// The package that contains a file, and the declarations of the file. `None` if the package was not loaded.
    pub(crate) fn file(&self, path: &Path) -> Option<(PackageId, Arc<Types>)> {
        self.all.iter().enumerate().find_map(|(id, package)| {
            let file = package.as_ref()?.files.iter().find(|it| *it.path == *path)?;
            Some((PackageId(id), file.types.clone()))
        })
    }

    /// The import path that a package name in a file most likely refers to, for a package that was not found.
    pub(crate) fn meant<'t>(file: &'t Types, name: &'t str) -> &'t str {
        let is_it = |it: &&Import| match &it.name {
            Some(given) => given == name,
            None => it.path.rsplit('/').next() == Some(name),
        };
        file.imported.iter().find(is_it).map_or(name, |it| it.path.as_str())
    }

    /// Resolves an unqualified name in a file of a package.
    pub(crate) fn local(&mut self, (id, file): (PackageId, &Types), name: &str) -> Meaning {
        if self.get(id).is_some_and(|it| it.find(name).is_some()) {
            return Meaning::Declared(id, name.to_owned());
        }
        let dots: Vec<String> = file
            .imported
            .iter()
            .filter(|it| it.name.as_deref() == Some("."))
            .map(|it| it.path.clone())
            .collect();
        for path in dots {
            let id = self.load(&path);
            match self.get(id) {
                Some(package) if package.find(name).is_some() => return Meaning::Declared(id, name.to_owned()),
                Some(_) => {}
                None => return Meaning::Unknown,
            }
        }
        if is_basic(name) {
            Meaning::Basic(name.to_owned())
        } else {
            Meaning::Unknown
        }
    }

    /// Whether Go has no type of this name, which has no package before it, in a file of a package.
    pub(crate) fn is_undefined(&mut self, (id, file): (PackageId, &Types), name: &str) -> bool {
        let is_known = self.get(id).is_some_and(|it| it.has_all_types());
        let has_dots = || file.imported.iter().any(|it| it.name.as_deref() == Some("."));
        is_known && !has_dots() && self.local((id, file), name) == Meaning::Unknown
    }

    /// The names of types that a file of a package may use without a package before them.
    pub(crate) fn names(&self, path: &Path) -> Vec<String> {
        let package = self.file(path).and_then(|it| self.get(it.0));
        let declared = package.iter().flat_map(|it| it.names());
        declared.chain(BASIC).map(str::to_owned).collect()
    }

    /// Resolves a name of an imported package in a file.
    pub(crate) fn selected(&mut self, file: &Types, package: &str, name: &str) -> Meaning {
        let Some(id) = self.imported(file, package) else {
            return Meaning::Unknown;
        };
        match self.get(id) {
            Some(found) if found.find(name).is_some() => Meaning::Declared(id, name.to_owned()),
            // For some packages, the schemas are built in.
            _ if self.is_known(id, name) => Meaning::Declared(id, name.to_owned()),
            _ => Meaning::Unknown,
        }
    }

    fn is_known(&self, id: PackageId, name: &str) -> bool {
        let path = self.path(id);
        known::schema(&path, name, false).is_some() || known::without_sources(&path, name).is_some()
    }

    /// The package to which a file refers by this name.
    pub(crate) fn imported(&mut self, file: &Types, name: &str) -> Option<PackageId> {
        if let Some(it) = file.imported.iter().find(|it| it.name.as_deref() == Some(name)) {
            return Some(self.load(&it.path));
        }
        let unnamed: Vec<&str> = file
            .imported
            .iter()
            .filter(|it| it.name.is_none())
            .map(|it| it.path.as_str())
            .collect();
        // Load the likely packages first. Usually the last part of the path is the package's name, and nearly always the path contains the name.
        let ends = |it: &&&str| it.rsplit('/').next() == Some(name);
        let has = |it: &&&str| it.contains(name);
        let (likely, others): (Vec<&str>, Vec<&str>) = unnamed.iter().partition(|it| ends(it));
        let (near, far): (Vec<&str>, Vec<&str>) = others.iter().partition(|it| has(it));
        for path in likely.into_iter().chain(near).chain(far) {
            let id = self.load(path);
            let is_it = match self.get(id) {
                Some(package) => package.name == name,
                None => path.rsplit('/').next() == Some(name),
            };
            if is_it {
                return Some(id);
            }
        }
        None
    }

    /// The underlying type of a named type, as defined by the Go specification.
    pub(crate) fn underlying(&mut self, id: PackageId, name: &str) -> Option<Shape> {
        let (mut id, mut name) = (id, name.to_owned());
        for _ in 0..MAX_DEPTH {
            let package = self.get(id)?;
            let found = package.find(&name)?;
            let (shape, types) = (found.declared.shape.clone(), found.file.types.clone());
            let meaning = match &shape {
                Shape::Name(of) => self.local((id, &types), of),
                Shape::Selected { package, name } => self.selected(&types, package, name),
                _ => return Some(shape),
            };
            match meaning {
                Meaning::Declared(next, of) => (id, name) = (next, of),
                Meaning::Basic(of) => return Some(Shape::Name(of)),
                Meaning::Unknown => return None,
            }
        }
        None
    }

    /// Resolves all aliases of a name.
    pub(crate) fn unaliased(&mut self, id: PackageId, name: &str) -> Meaning {
        let mut meaning = Meaning::Declared(id, name.to_owned());
        for _ in 0..MAX_DEPTH {
            let Meaning::Declared(id, name) = &meaning else {
                return meaning;
            };
            let Some(package) = self.get(*id) else { return meaning };
            let Some(found) = package.find(name).filter(|it| it.declared.is_alias) else {
                return meaning;
            };
            meaning = self.meaning((*id, &found.file.types), &found.declared.shape);
        }
        Meaning::Unknown
    }

    /// The JSON methods of a type, including those of embedded types.
    pub(crate) fn marshals(&mut self, id: PackageId, name: &str) -> Marshals {
        self.methods(id, name, 0)
    }

    fn methods(&mut self, id: PackageId, name: &str, depth: usize) -> Marshals {
        let Some(package) = self.get(id).filter(|_| depth < MAX_DEPTH) else {
            return Marshals::default();
        };
        let Some(found) = package.find(name) else {
            return Marshals::default();
        };
        let (shape, types) = (&found.declared.shape, found.file.types.clone());
        if found.declared.is_alias {
            return match self.meaning((id, &types), shape) {
                Meaning::Declared(id, name) => self.methods(id, &name, depth + 1),
                _ => Marshals::default(),
            };
        }
        let own = package.marshals.get(name).copied().unwrap_or_default();
        let promoted = self.promoted((id, &types), shape, depth);
        Marshals {
            json: own.json || promoted.json,
            text: own.text || promoted.text,
        }
    }

    /// The methods that a type gets from the types embedded in it.
    fn promoted(&mut self, (id, types): (PackageId, &Types), shape: &Shape, depth: usize) -> Marshals {
        let mut all = Marshals::default();
        if depth > MAX_DEPTH {
            return all;
        }
        match shape {
            Shape::Struct(members) => {
                // If several embedded types at the same depth have the method, the type does not get it.
                let mut found = [0, 0];
                for member in members.iter().filter(|it| it.name.is_none()) {
                    let of = match &member.shape {
                        Shape::Pointer(of) => of,
                        of => of,
                    };
                    if let Meaning::Declared(id, name) = self.meaning((id, types), of) {
                        let it = self.methods(id, &name, depth + 1);
                        found[0] += usize::from(it.json);
                        found[1] += usize::from(it.text);
                    }
                }
                all.json = found[0] == 1;
                all.text = found[1] == 1;
            }
            Shape::Name(_) | Shape::Selected { .. } => {
                // If a type is defined as another type, it has the methods that are promoted there.
                if let Meaning::Declared(id, name) = self.meaning((id, types), shape)
                    && let Some(package) = self.get(id)
                    && let Some(found) = package.find(&name)
                {
                    let types = found.file.types.clone();
                    all = self.promoted((id, &types), &found.declared.shape, depth + 1);
                }
            }
            _ => {}
        }
        all
    }

    /// The meaning of a type that is written as a name.
    pub(crate) fn meaning(&mut self, at: (PackageId, &Types), shape: &Shape) -> Meaning {
        match shape {
            Shape::Name(name) => self.local(at, name),
            Shape::Selected { package, name } => self.selected(at.1, package, name),
            _ => Meaning::Unknown,
        }
    }
}

/// Whether a name is a built-in type of Go.
fn is_basic(name: &str) -> bool {
    BASIC.contains(&name)
}

/// The built-in types of Go.
const BASIC: [&str; 23] = [
    "bool",
    "string",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintptr",
    "byte",
    "rune",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "error",
    "any",
    "comparable",
    "unsafe",
];
