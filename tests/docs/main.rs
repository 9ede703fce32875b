//! Runs every command in the README and the pages of `docs/`, and compares the output with the output on the page.
//!
//! A fenced `console` block contains commands after `$ `, each followed by its output. Commands run in a copy of the repository's examples, together
//! with the files that the page tells the reader to save. `UPDATE_DOCS=1` writes the real output into the pages. Commands that must not run in a test
//! (because they install programs or need a network) are in `sh` blocks.
#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::expect_used, reason = "a test says what it expected")]

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

use regex::Regex;

/// The elapsed time, which differs in each run: `in 12 ms`.
static DURATION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"in [0-9.]+ (ms|s)\b").expect("a valid pattern"));

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All pages for users: the README, `docs/`, and the pages of the editors.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    let mut folders = vec![root().join("docs"), root().join("editors")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let is_ours = !path.ends_with("node_modules") && !path.ends_with("out");
            if path.is_dir() && is_ours {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// A folder for the commands of one page: the examples, committed to a git repository.
fn sandbox() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let examples = folder.path().join("examples");
    fs::create_dir(&examples).expect("a new folder");
    for entry in fs::read_dir(root().join("examples")).expect("the examples") {
        let path = entry.expect("an example").path();
        fs::copy(&path, examples.join(path.file_name().expect("a name"))).expect("a copy");
    }
    folder
}

/// The output of a command, with both streams in order, as a user sees it.
fn run(command: &str, folder: &Path) -> String {
    // The page builds the program with cargo, but in this test the program is already built.
    let command = command.replace("cargo run --", "crd-analyzer");
    let program = Path::new(env!("CARGO_BIN_EXE_crd-analyzer"));
    let path = format!(
        "{}:{}",
        program.parent().expect("a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .env_remove("GITHUB_ACTIONS")
        .stdin(Stdio::null())
        .output()
        .expect("sh runs");
    let status = output.status.code();
    assert!(
        status.is_some_and(|it| it < 2),
        "`{command}` ends with {status:?}: {}",
        String::from_utf8_lossy(&output.stdout)
    );
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

/// The output without parts that differ between runs.
fn steady(output: &str) -> String {
    let lines = output.lines().map(str::trim_end);
    let text = lines.collect::<Vec<_>>().join("\n");
    DURATION.replace_all(text.trim_end(), "in N ms").into_owned()
}

/// The commands of a block, each with its output.
fn commands(block: &str) -> Vec<(&str, String)> {
    let mut commands: Vec<(&str, String)> = Vec::new();
    for line in block.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            commands.push((command, String::new()));
        } else if let Some((_, output)) = commands.last_mut() {
            output.push_str(line);
            output.push('\n');
        } else {
            assert!(line.is_empty(), "output before the first command: {line}");
        }
    }
    commands
}

/// The files that a page tells its reader to save: the text "Save this as `FILE`:", followed by a block with the content.
fn saved(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.split("Save this as `").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once("`:\n\n```")?;
        let (_, rest) = rest.split_once('\n')?;
        Some((name, rest.split_once("```\n")?.0))
    })
}

/// The page with the real output of its commands, and the number of commands. If only a duration differs, the output on the page is kept.
fn with_output(page: &str) -> (String, usize) {
    let folder = sandbox();
    for (name, content) in saved(page) {
        fs::write(folder.path().join(name), content).expect("the file can be written");
    }
    let (mut fresh, mut count) = (String::new(), 0);
    let mut rest = page;
    while let Some(at) = rest.find("```console\n") {
        let begin = at + "```console\n".len();
        let length = rest[begin..].find("```\n").expect("the block ends");
        fresh.push_str(&rest[..begin]);
        for (command, output) in commands(&rest[begin..begin + length]) {
            count += 1;
            let real = run(command, folder.path());
            let shown = if steady(&real) == steady(&output) {
                output.trim_end().to_owned()
            } else {
                real.lines()
                    .map(str::trim_end)
                    .collect::<Vec<_>>()
                    .join("\n")
                    .trim_end()
                    .to_owned()
            };
            writeln!(fresh, "$ {command}").expect("a string takes all");
            if !shown.is_empty() {
                writeln!(fresh, "{shown}").expect("a string takes all");
            }
        }
        rest = &rest[begin + length..];
    }
    fresh.push_str(rest);
    (fresh, count)
}

#[test]
fn every_command_prints_what_the_page_says() {
    let update = std::env::var_os("UPDATE_DOCS").is_some();
    let mut count = 0;
    let mut stale = String::new();
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        let (fresh, commands) = with_output(&page);
        count += commands;
        if fresh == page {
            continue;
        }
        if update {
            fs::write(&path, &fresh).expect("the page can be written");
            continue;
        }
        let differs = page
            .lines()
            .zip(fresh.lines())
            .enumerate()
            .find(|(_, (old, new))| old != new);
        let (line, (old, new)) = differs.unwrap_or((0, ("the end of the page", "more output")));
        let name = path.strip_prefix(root()).expect("below the root").display();
        writeln!(stale, "{name}:{}\n  page:   {old}\n  output: {new}", line + 1).expect("a string takes all");
    }
    assert!(stale.is_empty(), "run `UPDATE_DOCS=1 cargo test --test docs`:\n{stale}");
    assert!(count >= 8, "only {count} commands on all pages");
}

/// The targets of a page's links and pictures.
fn links(page: &str) -> impl Iterator<Item = &str> {
    page.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

#[test]
fn every_link_leads_to_a_file() {
    let mut count = 0;
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        for link in links(&page).filter(|it| !it.contains("://") && !it.starts_with('#')) {
            let file = link.split('#').next().unwrap_or_default();
            let target = path.parent().expect("a folder").join(file);
            assert!(target.exists(), "{} links to {link}", path.display());
            count += 1;
        }
    }
    assert!(count > 20, "only {count} links");
}

#[test]
fn the_book_lists_every_page() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("the summary");
    let listed: BTreeSet<PathBuf> = links(&summary).map(|it| docs.join(it)).collect();
    let all: BTreeSet<PathBuf> = pages()
        .into_iter()
        .filter(|it| it.starts_with(&docs) && !it.ends_with("SUMMARY.md"))
        .collect();
    assert_eq!(listed, all);
}
