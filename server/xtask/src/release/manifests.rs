//! Manifests for package managers, from the templates in `packaging/manifests`.
//!
//! The file name of a template is the name that the package manager expects. In a template, `@VERSION@` is replaced by a value of the table; `@SHA256
//! TARGET@`, `@ARCHIVE TARGET@`, `@URL TARGET@` and `@STEM TARGET@` refer to the archive of a target.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use regex::{Captures, Regex};

use super::{
    date::Date,
    hash::sha256,
    input::Artifact,
    table::{Table, VERSION},
};

/// The folder of the templates.
const FOLDER: &str = "packaging/manifests";

/// The result of filling in a template.
pub(super) enum Described {
    /// The complete file, with its path below the folder.
    Whole(PathBuf, String),
    /// The template needs the archive of a target that was not built.
    Lacks(PathBuf, String),
}

/// Fills in all templates.
pub(super) fn describe(table: &Table, archives: &[&Artifact], root: &Path) -> anyhow::Result<Vec<Described>> {
    let folder = root.join(FOLDER);
    let date = table.date()?;
    let mut all = Vec::new();
    for path in templates(&folder)? {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let name = path.strip_prefix(&folder)?.to_path_buf();
        all.push(
            match fill(&text, table, date, archives).with_context(|| name.display().to_string())? {
                Ok(text) => Described::Whole(name, text),
                Err(target) => Described::Lacks(name, target),
            },
        );
    }
    Ok(all)
}

fn templates(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The filled-in text, or the target whose archive is missing.
fn fill(text: &str, table: &Table, date: Date, archives: &[&Artifact]) -> anyhow::Result<Result<String, String>> {
    let marks = Regex::new(r"@([A-Z0-9]+)(?: ([a-z0-9_-]+))?@")?;
    let (mut lacks, mut unknown) = (None, None);
    let filled = marks.replace_all(text, |mark: &Captures<'_>| {
        let (word, target) = (&mark[1], mark.get(2).map(|it| it.as_str()));
        let found = match target {
            None => word_of_table(word, table, date),
            Some(target) => table.target(target).ok().and_then(|target| {
                let name = target.archive_name();
                let archive = archives.iter().find(|it| it.name == name);
                if archive.is_none() {
                    lacks.get_or_insert_with(|| target.rust.clone());
                }
                match word {
                    "SHA256" => Some(archive.map(|it| sha256(&it.bytes)).unwrap_or_default()),
                    "ARCHIVE" => Some(name),
                    "URL" => Some(table.download(&name)),
                    "STEM" => Some(target.stem()),
                    _ => None,
                }
            }),
        };
        found.unwrap_or_else(|| {
            unknown.get_or_insert_with(|| mark[0].to_owned());
            String::new()
        })
    });
    if let Some(mark) = unknown {
        bail!("{mark} is not known");
    }
    Ok(lacks.map_or_else(|| Ok(filled.into_owned()), Err))
}

fn word_of_table(word: &str, table: &Table, date: Date) -> Option<String> {
    Some(match word {
        "VERSION" => VERSION.to_owned(),
        "SUMMARY" => table.product.summary.clone(),
        "DESCRIPTION" => table.product.description.clone(),
        "LICENSE" => table.product.license.clone(),
        "REPOSITORY" => table.links.repository.clone(),
        "OWNER" => table.links.repository.rsplit('/').nth(1)?.to_owned(),
        "DOWNLOADS" => table.downloads(),
        "DATE" => date.rfc_3339().split('T').next()?.to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crd_analyzer_syntax::{
        read_json,
        split::{Document, read_document, split},
    };

    use super::*;
    use crate::release::{archives, input::tests::inputs};
    use crd_analyzer_conformance::peers;

    fn described(table: &Table) -> Vec<(String, String)> {
        let all = archives::pack(&inputs(table)).expect("archives");
        let described = describe(table, &all.iter().collect::<Vec<_>>(), &peers::root()).expect("manifests");
        let whole = described.into_iter().map(|it| match it {
            Described::Whole(name, text) => (name.display().to_string(), text),
            Described::Lacks(name, target) => panic!("{} lacks {target}", name.display()),
        });
        whole.collect()
    }

    #[test]
    fn each_manifest_is_filled_in_and_can_be_read() {
        let table = Table::read().expect("the table");
        let all = described(&table);
        assert!(all.len() >= 8, "{}", all.len());
        let digits = Regex::new(r"\b[0-9a-f]{64}\b").expect("a pattern");
        for (name, text) in &all {
            assert!(text.contains(VERSION), "{name}");
            let extension = name.rsplit('.').next().unwrap_or_default();
            if extension == "json" {
                serde_json::from_str::<serde_json::Value>(text).expect(name);
            } else if extension == "toml" {
                toml::from_str::<toml::Table>(text).expect(name);
            } else if extension == "yaml" {
                let text: Arc<str> = text.as_str().into();
                let documents = split(&text).documents;
                let read = |it: &Document| read_document(&text, *it, &[]).is_ok_and(|it| read_json(&it).is_ok());
                assert!(documents.len() == 1 && documents.iter().all(read), "{name}");
            }
        }
        let with_sums = all.iter().filter(|it| digits.is_match(&it.1)).count();
        assert!(with_sums >= 6, "{with_sums} manifests have checksums");
    }

    #[test]
    fn a_missing_archive_is_named() {
        let table = Table::read().expect("the table");
        let date = table.date().expect("a date");
        let fill = |text| fill(text, &table, date, &[]);
        assert_eq!(fill("@VERSION@").expect("known"), Ok(VERSION.to_owned()));
        let target = "x86_64-apple-darwin";
        assert_eq!(
            fill("@SHA256 x86_64-apple-darwin@").expect("known"),
            Err(target.to_owned())
        );
        assert!(fill("@NOTHING@").is_err() && fill("@SHA256 mips@").is_err());
    }
}
