//! Tests with typical and with malicious archives.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};

use super::*;

/// The size of a block of a tar archive, in bytes.
const BLOCK: usize = 512;

/// A header with this type, size and name, and a correct checksum.
fn header(kind: u8, name: &[u8], size: &[u8]) -> Vec<u8> {
    let mut block = vec![0; BLOCK];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, &name[..name.len().min(100)]);
    put(124, size);
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    let sum: u64 = block.iter().map(|it| u64::from(*it)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

fn entry(kind: u8, name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut all = header(kind, name.as_bytes(), format!("{:011o}", bytes.len()).as_bytes());
    all.extend(bytes);
    all.resize(all.len().next_multiple_of(BLOCK), 0);
    all
}

fn file(name: &str, text: &str) -> Vec<u8> {
    entry(b'0', name, text.as_bytes())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), Compression::fast());
    to.write_all(bytes).expect("memory");
    to.finish().expect("memory")
}

fn tgz(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut all = entries.concat();
    all.resize(all.len() + 2 * BLOCK, 0);
    gzip(&all)
}

fn read(archive: &[u8]) -> Result<Unpacked, Refused> {
    unpack(archive, &mut Room::default(), &|it| !it.contains(".txt"))
}

#[track_caller]
fn check(archive: &[u8], expected: Result<&[(&str, &str)], &str>) {
    match (read(archive), expected) {
        (Ok(found), Ok(expected)) => {
            let found: Vec<_> = found
                .files
                .iter()
                .map(|(path, it)| (&**path, std::str::from_utf8(it).expect("text")))
                .collect();
            assert_eq!(found, expected);
        }
        (Err(why), Err(words)) => assert!(why.to_string().contains(words), "{why}"),
        (found, _) => panic!("{found:?}"),
    }
}

#[test]
fn wanted_files_are_read() {
    let pax = |record: &str| {
        let length = record.len() + 5;
        entry(b'x', "pax", format!("{length} {record}\n").as_bytes())
    };
    let long = format!("{}/x.yaml", "a".repeat(300));
    let path = format!("path={long}");
    let archive = tgz(&[
        entry(
            b'g',
            "pax_global_header",
            b"52 comment=0123456789012345678901234567890123456789\n",
        ),
        entry(b'5', "a/", b""),
        file("./a/b.yaml", "b"),
        file("a/c.txt", &"c".repeat(1000)),
        pax(&path),
        file("cut.yaml", "d"),
        entry(b'L', "long", format!("{long}2.yaml\0").as_bytes()),
        file("cut.txt", "e"),
        entry(b'2', "a/link.yaml", b""),
        entry(b'1', "a/hard.yaml", b""),
    ]);
    let other = format!("{long}2.yaml");
    check(&archive, Ok(&[("a/b.yaml", "b"), (&long, "d"), (&other, "e")]));
    assert_eq!(read(&archive).expect("files").links, 2);
    // Some tools write archives without an end marker.
    check(&gzip(&file("a.yaml", "x")), Ok(&[("a.yaml", "x")]));
}

#[test]
fn what_no_chart_has_is_refused() {
    for name in [
        "../a.yaml",
        "a/../../b.yaml",
        "/etc/passwd",
        "a/..",
        "C:\\a.yaml",
        "c:/a.yaml",
        "a\\..\\b.yaml",
    ] {
        check(&tgz(&[file(name, "")]), Err("files of archives lie below"));
    }
    check(
        &tgz(&[entry(b'x', "p", b"15 path=../a.b\n"), file("a.yaml", "")]),
        Err("lie below"),
    );
    check(
        &tgz(&[entry(b'x', "p", b"14 path=a\0b.c\n"), file("a.yaml", "")]),
        Err("lie below"),
    );
    check(&tgz(&[entry(b'L', "p", b"/x\0"), file("a.yaml", "")]), Err("lie below"));
    check(
        &tgz(&[file(&"a/".repeat(10), ""), file("a.yaml", ""), file("./a.yaml", "")]),
        Err("it has two files"),
    );
    for (kind, what) in [
        (b'3', "a device"),
        (b'4', "a device"),
        (b'6', "a FIFO"),
        (b'S', "holes"),
        (b'z', "unknown kind"),
    ] {
        check(&tgz(&[entry(kind, "a.yaml", b"")]), Err(what));
    }
    let huge = format!("path={}", "x".repeat(5000));
    let record = format!("{} {huge}\n", huge.len() + 6);
    check(
        &tgz(&[entry(b'x', "p", record.as_bytes()), file("a.yaml", "")]),
        Err("lie below"),
    );
    check(&tgz(&[entry(b'x', "p", &vec![b'1'; 100_000])]), Err("too long"));
    for record in [
        "9",
        "x path=a\n",
        "99 path=a\n",
        "8 path=a",
        "11 path a\n",
        "-1 path=a\n",
        "0 a=b\n",
    ] {
        check(
            &tgz(&[entry(b'x', "p", record.as_bytes()), file("a.yaml", "")]),
            Err("cannot be read"),
        );
    }
    check(
        &tgz(&[entry(b'x', "p", b"22 GNU.sparse.major=1\n"), file("a.yaml", "")]),
        Err("holes"),
    );
}

