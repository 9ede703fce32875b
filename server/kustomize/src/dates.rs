//! Unquoted dates, which kustomize prints as timestamps (`gopkg.in/yaml.v3`, `parseTimestamp`).

/// The timestamp for a plain scalar, as Go writes it in JSON; `None` if it is not a date.
pub(crate) fn timestamp(word: &str) -> Option<String> {
    let bytes = word.as_bytes();
    let has_year = bytes.len() > 4 && bytes[..4].iter().all(u8::is_ascii_digit) && bytes[4] == b'-';
    if !has_year || !word.is_ascii() {
        return None;
    }
    let end = word.find(['T', 't', ' ']).unwrap_or(word.len());
    let mut date = word[..end].split('-');
    let mut number = |least: u32, most: u32, digits: usize| {
        let text = date.next()?;
        let value: u32 = text.parse().ok()?;
        (text.len() <= digits && (least..=most).contains(&value)).then_some(value)
    };
    let (year, month, day) = (number(0, 9999, 4)?, number(1, 12, 2)?, number(1, 31, 2)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if date.next().is_some() || day > days {
        return None;
    }
    let day = format!("{year:04}-{month:02}-{day:02}");
    if end == word.len() {
        return Some(format!("{day}T00:00:00Z"));
    }
    let is_spaced = bytes[end] == b' ';
    let rest = &word[end + 1..];
    let zone_at = rest.find(['Z', '+', '-']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(zone_at);
    let is_offset = |zone: &str| {
        let zone = zone.as_bytes();
        zone.len() == 6 && zone[3] == b':' && [1, 2, 4, 5].iter().all(|it| zone[*it].is_ascii_digit())
    };
    let zone = match zone {
        "" if is_spaced => "Z",
        "Z" if !is_spaced => "Z",
        zone if !is_spaced && is_offset(zone) => zone,
        _ => return None,
    };
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut time = time.split(':');
    let mut number = |most: u32| {
        let text = time.next()?;
        let value: u32 = text.parse().ok()?;
        (text.len() <= 2 && value <= most).then_some(value)
    };
    let (hour, minute, second) = (number(23)?, number(59)?, number(59)?);
    if time.next().is_some() || !fraction.bytes().all(|it| it.is_ascii_digit()) || fraction.len() > 9 {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!(
        "{day}T{hour:02}:{minute:02}:{second:02}{point}{fraction}{zone}"
    ))
}

#[cfg(test)]
mod tests {
    use super::timestamp;

    #[test]
    fn dates() {
        for (word, expected) in [
            ("2001-01-01", Some("2001-01-01T00:00:00Z")),
            ("2001-1-2 3:4:5.60", Some("2001-01-02T03:04:05.6Z")),
            ("2001-01-01T00:00:00+01:00", Some("2001-01-01T00:00:00+01:00")),
            ("2001-02-30", None),
            ("2001-01-01-x", None),
            ("20010101", None),
            ("v1-2", None),
        ] {
            assert_eq!(timestamp(word).as_deref(), expected, "of {word:?}");
        }
    }
}
