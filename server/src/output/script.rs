//! Output that depends only on the command line: completion scripts and manual pages.

use std::io::{self, Write as _};

/// Prints bytes unchanged.
pub(crate) fn print(text: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()
}
