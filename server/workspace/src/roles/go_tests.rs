//! Tables of Go tests: the files that a test expects to be rejected.

/// The longest entry of a table that is looked at, in bytes.
const MOST_BYTES: usize = 4_000;

/// What the fields are called that say that a test expects an error: `wantErr`, `expectError`, `ErrExpected`.
const SAYS: [&str; 3] = ["want", "expect", "should"];

/// Whether a table of a Go test names a file in an entry that expects an error. Each entry that names the file has to.
pub fn expects_error(test: &str, file_name: &str) -> bool {
    let quoted = [format!("{file_name}\""), format!("{file_name}`")];
    let is_whole = |at: usize| file_name.starts_with('"') || test[..at].ends_with(['"', '`', '/']);
    let places = quoted.iter().flat_map(|it| test.match_indices(it.as_str()));
    let mut places = places.filter(|(at, _)| is_whole(*at)).peekable();
    if file_name.is_empty() || places.peek().is_none() {
        return false;
    }
    places.all(|(at, _)| entry(test, at).is_some_and(entry_expects_error))
}

/// The innermost braces around a place.
fn entry(test: &str, at: usize) -> Option<&str> {
    let bytes = test.as_bytes();
    let begin = bytes[at.saturating_sub(MOST_BYTES)..at]
        .iter()
        .rev()
        .scan(0, |depth, it| {
            *depth += i32::from(*it == b'}') - i32::from(*it == b'{');
            Some(*depth)
        });
    let start = at - begin.take_while(|it| *it >= 0).count();
    let end = bytes[at..].iter().take(MOST_BYTES).scan(0, |depth, it| {
        *depth += i32::from(*it == b'{') - i32::from(*it == b'}');
        Some(*depth)
    });
    let length = end.take_while(|it| *it >= 0).count();
    let is_closed = start > 0 && bytes.get(start - 1) == Some(&b'{') && bytes.get(at + length) == Some(&b'}');
    is_closed.then(|| test.get(start..at + length)).flatten()
}

/// Whether a field of an entry says that there is an error: `wantErr: true`, `expectedError: "no size"`, `wantErr: errInvalid`.
fn entry_expects_error(entry: &str) -> bool {
    entry.split(['\n', ',']).any(|field| {
        let Some((name, value)) = field.split_once(':') else {
            return false;
        };
        let name = name.trim().to_ascii_lowercase();
        let (value, is_name) = (
            value.trim(),
            name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_'),
        );
        let says = name.contains("err") && SAYS.iter().any(|it| name.contains(it));
        is_name && says && !matches!(value, "" | "false" | "nil" | "\"\"" | "``")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_tables() {
        let test = |field: &str| {
            format!(
                "func TestLoad(t *testing.T) {{\n\ttests := []struct{{\n\t\tname string\n\t\twantErr bool\n\t}}{{\n\t\t{{\n\t\t\tname: \"good\",\n\t\t\tfile: \"good.yaml\",\n\t\t}},\n\t\t{{\n\t\t\tname: \"one\",\n\t\t\tfile: \"testdata/one.yaml\",\n\t\t\t{field}\n\t\t}},\n\t}}\n}}\n"
            )
        };
        for (field, expected) in [
            ("wantErr: true,", true),
            ("expectedError: \"no size\",", true),
            ("ErrorExpected: errInvalid,", true),
            ("wantErr: false,", false),
            ("wantErr: \"\",", false),
            ("wantErr: nil,", false),
            ("want: true,", false),
            ("", false),
        ] {
            assert_eq!(expects_error(&test(field), "one.yaml"), expected, "{field}");
        }
        assert!(!expects_error(&test("wantErr: true,"), "good.yaml"));
        assert!(!expects_error(&test("wantErr: true,"), "other.yaml"));
        assert!(!expects_error(&test("wantErr: true,"), "ne.yaml"));
        let twice = format!("{}{}", test("wantErr: true,"), test("wantErr: false,"));
        assert!(!expects_error(&twice, "one.yaml"), "another test expects none");
    }
}