#[test]
fn what_is_no_archive_is_refused() {
    let good = tgz(&[file("a.yaml", &"x".repeat(5000)), file("b.yaml", "y")]);
    for cut in [2, 10, good.len() / 2, good.len() - 9, good.len() - 1] {
        check(&good[..cut], Err(""));
    }
    check(b"", Err(""));
    check(&gzip(b""), Err("it is empty"));
    check(&gzip(b"kind: Widget\n"), Err("it is cut"));
    check(&gzip(&[b'x'; BLOCK]), Err("a header is wrong"));
    // Text from the archive is escaped in messages.
    check(&gzip(&[0x1B; BLOCK]), Err("\\u{1b}"));
    check(&gzip(&header(b'0', b"a.yaml", b"00000001000")), Err("in the middle"));
    for size in [b"zzzzzzzzzzz", b"99999999999", b"-0000000001"] {
        check(&gzip(&header(b'0', b"a.yaml", size)), Err("a header is wrong"));
    }
    // Change a random byte. Reading must not panic.
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..2000 {
        let mut broken = good.clone();
        let at = random.usize(..broken.len());
        broken[at] = random.u8(..);
        let _ = read(&broken);
    }
    let raw: Vec<u8> = [file("a.yaml", "x"), entry(b'x', "p", b"9 path=a\n"), file("b", "y")].concat();
    for _ in 0..5000 {
        let mut broken = raw.clone();
        let at = random.usize(..broken.len());
        broken[at] = random.u8(..);
        let _ = read(&gzip(&broken));
    }
}

#[test]
fn bombs_end_at_a_bound() {
    // The header declares a size that is larger than the memory.
    for size in [&b"\x80\0\0\0\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"[..], b"77777777777"] {
        check(&gzip(&header(b'0', b"a.yaml", size)), Err("more than"));
        check(&gzip(&header(b'0', b"a.txt", size)), Err("more than"));
    }
    check(
        &gzip(&header(b'0', b"a.txt", b"\x80\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF")),
        Err("overflow"),
    );
    let mut room = Room {
        bytes: 10_000,
        wanted: 3_000,
        entries: 5,
    };
    let many: Vec<_> = (0..6).map(|n| file(&format!("{n}.txt"), "")).collect();
    assert!(matches!(
        unpack(&tgz(&many), &mut room, &|_| true),
        Err(Refused::TooLarge(_))
    ));
    let mut room = Room {
        bytes: 10_000,
        ..Room::default()
    };
    let after = [file("a.yaml", "x"), vec![0; 1 << 20]].concat();
    assert!(matches!(
        unpack(&gzip(&after), &mut room, &|_| true),
        Err(Refused::TooLarge(_))
    ));
    let mut room = Room {
        wanted: 10,
        ..Room::default()
    };
    let both = [file("a.yaml", "123456"), file("b.yaml", "123456")];
    assert!(matches!(
        unpack(&tgz(&both), &mut room, &|_| true),
        Err(Refused::TooLarge(_))
    ));
    assert!(unpack(&tgz(&both), &mut Room::default(), &|it| it == "a.yaml").is_ok());
}
