//! Tables of rows, to which a program that uses these crates may add rows.

use std::sync::OnceLock;

/// A table with built-in rows, and rows that a program adds.
#[derive(Debug)]
pub struct Table<R: 'static> {
    rows: &'static [R],
    more: OnceLock<&'static [R]>,
}

impl<R> Table<R> {
    /// Creates a table with these built-in rows.
    pub const fn new(rows: &'static [R]) -> Self {
        Self {
            rows,
            more: OnceLock::new(),
        }
    }

    /// Adds rows after the others. Call it before the rows are first used, because results that depend on them are cached.
    ///
    /// # Errors
    /// Returns the rows if rows have been added before.
    pub fn add(&self, rows: &'static [R]) -> Result<(), &'static [R]> {
        self.more.set(rows)
    }

    /// All rows. Added rows come last.
    pub fn rows(&self) -> impl Iterator<Item = &'static R> + use<R> {
        self.rows.iter().chain(self.more.get().copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_added_once() {
        static TABLE: Table<u8> = Table::new(&[1]);
        assert_eq!(TABLE.rows().collect::<Vec<_>>(), [&1]);
        assert_eq!(TABLE.add(&[2, 3]), Ok(()));
        assert_eq!(TABLE.add(&[4]), Err(&[4][..]));
        assert_eq!(TABLE.rows().collect::<Vec<_>>(), [&1, &2, &3]);
    }
}
