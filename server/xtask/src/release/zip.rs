//! Writes reproducible zip archives: the bytes only depend on the tree and the date.

use std::io::Write as _;

use flate2::{Compression, Crc, write::DeflateEncoder};

use super::{date::Date, tree::Tree};

const DEFLATED: u16 = 8;
/// The zip version needed to extract the archive, 2.0.
const NEEDED: u16 = 20;
/// The creator of the archive: Unix, so that the upper half of the attributes is the file mode.
const MADE_BY: u16 = 3 << 8 | NEEDED;

/// The bytes of an archive with the files of the tree. The paths in `first` are written first, in this order.
pub(super) fn zip(tree: &Tree, first: &[&str], date: Date) -> anyhow::Result<Vec<u8>> {
    let mut all: Vec<_> = tree.entries().collect();
    all.sort_by_key(|(path, _)| first.iter().position(|it| it == path).unwrap_or(first.len()));
    let (mut out, mut directory, mut count) = (Vec::new(), Vec::new(), 0_u16);
    for (path, entry) in all {
        let Some(bytes) = &entry.bytes else { continue };
        let mut crc = Crc::new();
        crc.update(bytes);
        let mut deflater = DeflateEncoder::new(Vec::new(), Compression::best());
        deflater.write_all(bytes)?;
        let deflated = deflater.finish()?;
        // The fields that the local header and the central directory share.
        let mut common = Vec::new();
        for number in [NEEDED, 1 << 11, DEFLATED, 0, date.dos()] {
            common.extend(number.to_le_bytes());
        }
        for number in [crc.sum(), u32::try_from(deflated.len())?, u32::try_from(bytes.len())?] {
            common.extend(number.to_le_bytes());
        }
        common.extend(u16::try_from(path.len())?.to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        directory.extend(b"PK\x01\x02");
        directory.extend(MADE_BY.to_le_bytes());
        directory.extend(&common);
        directory.extend([0; 6]);
        directory.extend(((0o100_000 | entry.mode) << 16).to_le_bytes());
        directory.extend(u32::try_from(out.len())?.to_le_bytes());
        directory.extend(path.as_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(common);
        out.extend(path.as_bytes());
        out.extend(deflated);
        count += 1;
    }
    let begin = u32::try_from(out.len())?;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(u32::try_from(directory.len())?.to_le_bytes());
    out.extend(begin.to_le_bytes());
    out.extend([0; 2]);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn python_reads_it() {
        let mut tree = Tree::default();
        tree.program("bin/run", "#!/bin/sh\n".repeat(500));
        tree.file("a/é.txt", "text");
        tree.file("z", "last");
        let date = Date::parse("2026-11-25").expect("a date");
        let bytes = zip(&tree, &["z"], date).expect("an archive");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.zip");
        std::fs::write(&path, bytes).expect("it is written");
        let program = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n\
                       for i in z.infolist(): print(i.filename, oct(i.external_attr >> 16), i.file_size, i.date_time[:3])";
        let Ok(output) = Command::new("python3").args(["-c", program]).arg(&path).output() else {
            return;
        };
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "z 0o100644 4 (2026, 11, 25)\na/é.txt 0o100644 4 (2026, 11, 25)\nbin/run 0o100755 5000 (2026, 11, 25)\n",
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
