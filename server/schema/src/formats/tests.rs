//! One accepted and one rejected value for each format, and the formats that each Kubernetes version supports. Other values
//! are compared with the API server's code.

use super::*;

#[track_caller]
fn check(format: &str, accepted: &[&str], refused: &[&str]) {
    for (values, expected) in [(accepted, true), (refused, false)] {
        for value in values {
            assert_eq!(
                validates(format, value, KubernetesVersion::NEWEST),
                Some(expected),
                "{format}: {value:?}"
            );
        }
    }
}

#[test]
fn formats_are_sorted_by_name() {
    assert!(FORMATS.is_sorted_by(|a, b| a.name < b.name));
}

#[test]
fn values_are_judged_as_the_server_does() {
    check(
        "date-time",
        &["2024-02-29T10:00:00Z", "2024-01-01t23:59:59+99:99"],
        &["2023-02-29T10:00:00Z", "2024-01-01"],
    );
    check("date", &["0000-02-29"], &["2024-2-9", "2024-13-01"]);
    check(
        "duration",
        &["1h30m", "22 ns", "3 weeks", "1.h"],
        &["", "h", "1 parsec"],
    );
    check(
        "email",
        &["a@b", "Joe <j@x.y>", "g: a@b;", "a@[::1]"],
        &["a", "a@b, c@d", "a..b@c", "=?x?q?a?= <a@b>"],
    );
    check(
        "hostname",
        &["a.example", "a-b", "☃.com"],
        &["a-b-c", "a..b", "-a", "a.b1"],
    );
    check(
        "ipv4",
        &["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"],
        &["1.2.3", "1.2.3.256", "::1"],
    );
    check(
        "ipv6",
        &["::", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8"],
        &["1.2.3.4", "::ffff:01.2.3.4", "fe80::1%a", "1:::2"],
    );
    check(
        "cidr",
        &["10.0.0.0/8", "010.0.0.0/08", "::/0"],
        &["10.0.0.0", "10.0.0.0/33", "::/129", "::/"],
    );
    check(
        "mac",
        &["00:00:5e:00:53:01", "0000.5e00.5301", "00005e005301"],
        &["00:00:5e:00:53", "00:00-5e:00:53:01"],
    );
    check(
        "uri",
        &["/a", "http://u:p@h:80/%20", "x:y", "*", "http://[::1%25a]/"],
        &["a/b", "http://h:a/", "http://[1.2.3.4]/", "/%"],
    );
    check(
        "uuid",
        &[
            "123e4567-e89b-12d3-a456-426614174000",
            "123E4567e89b12d3a456426614174000",
        ],
        &["123e4567"],
    );
    check(
        "uuid4",
        &["123e4567-e89b-42d3-a456-426614174000"],
        &["123e4567-e89b-42d3-c456-426614174000"],
    );
    check("isbn", &["0321751043", "978-0321751041"], &["0321751044"]);
    check("creditcard", &["4111 1111 1111 1111"], &["4111 1111 1111 1112"]);
    check("rgbcolor", &["rgb(255, 0,1)"], &["rgb(256,0,1)"]);
    check("byte", &["YQ=="], &["", "YQ="]);
    check("password", &["", "a"], &[]);
    check("k8s-short-name", &["a-b"], &["a.b", "-a"]);
    check("k8s-long-name", &["a.b-c"], &["a..b"]);
}

#[test]
fn formats_come_with_minors() {
    let minor = KubernetesVersion::minor;
    assert_eq!(validates("k8s-short-name", "a", minor(33)), None);
    assert_eq!(validates("int32", "a", minor(37)), None);
    assert!(!is_enforced("k8s-short-name", "string", minor(34)));
    assert!(is_enforced("k8s-short-name", "string", minor(35)));
    assert!(is_enforced("date", "object", minor(35)));
    assert!(!is_enforced("date", "object", minor(36)));
    assert!(!is_enforced("int32", "integer", minor(35)));
    assert!(is_enforced("int32", "integer", minor(36)));
    assert!(!is_unrecognized("int8", "integer", minor(35)));
    assert!(is_unrecognized("int8", "integer", minor(36)));
    assert!(!is_unrecognized("x", "string", minor(33)));
    assert!(is_unrecognized("x", "string", minor(34)));
    assert_eq!(string_formats(minor(30)).count(), 24);
    assert_eq!(string_formats(minor(37)).count(), 26);
}
