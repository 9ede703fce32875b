//! What a chart says of itself: its name, the charts that it needs, and the files that Helm does not read.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_syntax::{json::Json, read, read_json, tree::Span};

use super::{ignored::Ignored, values::DEFAULTS};
use crate::documents::source::SourceText;

/// The file that makes a folder a chart.
const CHART: &str = "Chart.yaml";

/// The file with the dependencies of charts with the version `v1`.
const REQUIREMENTS: &str = "requirements.yaml";

/// The file that names the files that Helm does not read.
const IGNORE: &str = ".helmignore";

/// The folders of a chart.
const TEMPLATES: &str = "templates";
const CHARTS: &str = "charts";

/// The names of the files of a chart that say something about the chart.
pub const FILES: [&str; 3] = [CHART, REQUIREMENTS, IGNORE];

/// Whether Helm reads a file before it renders the templates of a chart, judging by its name. Without the file, it renders none of them.
pub fn is_loaded(path: &Path) -> bool {
    [CHART, DEFAULTS].iter().any(|it| path.ends_with(it))
}

/// Whether a file of a chart says something about the chart.
pub fn is_metadata(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    is_archive(path) || FILES.contains(&name) && !path.parent().is_some_and(|it| it.ends_with(TEMPLATES))
}

/// Whether a file is a packed chart in another chart. Its text is not read.
pub fn is_archive(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "tgz") && path.parent().is_some_and(|it| it.ends_with(CHARTS))
}

/// What one chart says of itself.
#[derive(Debug)]
pub(crate) struct Metadata {
    /// The folder of the chart.
    folder: PathBuf,
    files: Vec<Arc<SourceText>>,
    said: OnceLock<Said>,
}

/// What the files say.
#[derive(Default, Debug)]
struct Said {
    name: String,
    is_library: bool,
    /// The names of the charts that it needs.
    needed: Vec<String>,
    /// The files that Helm does not read. `None` if they are not known.
    ignored: Option<Ignored>,
    /// Whether a chart in it is packed, or a file cannot be parsed.
    is_partly_known: bool,
}

impl Metadata {
    /// Adds a file to those of its chart.
    pub(super) fn add(all: &mut Vec<Self>, path: Arc<Path>, text: Arc<str>) {
        let folder = if is_archive(&path) {
            path.parent().and_then(Path::parent)
        } else {
            path.parent()
        };
        let Some(folder) = folder.map(Path::to_owned) else {
            return;
        };
        let at = all.iter().position(|it| it.folder == folder).unwrap_or(all.len());
        if at == all.len() {
            all.push(Self {
                folder,
                files: Vec::new(),
                said: OnceLock::new(),
            });
        }
        all[at].files.push(Arc::new(SourceText::new(path, text)));
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &Arc<SourceText>> {
        self.files.iter()
    }

    fn said(&self) -> &Said {
        self.said.get_or_init(|| {
            let mut said = Said {
                ignored: Some(Ignored::default()),
                ..Said::default()
            };
            for file in &self.files {
                let text = &file.text;
                if is_archive(&file.path) {
                    said.is_partly_known = true;
                } else if file.path.ends_with(IGNORE) {
                    said.ignored = Ignored::new(text);
                } else if budget::within(Limits::file(text.len()), || said.read(text)).0.is_none() {
                    said.is_partly_known = true;
                }
            }
            said
        })
    }

    /// The path of a file inside the chart, with `/` between its parts. `None` if the file is not in the chart.
    fn inside(&self, file: &Path) -> Option<String> {
        let parts = file.strip_prefix(&self.folder).ok()?.iter();
        let parts: Option<Vec<&str>> = parts.map(|it| it.to_str()).collect();
        Some(parts?.join("/"))
    }
}

impl Said {
    /// Takes what a file in YAML says.
    fn read(&mut self, text: &Arc<str>) -> Option<()> {
        let tree = read(text, Span::new(0, text.len() as u32)).ok()?;
        let json = read_json(&tree).ok()?;
        let root = json.root()?;
        let word = |it: &Json<'_>, name: &str| it.get(name).and_then(Json::as_str).map(str::to_owned);
        if let Some(name) = word(root, "name") {
            self.name = name;
        }
        self.is_library |= word(root, "type").is_some_and(|it| it.eq_ignore_ascii_case("library"));
        let needed = root.get("dependencies").and_then(Json::items).into_iter().flatten();
        for dependency in needed {
            self.needed.push(word(dependency, "name")?);
        }
        Some(())
    }
}

/// The chart and the charts in it.
pub(super) struct All<'c>(pub(super) &'c [Metadata]);

impl<'c> All<'c> {
    /// The outermost chart. `None` if no file says anything of it.
    fn root(&self) -> Option<&'c Metadata> {
        self.0.iter().min_by_key(|it| it.folder.components().count())
    }

    /// Whether Helm parses a file below `templates/`.
    pub(super) fn parse(&self, template: &Path) -> bool {
        let Some(path) = self.root().and_then(|it| it.inside(template)) else {
            return false;
        };
        let mut above = Vec::new();
        let mut parts = path.split('/');
        while let Some(CHARTS) = parts.next() {
            let Some(name) = parts.next().filter(|it| !it.starts_with(['_', '.'])) else {
                return false;
            };
            above.extend([CHARTS, name]);
        }
        let is_read = |it: &&Metadata| it.said().ignored.as_ref().is_some_and(|it| !it.has(&path));
        let Some(root) = self.root().filter(is_read) else {
            return false;
        };
        let folder = above.iter().fold(root.folder.clone(), |at, it| at.join(it));
        let Some(own) = self.0.iter().find(|it| it.folder == folder) else {
            return false;
        };
        let is_partial = template
            .file_name()
            .is_some_and(|it| it.to_string_lossy().starts_with('_'));
        is_partial || !own.said().is_library
    }

    /// Whether all charts are here, so that the names of all templates are known.
    pub(super) fn are_complete(&self) -> bool {
        let here: HashSet<(Option<&Path>, &str)> =
            self.0.iter().map(|it| (it.folder.parent(), &*it.said().name)).collect();
        let is_complete = |it: &Metadata| {
            let (said, charts) = (it.said(), it.folder.join(CHARTS));
            let is_here = |name: &String| here.contains(&(Some(&*charts), &**name));
            !said.is_partly_known && said.needed.iter().all(is_here)
        };
        // The charts that use a library may define its names.
        self.root().is_some_and(|it| !it.said().is_library) && self.0.iter().all(is_complete)
    }

    /// The name that Helm gives to a file.
    pub(super) fn name(&self, template: &Path) -> Option<String> {
        let root = self.root()?;
        Some(format!("{}/{}", root.said().name, root.inside(template)?))
    }
}
