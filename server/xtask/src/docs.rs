//! Generates documents.

mod agents;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use crd_analyzer_fixtures::CRATES;
use crd_analyzer_workspace::{codes, config::settings::LEVELS};
use serde_json::json;

/// Write the documents that are generated from other files.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail if a document is stale.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let index = crates.join("workspace/codes/README.md");
    let package = crates.join("../editors/vscode/package.json");
    let written = std::fs::read_to_string(&package).context("reading the settings of VS Code")?;
    let fresh = [
        (
            index,
            crd_analyzer_fixtures::codes_index(&crates).context("reading the rule pages")?,
        ),
        (
            package,
            with_codes(&written).context("the settings of VS Code have no codes")?,
        ),
    ];
    let mut fresh = fresh.to_vec();
    fresh.push(errors(&crates)?);
    fresh.extend(heads(&crates)?);
    fresh.extend(agents::files()?);
    let mut is_fresh = true;
    for (path, fresh) in fresh {
        if std::fs::read_to_string(&path).is_ok_and(|text| text == fresh) {
            continue;
        }
        is_fresh = false;
        if let (false, Some(folder)) = (args.check, path.parent()) {
            std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        }
        if args.check {
            println!("{} is stale: run `cargo xtask docs`", path.display());
        } else {
            std::fs::write(&path, fresh).with_context(|| format!("writing {}", path.display()))?;
        }
    }
    Ok(is_fresh || !args.check)
}

/// The rows of the page of errors. They are copied into the crate that looks up codes by these rows, because a published package only contains its
/// own files.
fn errors(crates: &Path) -> anyhow::Result<(PathBuf, String)> {
    let page = std::fs::read_to_string(crates.join("../docs/rejected.md")).context("reading the page of errors")?;
    let rows: Vec<&str> = page.lines().filter(|it| it.starts_with("| `")).collect();
    Ok((crates.join("workspace/src/codes/errors.txt"), rows.join("\n") + "\n"))
}

/// The pages of all codes, with their generated headers.
fn heads(crates: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut pages = Vec::new();
    for code in codes::all() {
        let (folder, path) = page(crates, code.name).with_context(|| format!("{} has no page", code.name))?;
        let written = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let link = |other: &str| {
            let (of_other, _) = page(crates, other)?;
            Some(if of_other == folder {
                format!("{other}.md")
            } else {
                format!("../../{of_other}/codes/{other}.md")
            })
        };
        let fresh = code.with_head(&written, &link);
        pages.push((path, fresh.with_context(|| format!("{} has no facts", code.name))?));
    }
    Ok(pages)
}

/// The crate of a code, and its page.
fn page(crates: &Path, code: &str) -> Option<(&'static str, PathBuf)> {
    CRATES.into_iter().find_map(|folder| {
        let path = crates.join(folder).join("codes").join(format!("{code}.md"));
        path.is_file().then_some((folder, path))
    })
}

/// VS Code's `package.json` with all codes in `crd-analyzer.rules`.
fn with_codes(package: &str) -> Option<String> {
    let setting = package.find("\"crd-analyzer.rules\": {")?;
    let start = setting + package[setting..].find("\"properties\": {\n")? + "\"properties\": {\n".len();
    let end = start + package[start..].find("\n            },")?;
    let levels: Vec<_> = LEVELS.iter().map(|it| format!("\"{}\"", it.0)).collect();
    let line = |code: &codes::Code| {
        format!(
            "              \"{}\": {{ \"enum\": [{}], \"markdownDescription\": {} }}",
            code.name,
            levels.join(", "),
            json!(code.summary)
        )
    };
    let lines: Vec<_> = codes::all().iter().map(line).collect();
    Some([&package[..start], &lines.join(",\n"), &package[end..]].concat())
}

#[cfg(test)]
mod tests {
    use crd_analyzer_workspace::config::settings::SETTINGS;
    use serde_json::Value;

    use super::*;

    const PACKAGE: &str = include_str!("../../../editors/vscode/package.json");

    #[test]
    fn pages_have_the_heads_of_the_declarations() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for (path, fresh) in heads(&crates).expect("pages") {
            let written = std::fs::read_to_string(&path).expect("a page");
            assert_eq!(written, fresh, "{}: run `cargo xtask docs`", path.display());
        }
    }

    #[test]
    fn coding_agents_know_what_is_declared() {
        for (path, fresh) in agents::files().expect("texts") {
            let written = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(written == fresh, "{}: run `cargo xtask docs`", path.display());
        }
    }

    #[test]
    fn vs_code_knows_all_codes() {
        assert_eq!(with_codes(PACKAGE).as_deref(), Some(PACKAGE), "run `cargo xtask docs`");
    }

    #[test]
    fn vs_code_knows_all_settings() {
        let package: Value = serde_json::from_str(PACKAGE).expect("JSON");
        let categories = package["contributes"]["configuration"].as_array().expect("categories");
        for setting in SETTINGS {
            let name = format!("crd-analyzer.{}", setting.name);
            let settings = categories.iter().map(|it| &it["properties"][&name]);
            // Settings without an order are sorted alphabetically.
            assert!(
                settings.filter(|it| it["order"].is_u64()).count() == 1,
                "add {name} with an `order` to `contributes.configuration` in editors/vscode/package.json"
            );
        }
    }

    #[test]
    fn the_documentation_lists_all_settings() {
        let page = include_str!("../../../docs/configuration.md");
        for setting in SETTINGS {
            let row = format!("| `{}` |", setting.name);
            assert!(page.contains(&row), "add {row} to docs/configuration.md");
        }
    }
}
