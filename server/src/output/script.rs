//! Texts that another program reads and that are made of the command line alone: completions and manual pages.

use std::io::{self, Write as _};

/// Prints a text as it is.
pub(crate) fn print(text: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()
}
