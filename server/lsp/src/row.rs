//! Fits a headline into a row of the editor's problem list.

/// The maximum length of a row, in characters.
const MOST: usize = 100;

/// Shortens a headline so that it fits into a row together with `suffix`. Drops the list of allowed values first, then the start of a path or of a
/// marker, then the value, which the editor marks, then the end of the headline.
pub(crate) fn fitted(headline: &str, suffix: &str) -> String {
    let room = MOST.saturating_sub(suffix.chars().count());
    let mut headline = headline.to_owned();
    if headline.chars().count() > room
        && let Some(shorter) = without_values(&headline)
    {
        headline = shorter;
    }
    while headline.chars().count() > room
        && let Some(shorter) = without_a_path(&headline).or_else(|| without_the_start_of_a_marker(&headline))
    {
        headline = shorter;
    }
    if headline.chars().count() > room
        && let Some((before, _)) = headline.split_once(VALUE)
    {
        headline.truncate(before.len());
    }
    if headline.chars().count() > room {
        let is_name_open = |text: &str| text.matches('`').count() % 2 == 1;
        let mut cut: String = headline.chars().take(room.saturating_sub(2)).collect();
        cut.truncate(cut.trim_end().len());
        cut.push('…');
        if is_name_open(&cut) {
            cut.push('`');
        }
        headline = cut;
    }
    headline + suffix
}

/// The text before the allowed values.
const ALLOWED: &str = " must be ";

/// The text before the value.
const VALUE: &str = ", but the value is ";

/// Replaces three or more allowed values in a headline by their number.
fn without_values(headline: &str) -> Option<String> {
    let start = headline.find(ALLOWED)? + ALLOWED.len();
    let (mut end, mut count) = (start, 0_usize);
    loop {
        let rest = &headline[end..];
        if let Some(name) = rest.strip_prefix('`') {
            end += name.find('`')? + 2;
            count += 1;
        } else {
            // The last item reads like `5 more`.
            let (number, _) = rest.split_once(" more")?;
            count += number.parse::<usize>().ok()?;
            end += number.len() + " more".len();
        }
        let separator = [", ", " or "].into_iter().find(|it| headline[end..].starts_with(it));
        let goes_on = |it: &&str| {
            let next = &headline[end + it.len()..];
            next.starts_with(['`']) || next.starts_with(|it: char| it.is_ascii_digit())
        };
        match separator.filter(goes_on) {
            Some(separator) => end += separator.len(),
            None => break,
        }
    }
    (count > 2).then(|| format!("{}one of {count} values{}", &headline[..start], &headline[end..]))
}

/// Shortens the longest path in a headline to its last step.
fn without_a_path(headline: &str) -> Option<String> {
    let names = headline.split('`').skip(1).step_by(2);
    let is_path = |it: &&str| it.contains('.') && !it.contains(' ');
    let longest = names.filter(is_path).max_by_key(|it| it.len())?;
    let (above, last) = longest.rsplit_once('.')?;
    (!above.is_empty() && above != "…").then(|| headline.replacen(longest, &format!("….{last}"), 1))
}

/// Shortens a marker in a headline to the last part of its name: `+…:MinLength`.
fn without_the_start_of_a_marker(headline: &str) -> Option<String> {
    let mut names = headline.split('`').skip(1).step_by(2);
    let is_long = |it: &&str| it.starts_with('+') && !it.starts_with("+…");
    let (marker, (_, last)) = names.find_map(|it| Some((it, it.rsplit_once(':')?)).filter(|it| is_long(&it.0)))?;
    Some(headline.replacen(marker, &format!("+…:{last}"), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays() {
        assert_eq!(
            fitted("`a.b` is not a field of `c`", ", did you mean `d`?"),
            "`a.b` is not a field of `c`, did you mean `d`?"
        );
    }

    #[test]
    fn long_paths_lose_their_beginnings() {
        let path = "spec.conversion.webhook.clientConfiguration.service.somewhere";
        let row = fitted(
            &format!("`conv_ersionReviewVersions` is not a field of `{path}`"),
            ", did you mean `it`?",
        );
        assert_eq!(
            row,
            "`conv_ersionReviewVersions` is not a field of `….somewhere`, did you mean `it`?"
        );
    }

    #[test]
    fn the_last_part_of_a_marker_stays() {
        let row = fitted(
            "controller-gen has no marker `+kubebuilder:validation:MinLenght`",
            ", did you mean `kubebuilder:validation:MinLength`?",
        );
        assert_eq!(
            row,
            "controller-gen has no marker `+…:MinLenght`, did you mean `kubebuilder:validation:MinLength`?"
        );
    }

    #[test]
    fn allowed_values_are_counted_before_anything_is_cut() {
        for (headline, suffix, expected) in [
            (
                "`spec.updateStrategy.policy` must be `\"Allow\"`, `\"Forbid\"` or `\"Replace\"`, but the value is `\"Forbd\"`",
                ", did you mean `Forbid`?",
                "`….policy` must be one of 3 values, but the value is `\"Forbd\"`, did you mean `Forbid`?",
            ),
            (
                "`spec.database.engine` must be `\"Postgres\"`, `\"MySQL\"`, `\"MariaDB\"` or 5 more, but the value is `\"Postgress\"`",
                ", did you mean `Postgres`?",
                "`….engine` must be one of 8 values, but the value is `\"Postgress\"`, did you mean `Postgres`?",
            ),
            (
                "`spec.mode` must be `\"Fast\"` or `\"Safe\"`, but the value is `\"Fsat\"`",
                ", did you mean `Fast`?",
                "`spec.mode` must be `\"Fast\"` or `\"Safe\"`, but the value is `\"Fsat\"`, did you mean `Fast`?",
            ),
        ] {
            let row = fitted(headline, suffix);
            assert_eq!(row, expected);
            assert!(row.chars().count() <= MOST, "{row}");
        }
    }

    #[test]
    fn a_long_value_goes_before_a_sentence_is_cut() {
        let value = "Forbidden".repeat(20);
        let headline =
            format!("`spec.backup.policy` must be `\"Allow\"` or `\"Forbid\"`, but the value is `\"{value}\"`");
        assert_eq!(fitted(&headline, ""), "`….policy` must be `\"Allow\"` or `\"Forbid\"`");
    }

    #[test]
    fn a_row_has_an_end() {
        for headline in ["a ".repeat(90), format!("the value is `{}`", "b".repeat(200))] {
            let row = fitted(&headline, " (after fixing the errors before it)");
            assert!(row.chars().count() <= MOST, "{row}");
            assert_eq!(row.matches('`').count() % 2, 0, "{row}");
            assert!(row.ends_with(" (after fixing the errors before it)"), "{row}");
        }
    }
}
