//! The date of a release, in the forms that file formats need.

use anyhow::Context as _;
use crd_analyzer_schema::go;

/// A day (midnight UTC).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// Parses a date such as `2026-11-25`.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let read = || {
            let mut parts = text.split('-');
            let date = Self {
                year: parts.next()?.parse().ok()?,
                month: parts.next()?.parse().ok()?,
                day: parts.next()?.parse().ok()?,
            };
            let is_date =
                (1980..2100).contains(&date.year) && (1..=12).contains(&date.month) && (1..=31).contains(&date.day);
            (is_date && parts.next().is_none()).then_some(date)
        };
        read().with_context(|| format!("`{text}` is not a date such as 2026-11-25"))
    }

    /// Days since 1970-01-01.
    fn days(self) -> u64 {
        // The number is positive, because `parse` rejects dates before 1980.
        go::days_since_1970(self.year.into(), self.month.into(), self.day.into()).unsigned_abs()
    }

    /// Seconds since 1970-01-01.
    pub(super) fn seconds(self) -> u64 {
        self.days() * 86_400
    }

    /// The date in the format of zip files.
    pub(super) fn dos(self) -> u16 {
        ((self.year - 1980) << 9) | (u16::from(self.month) << 5) | u16::from(self.day)
    }

    /// The date in the format `Wed, 25 Nov 2026 00:00:00 +0000`.
    pub(super) fn rfc_2822(self) -> String {
        const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
        const MONTHS: [&str; 12] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ];
        let day = DAYS[(self.days() % 7) as usize];
        let month = MONTHS[usize::from(self.month) - 1];
        format!("{day}, {:02} {month} {} 00:00:00 +0000", self.day, self.year)
    }

    /// The date in the format `2026-11-25T00:00:00Z`.
    pub(super) fn rfc_3339(self) -> String {
        format!("{:04}-{:02}-{:02}T00:00:00Z", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_the_same_day_in_every_form() {
        let date = Date::parse("2026-11-25").expect("a date");
        assert_eq!(date.seconds(), 1_795_564_800);
        assert_eq!(date.rfc_2822(), "Wed, 25 Nov 2026 00:00:00 +0000");
        assert_eq!(date.rfc_3339(), "2026-11-25T00:00:00Z");
        assert_eq!(date.dos(), 0x5d79);
        assert_eq!(
            Date::parse("2024-02-29").expect("a date").rfc_2822(),
            "Thu, 29 Feb 2024 00:00:00 +0000"
        );
        assert_eq!(Date::parse("2000-01-01").expect("a date").seconds(), 946_684_800);
        for wrong in ["", "2026-11", "2026-11-25-1", "2026-0-1", "1970-01-01", "today"] {
            assert!(Date::parse(wrong).is_err(), "{wrong}");
        }
    }
}
