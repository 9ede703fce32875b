//! Reads the templates of Helm charts, and the files about their values.

use std::{
    collections::HashMap,
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_workspace::charts::{
    chart::Chart,
    metadata::{self, is_archive},
    values,
};

use crate::{
    read::{self, Access},
    roots::Roots,
};

/// A cache of the charts that were read, by folder.
#[derive(Default, Debug)]
pub struct Charts(Mutex<HashMap<PathBuf, Option<Arc<Chart>>>>);

/// The file that makes a folder a chart.
const FILE: &str = "Chart.yaml";

/// The folder of a chart with its templates.
const TEMPLATES: &str = "templates";

/// The folder of a chart with the charts that it consists of.
const CHARTS: &str = "charts";

/// The maximum number of folders between a chart and a template, and of charts in each other.
const MAX_DEPTH: usize = 8;

/// The maximum number of templates of a chart. Of larger charts, nothing is read.
const MOST_FILES: usize = 4_000;

/// The maximum size of all templates of a chart, in bytes.
const MOST_BYTES: usize = 16 << 20;

impl Charts {
    /// The chart that has the template at an absolute path, or the file that Helm loads first. It comes with the charts around it and in it, since their
    /// templates share one set of names.
    pub fn of(&self, file: &Path, access: &Access) -> Option<Arc<Chart>> {
        let folder = chart_of(file, access)?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chart) = known.get(&folder) {
            return chart.clone();
        }
        let chart = read(&folder, access).map(Arc::new);
        known.insert(folder, chart.clone());
        chart
    }

    /// Clears the cache because a file may have changed.
    pub fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// The folder of the outermost chart around a file of a chart.
fn chart_of(file: &Path, access: &Access) -> Option<PathBuf> {
    let is_chart = |it: &Path| read::kind(&it.join(FILE), access).is_ok();
    let is_templates = |it: &&Path| it.file_name().is_some_and(|it| it == TEMPLATES);
    let mut above = file.ancestors().skip(1).take(MAX_DEPTH).filter(is_templates);
    let around_templates = above.find_map(|it| it.parent().filter(|it| is_chart(it)));
    let own = || file.parent().filter(|it| metadata::is_loaded(file) && is_chart(it));
    let mut folder = around_templates.or_else(own)?;
    for _ in 0..MAX_DEPTH {
        let around = folder
            .parent()
            .filter(|it| it.file_name().is_some_and(|it| it == CHARTS));
        match around.and_then(Path::parent).filter(|it| is_chart(it)) {
            Some(outer) => folder = outer,
            None => break,
        }
    }
    Some(folder.to_owned())
}

/// The templates of a chart, and the files about its values. `None` if a template cannot be read, since it may define any name.
fn read(folder: &Path, access: &Access) -> Option<Chart> {
    let mut files = match access {
        Access::Named => on_disk(folder, &Roots::new([folder]))?,
        Access::Within(roots) => on_disk(folder, roots)?,
        Access::Elsewhere(files) => files.files(folder, &|it| is_read(folder, it)).ok()?.files,
    };
    if files.len() > MOST_FILES {
        return None;
    }
    files.sort();
    let mut left = MOST_BYTES;
    let mut texts = Vec::new();
    for file in files {
        if is_archive(&file) {
            texts.push((Arc::from(file), Arc::from("")));
            continue;
        }
        let text = match read::text(&file, access, left as u64) {
            Ok(text) => text,
            // Without a file about values or the chart, less is known of them.
            Err(_) if !file.iter().any(|it| it == TEMPLATES) => continue,
            Err(_) => return None,
        };
        left = left.checked_sub(text.len())?;
        texts.push((Arc::from(file), Arc::from(text)));
    }
    Some(Chart::new(texts))
}

/// Whether a file is read: a template of a chart, or of a chart in it, or a file about their values or about the charts.
fn is_read(chart: &Path, file: &Path) -> bool {
    let is_about = |name: &OsStr| values::FILES.iter().chain(&metadata::FILES).any(|it| name == *it);
    let mut parts = file.strip_prefix(chart).into_iter().flat_map(Path::iter);
    loop {
        match parts.next() {
            Some(part) if part == TEMPLATES => return true,
            Some(part) if part == CHARTS && parts.next().is_some() => {}
            Some(part) => return parts.next().is_none() && is_about(part),
            None => return is_archive(file),
        }
    }
}

/// The files of a chart on disk that are read, and of the charts in it. Links are not followed. `None` if there are too many.
fn on_disk(chart: &Path, roots: &Roots) -> Option<Vec<PathBuf>> {
    let mut files = Vec::new();
    // Each folder with its depth, and whether it is below `templates/`.
    let mut open = vec![(chart.to_owned(), 0, false)];
    while let Some((folder, depth, is_below)) = open.pop() {
        if depth > 3 * MAX_DEPTH {
            return None;
        }
        for (path, kind) in read::entries_in(&folder, roots) {
            let Some(kind) = kind else { continue };
            let is_kept = is_below || is_read(chart, &path);
            let is_on_the_way = |it: &Path| is_read(chart, &it.join(TEMPLATES)) || it.ends_with(CHARTS);
            if kind.is_dir() && (is_kept || is_on_the_way(&path)) {
                open.push((path, depth + 1, is_kept));
            } else if kind.is_file() && is_kept {
                files.push(path);
            }
            if files.len() + open.len() > MOST_FILES {
                return None;
            }
        }
    }
    Some(files)
}
