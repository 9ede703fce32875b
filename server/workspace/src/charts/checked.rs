//! The templates of charts that were checked in a run. Each is checked once, however many files define what it includes.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use crate::{config::versions::VersionSet, findings::finding::Finding};

/// What is wrong with the text that a template includes, by the index of the file that defines the text.
pub(super) type Included = HashMap<usize, Vec<Finding>>;

/// The files of a chart, each with what is wrong with the text that it includes.
type Templates = Arc<[OnceLock<Included>]>;

/// The templates of charts that were checked, by the first file of the chart and the Kubernetes versions.
#[derive(Default, Debug)]
pub struct CheckedTemplates(Mutex<HashMap<(PathBuf, VersionSet), Templates>>);

impl CheckedTemplates {
    /// The templates of a chart, in the order of its files. `first` is the path of the first file, and `count` the number of files.
    pub(super) fn of(&self, (first, count): (&Path, usize), versions: VersionSet) -> Templates {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_chart = all.entry((first.to_owned(), versions));
        let empty = || (0..count).map(|_| OnceLock::new()).collect();
        of_chart.or_insert_with(empty).clone()
    }
}
