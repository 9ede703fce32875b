//! Writes reproducible tar archives (POSIX ustar): the bytes only depend on the tree and the date. The owner is root, without user names.

use std::io::Write as _;

use anyhow::{Context as _, bail};
use flate2::{Compression, GzBuilder};

use super::{date::Date, tree::Tree};

const BLOCK: usize = 512;

/// The bytes of an archive. `prefix` is prepended to each path, such as `./`.
pub(super) fn tar(tree: &Tree, prefix: &str, date: Date) -> anyhow::Result<Vec<u8>> {
    let mut out = Vec::new();
    for (path, entry) in tree.entries() {
        let bytes = entry.bytes.as_deref();
        let path = format!("{prefix}{path}{}", if bytes.is_none() { "/" } else { "" });
        out.extend(header(&path, entry.mode, bytes, date).with_context(|| path.clone())?);
        let bytes = bytes.unwrap_or_default();
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(BLOCK), 0);
    }
    out.resize(out.len() + 2 * BLOCK, 0);
    Ok(out)
}

/// A tar archive, compressed with gzip.
pub(super) fn tar_gz(tree: &Tree, prefix: &str, date: Date) -> anyhow::Result<Vec<u8>> {
    gzip(&tar(tree, prefix, date)?)
}

/// Compresses bytes, without a file name and a time in the header.
pub(super) fn gzip(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let builder = GzBuilder::new().mtime(0).operating_system(255);
    let mut writer = builder.write(Vec::new(), Compression::best());
    writer.write_all(bytes)?;
    Ok(writer.finish()?)
}

fn header(path: &str, mode: u32, bytes: Option<&[u8]>, date: Date) -> anyhow::Result<[u8; BLOCK]> {
    let mut block = [0; BLOCK];
    let (prefix, name) = split(path)?;
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    put(100, octal(u64::from(mode), 7).as_bytes());
    put(108, octal(0, 7).as_bytes());
    put(116, octal(0, 7).as_bytes());
    put(124, octal(bytes.map_or(0, <[u8]>::len) as u64, 11).as_bytes());
    put(136, octal(date.seconds(), 11).as_bytes());
    put(148, b"        ");
    put(156, if bytes.is_some() { b"0" } else { b"5" });
    put(257, b"ustar\x0000");
    put(265, b"root");
    put(297, b"root");
    put(345, prefix.as_bytes());
    let sum: u64 = block.iter().map(|it| u64::from(*it)).sum();
    let sum = format!("{}\0 ", octal(sum, 6));
    block[148..148 + sum.len()].copy_from_slice(sum.as_bytes());
    Ok(block)
}

fn octal(number: u64, digits: usize) -> String {
    format!("{number:0digits$o}")
}

/// Splits a long path into a name of at most 100 bytes and the folders before it.
fn split(path: &str) -> anyhow::Result<(&str, &str)> {
    if path.len() <= 100 {
        return Ok(("", path));
    }
    let slashes = path.trim_end_matches('/').match_indices('/');
    let mut halves = slashes.map(|(at, _)| (&path[..at], &path[at + 1..]));
    match halves.rfind(|it| it.0.len() <= 155 && it.1.len() <= 100) {
        Some(halves) => Ok(halves),
        None => bail!("the path is too long for a tar archive"),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn tar_reads_it() {
        let long = format!("{}/{}.txt", "folder".repeat(12), "name".repeat(20));
        let mut tree = Tree::default();
        tree.program("bin/run", "#!/bin/sh\n");
        tree.file(&*long, vec![7; 1000]);
        let tree = tree.with_folders();
        let date = Date::parse("2026-11-25").expect("a date");
        let bytes = tar_gz(&tree, "./", date).expect("an archive");
        assert_eq!(bytes, tar_gz(&tree, "./", date).expect("an archive"));
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.tar.gz");
        std::fs::write(&path, bytes).expect("it is written");
        let listed = Command::new("tar")
            .args(["--utc", "-tvzf"])
            .arg(&path)
            .output()
            .expect("tar runs");
        let listed = String::from_utf8(listed.stdout).expect("UTF-8");
        let expected = format!("-rw-r--r-- root/root      1000 2026-11-25 00:00 ./{long}");
        assert!(listed.lines().any(|it| it == expected), "{listed}");
        assert!(listed.starts_with("drwxr-xr-x root/root "), "{listed}");
        assert!(listed.contains("-rwxr-xr-x root/root        10 "), "{listed}");
    }
}
