//! Shell scripts that set the version in manifests: `sed -e "s#apiVersion: example.com/v.*#apiVersion: $API#"`.

/// The sed command for replacing text, without its delimiter.
const COMMAND: char = 's';

/// The key whose value scripts replace.
const KEY: &str = "apiVersion:";

/// The API groups of objects whose versions scripts set.
#[derive(Default, Debug)]
pub struct VersionsReplaced(Vec<String>);

impl VersionsReplaced {
    /// Reads a script and adds the groups whose versions it sets.
    pub fn add(&mut self, script: &str) {
        for line in script.lines().filter(|it| it.contains("sed") && it.contains(KEY)) {
            self.0
                .extend(line.match_indices(KEY).filter_map(|(at, _)| group(line, at)));
        }
    }

    /// Whether a script sets the versions of a group's objects.
    pub fn are_of(&self, group: &str) -> bool {
        self.0.iter().any(|it| it == group)
    }
}

/// The group whose versions a sed command replaces. The command's pattern starts at `at`.
fn group(line: &str, at: usize) -> Option<String> {
    let mut before = line[..at].trim_end_matches('^').chars().rev();
    let delimiter = before.next().filter(char::is_ascii_punctuation)?;
    if before.next() != Some(COMMAND) || before.next().is_some_and(|it| it.is_ascii_alphanumeric()) {
        return None;
    }
    let pattern = line[at + KEY.len()..].split(delimiter).next()?;
    let pattern = pattern.trim_start_matches(['\\', 's', ' ', '*', '+']);
    let group = pattern.split(['/', '\\', '*']).next()?.trim_end_matches('.');
    let is_group = group.contains('.')
        && group
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || b".-".contains(&it));
    is_group.then(|| group.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_sed() {
        for (line, expected) in [
            (
                "| $sed -e \"s#apiVersion: example.com/v.*\\$#apiVersion: $API#\" \\",
                true,
            ),
            ("sed -i 's|^apiVersion: example.com.*|apiVersion: x|' a.yaml", true),
            ("sed 's#apiVersion: other.com/v.*#x#'", false),
            ("echo apiVersion: example.com/v1 # used", false),
            ("sed 's#image: .*#apiVersion: example.com/v1#'", false),
            ("sed 's#apiVersion: .*#x#'", false),
        ] {
            let mut replaced = VersionsReplaced::default();
            replaced.add(line);
            assert_eq!(replaced.are_of("example.com"), expected, "{line}");
        }
    }
}
