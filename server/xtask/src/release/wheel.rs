//! Python wheels (PEP 427). The program is a script of the wheel, so that pip, pipx and uv install it on the `PATH`.

use std::fmt::Write as _;

use super::{
    archives::NOTICES,
    hash::sha256_of_wheel,
    input::{Artifact, Binary, Inputs},
    table::VERSION,
    tree::Tree,
    zip::zip,
};

pub(super) fn pack(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Artifact>> {
    inputs.binaries.iter().map(|it| wheel(inputs, it)).collect()
}

fn wheel(inputs: &Inputs<'_>, binary: &Binary<'_>) -> anyhow::Result<Artifact> {
    let name = &inputs.table.names.python;
    let stem = format!("{name}-{VERSION}");
    let mut tree = Tree::default();
    tree.program(
        format!("{stem}.data/scripts/{}", binary.target.program()),
        &*binary.bytes,
    );
    let information = format!("{stem}.dist-info");
    let mut licenses: Vec<(&str, &[u8])> = inputs.licenses.iter().map(|it| (&*it.0, &*it.1)).collect();
    licenses.push((NOTICES, inputs.notices.as_bytes()));
    for (license, text) in &licenses {
        tree.file(format!("{information}/licenses/{license}"), *text);
    }
    tree.file(format!("{information}/METADATA"), metadata(inputs, &licenses));
    let mut tags = "Wheel-Version: 1.0\nGenerator: crd-analyzer xtask\nRoot-Is-Purelib: false\n".to_owned();
    for platform in &binary.target.python {
        let _ = writeln!(tags, "Tag: py3-none-{platform}");
    }
    tree.file(format!("{information}/WHEEL"), tags);
    let record = format!("{information}/RECORD");
    let mut list = String::new();
    for (path, bytes) in tree.files() {
        let _ = writeln!(list, "{path},sha256={},{}", sha256_of_wheel(bytes), bytes.len());
    }
    let _ = writeln!(list, "{record},,");
    tree.file(record, list);
    Ok(Artifact {
        name: format!("{stem}-py3-none-{}.whl", binary.target.python.join(".")),
        bytes: zip(&tree, &[], inputs.date)?,
    })
}

fn metadata(inputs: &Inputs<'_>, licenses: &[(&str, &[u8])]) -> String {
    let (product, links) = (&inputs.table.product, &inputs.table.links);
    let mut text = format!(
        "Metadata-Version: 2.4\nName: {}\nVersion: {VERSION}\nSummary: {}\nKeywords: {}\nMaintainer-email: {}\nLicense-Expression: {}\n",
        product.name,
        product.summary,
        product.keywords.join(","),
        product.maintainer,
        product.license
    );
    for (license, _) in licenses {
        let _ = writeln!(text, "License-File: {license}");
    }
    for (name, address) in [
        ("Source", &links.repository),
        ("Documentation", &links.documentation),
        ("Issues", &links.issues),
    ] {
        let _ = writeln!(text, "Project-URL: {name}, {address}");
    }
    let _ = write!(
        text,
        "Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{}\n",
        product.description
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::{input::tests::inputs, table::Table};

    #[test]
    fn each_target_has_a_wheel_that_lists_its_files() {
        let table = Table::read().expect("the table");
        let all = pack(&inputs(&table)).expect("wheels");
        assert_eq!(all.len(), table.targets.len());
        let name = format!("crd_analyzer-{VERSION}-py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl");
        assert_eq!(all[0].name, name);
        let program = "import sys, zipfile, hashlib, base64\nz = zipfile.ZipFile(sys.argv[1])\n\
            record = [n for n in z.namelist() if n.endswith('/RECORD')][0]\n\
            rows = [l.split(',') for l in z.read(record).decode().splitlines()]\n\
            assert sorted(r[0] for r in rows) == sorted(z.namelist())\n\
            for path, hash, size in rows:\n  if path == record: continue\n  b = z.read(path)\n\
            \x20 want = base64.urlsafe_b64encode(hashlib.sha256(b).digest()).rstrip(b'=').decode()\n\
            \x20 assert (hash, size) == ('sha256=' + want, str(len(b))), path\nprint(len(rows))";
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(&all[0].name);
        std::fs::write(&path, &all[0].bytes).expect("it is written");
        let python = std::process::Command::new("python3")
            .args(["-c", program])
            .arg(&path)
            .output();
        let Ok(output) = python else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "6\n", "{said}");
    }
}
