//! Runs every read-only subcommand in every format.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use anyhow::Context as _;

use super::Answers;

/// Commands for a whole folder.
const OF_FOLDERS: &[&[&str]] = &[
    &["check", "."],
    &["check", ".", "-o", "jsonl"],
    &["check", ".", "-o", "jsonl", "--select", "all"],
    &["check", ".", "-o", "jsonl", "--kubernetes-version", "1.30"],
    &["check", ".", "-o", "concise"],
    &["check", ".", "-o", "json"],
    &["check", ".", "-o", "github"],
    &["check", ".", "-o", "sarif"],
    &["check", ".", "-o", "junit"],
    &["check", ".", "-o", "tap"],
    &["check", ".", "--statistics"],
    &["cost", "."],
    &["cost", ".", "-o", "jsonl"],
    &["cost", ".", "--top", "20"],
    &["schema", ".", "-o", "jsonl"],
    &["schema", ".", "--format", "json-schema", "-o", "jsonl"],
    &["schema", ".", "--format", "json-schema", "--strict", "-o", "jsonl"],
    &["schema", ".", "--format", "openapi-v2", "-o", "jsonl"],
    &["schema", ".", "--format", "kustomize"],
    &["docs", "."],
    &["docs", ".", "--format", "html"],
    &["compat", ".", "."],
    &["test", "."],
    &["test", ".", "-o", "jsonl", "--verbose"],
];

/// Commands for a file. The name of the file follows.
const OF_FILES: &[&[&str]] = &[
    &["check", "-o", "jsonl"],
    &["check"],
    &["cost", "-o", "jsonl"],
    &["schema", "-o", "jsonl"],
    &["docs"],
    &["storage"],
    &["compat", "-o", "jsonl", "--old-version", "v1", "--new-version", "v1"],
    &["convert", "--round-trips", "20", "--crd"],
    &["eval", "--value", "{}", "--crd"],
];

pub(super) fn ask(binary: &Path, folder: &Path, sample: &[String], answers: &mut Answers) -> anyhow::Result<()> {
    for question in OF_FOLDERS {
        let question: Vec<String> = question.iter().map(|it| (*it).to_owned()).collect();
        put(binary, folder, &question, answers)?;
    }
    for (file, question) in sample.iter().flat_map(|file| OF_FILES.iter().map(move |it| (file, it))) {
        let words = question.iter().map(|it| (*it).to_owned());
        let question: Vec<String> = words.chain([file.clone()]).collect();
        put(binary, folder, &question, answers)?;
    }
    Ok(())
}

fn put(binary: &Path, folder: &Path, question: &[String], answers: &mut Answers) -> anyhow::Result<()> {
    let output = Command::new(binary)
        .args(question)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("COLUMNS", "120")
        .output()
        .with_context(|| format!("cannot run {}", binary.display()))?;
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it).into_owned());
    let [stdout, stderr] = [stdout, stderr].map(|it| without_time(&it));
    let answer = format!("{stdout}\n{stderr}\n{}\n", output.status);
    answers.insert(format!("crd-analyzer {}", question.join(" ")), answer);
    Ok(())
}

/// An answer without the elapsed time (`in 12 ms`) at the end of a line.
fn without_time(text: &str) -> String {
    let line = |line: &str| {
        let Some((before, time)) = line.rsplit_once(" in ") else {
            return format!("{line}\n");
        };
        let number = time.trim_end_matches(" ms").trim_end_matches(" s");
        let is_time = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit() || it == b'.');
        format!("{}\n", if is_time { before } else { line })
    };
    text.lines().map(line).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_are_left_out() {
        assert_eq!(
            without_time("1 file, 0 hints in 12 ms\nan error in a file\n2 files in 1.5 s\nin 3 documents"),
            "1 file, 0 hints\nan error in a file\n2 files\nin 3 documents\n"
        );
    }
}
