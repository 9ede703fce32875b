//! Debian packages: an `ar` archive with the control files and the files to install (deb(5)).

use std::fmt::Write as _;

use super::{
    archives::NOTICES,
    date::Date,
    hash,
    input::{Artifact, Binary, Inputs},
    table::VERSION,
    tar::{gzip, tar_gz},
    tree::Tree,
};

pub(super) fn pack(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Artifact>> {
    let mut all = Vec::new();
    for binary in &inputs.binaries {
        if let Some(architecture) = &binary.target.debian {
            all.push(package(inputs, binary, architecture)?);
        }
    }
    Ok(all)
}

fn package(inputs: &Inputs<'_>, binary: &Binary<'_>, architecture: &str) -> anyhow::Result<Artifact> {
    let files = files(inputs, binary)?.with_folders();
    let mut control = Tree::default();
    control.file("control", self::control(inputs, &files, architecture));
    let sums = files.files().fold(String::new(), |mut sums, (path, bytes)| {
        let _ = writeln!(sums, "{}  {path}", hash::md5(bytes));
        sums
    });
    control.file("md5sums", sums);
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", tar_gz(&control, "./", inputs.date)?),
        ("data.tar.gz", tar_gz(&files, "./", inputs.date)?),
    ];
    Ok(Artifact {
        name: format!("crd-analyzer_{VERSION}_{architecture}.deb"),
        bytes: ar(&members, inputs.date),
    })
}

/// A Unix `ar` archive in the variant that `deb` uses.
fn ar(members: &[(&str, Vec<u8>)], date: Date) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let (seconds, length) = (date.seconds(), bytes.len());
        out.extend(format!("{name:<16}{seconds:<12}{:<6}{:<6}{:<8}{length:<10}`\n", 0, 0, "100644").as_bytes());
        out.extend(bytes);
        if bytes.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}

fn control(inputs: &Inputs<'_>, files: &Tree, architecture: &str) -> String {
    let product = &inputs.table.product;
    let size = files
        .files()
        .map(|(_, bytes)| bytes.len().div_ceil(1024))
        .sum::<usize>()
        + files.entries().count();
    let mut text = format!(
        "Package: {}\nVersion: {VERSION}\nArchitecture: {architecture}\nMaintainer: {}\nInstalled-Size: {size}\nSuggests: git\n\
         Section: devel\nPriority: optional\nHomepage: {}\nDescription: {}\n",
        product.name, product.maintainer, inputs.table.links.repository, product.summary
    );
    for line in filled(&product.description, 78) {
        let _ = writeln!(text, " {line}");
    }
    text
}

/// The words of a text, wrapped to lines of at most `width` characters.
fn filled(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let is_full = lines
            .last()
            .is_some_and(|it| !it.is_empty() && it.len() + 1 + word.len() > width);
        if is_full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

fn files(inputs: &Inputs<'_>, binary: &Binary<'_>) -> anyhow::Result<Tree> {
    let product = &inputs.table.product;
    let mut tree = Tree::default();
    tree.program("usr/bin/crd-analyzer", &*binary.bytes);
    for (name, page) in &inputs.documents.pages {
        tree.file(format!("usr/share/man/man1/{name}.gz"), gzip(page)?);
    }
    for (shell, script) in &inputs.documents.completions {
        let path = match *shell {
            "bash" => "usr/share/bash-completion/completions/crd-analyzer",
            "fish" => "usr/share/fish/vendor_completions.d/crd-analyzer.fish",
            "zsh" => "usr/share/zsh/vendor-completions/_crd-analyzer",
            _ => continue,
        };
        tree.file(path, &**script);
    }
    let documents = format!("usr/share/doc/{}", product.name);
    let change = format!(
        "{} ({VERSION}) stable; urgency=medium\n\n  * See {}/blob/v{VERSION}/CHANGELOG.md\n\n -- {}  {}\n",
        product.name,
        inputs.table.links.repository,
        product.maintainer,
        inputs.date.rfc_2822()
    );
    tree.file(format!("{documents}/changelog.gz"), gzip(change.as_bytes())?);
    tree.file(format!("{documents}/copyright"), copyright(inputs));
    tree.file(format!("{documents}/{NOTICES}.gz"), gzip(inputs.notices.as_bytes())?);
    tree.file(
        format!("usr/share/lintian/overrides/{}", product.name),
        overrides(&product.name),
    );
    Ok(tree)
}

/// Overrides for lintian. The program is statically linked to run on every distribution, and is not built by Debian. lintian detects libyaml,
/// because the program contains a Rust translation of it.
fn overrides(name: &str) -> String {
    let of_program = [
        "statically-linked-binary",
        "shared-library-lacks-prerequisites",
        "embedded-library libyaml",
    ];
    let mut text = format!("{name}: initial-upload-closes-no-bugs [*]\n");
    for tag in of_program {
        let _ = writeln!(text, "{name}: {tag} [usr/bin/{name}]");
    }
    text
}

/// The copyright file in Debian's machine-readable format.
fn copyright(inputs: &Inputs<'_>) -> String {
    let product = &inputs.table.product;
    let mut text = format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: {}\nSource: {}\n\n\
         Files: *\nCopyright: 2026 {}\nLicense: Apache-2.0 or Expat\nComment: {NOTICES}.gz has the licences of the libraries in the program.\n\n\
         License: Apache-2.0\n On Debian systems, the text of the licence is in /usr/share/common-licenses/Apache-2.0.\n\nLicense: Expat\n",
        product.name, inputs.table.links.repository, product.maintainer
    );
    let mit = inputs.licenses.iter().find(|it| it.0.ends_with("MIT"));
    let mit = String::from_utf8_lossy(mit.map_or(&[], |it| &it.1));
    // The title and the copyright line are already in the fields above.
    for line in mit.lines().skip_while(|it| !it.starts_with("Permission")) {
        let _ = writeln!(text, " {}", if line.is_empty() { "." } else { line });
    }
    text
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::release::{input::tests::inputs, table::Table};

    #[test]
    fn dpkg_reads_it() {
        let table = Table::read().expect("the table");
        let all = pack(&inputs(&table)).expect("packages");
        assert_eq!(all.len(), 2);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(&all[0].name);
        std::fs::write(&path, &all[0].bytes).expect("it is written");
        let ask = |option: &str| {
            let output = Command::new("dpkg-deb").arg(option).arg(&path).output().ok()?;
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(String::from_utf8(output.stdout).expect("UTF-8"))
        };
        let (Some(fields), Some(contents)) = (ask("--field"), ask("--contents")) else {
            return;
        };
        assert!(fields.contains("Architecture: amd64\n"), "{fields}");
        assert!(contents.contains("-rwxr-xr-x root/root"), "{contents}");
        assert!(contents.contains(" ./usr/bin/crd-analyzer\n"), "{contents}");
        assert!(
            contents.contains(" ./usr/share/man/man1/crd-analyzer.1.gz\n"),
            "{contents}"
        );
    }

    #[test]
    fn lines_are_filled() {
        assert_eq!(filled("one two  three", 7), ["one two", "three"]);
        assert_eq!(filled("longer than", 3), ["longer", "than"]);
    }
}
