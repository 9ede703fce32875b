//! Tables of rows that a program may add to that is built on these crates.

use std::sync::OnceLock;

/// Rows, and those that a program adds.
#[derive(Debug)]
pub struct Table<R: 'static> {
    rows: &'static [R],
    more: OnceLock<&'static [R]>,
}

impl<R> Table<R> {
    /// A table of these rows.
    pub const fn new(rows: &'static [R]) -> Self {
        Self {
            rows,
            more: OnceLock::new(),
        }
    }

    /// Adds rows behind the others. It has to be done before somebody asks for rows: what is known by them is kept.
    ///
    /// # Errors
    /// The rows, if some have been added before.
    pub fn add(&self, rows: &'static [R]) -> Result<(), &'static [R]> {
        self.more.set(rows)
    }

    /// All rows, those that were added behind the others.
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
