//! Reads standard input, as a whole or by lines, up to a size limit.
//!
//! Only commands with the argument `-` read standard input. In the language server, it belongs to the client, and this module must not read it.

use std::io::{self, BufRead, Read as _};

use crate::read::Unread;

/// The content of standard input, if it has at most `most` bytes.
pub fn all(most: u64) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Unread::TooLarge(most));
    }
    Ok(bytes)
}

/// The lines of standard input, as they arrive.
pub fn lines(most: u64) -> Lines<io::StdinLock<'static>> {
    Lines::new(io::stdin().lock(), most)
}

/// The lines of a reader, without their line breaks. A line of more than `most` bytes is skipped, and an error is returned for it.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    most: u64,
    has_failed: bool,
}

impl<R: BufRead> Lines<R> {
    /// The lines of a reader.
    pub fn new(reader: R, most: u64) -> Self {
        Self {
            reader,
            most,
            has_failed: false,
        }
    }

    fn line(&mut self) -> io::Result<Option<Result<Vec<u8>, Unread>>> {
        let mut line = Vec::new();
        // Leave room for the line break, which has one or two bytes.
        let room = self.most + 2;
        if self.reader.by_ref().take(room).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
            line.pop_if(|it| *it == b'\r');
        } else if line.len() as u64 == room {
            self.reader.skip_until(b'\n')?;
        }
        if line.len() as u64 > self.most {
            return Ok(Some(Err(Unread::TooLarge(self.most))));
        }
        Ok(Some(Ok(line)))
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<Vec<u8>, Unread>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        self.line().unwrap_or_else(|error| {
            self.has_failed = true;
            Some(Err(error.into()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &[u8], expected: &[&str]) {
        let lines = Lines::new(text, 4).map(|it| match it {
            Ok(line) => String::from_utf8_lossy(&line).into_owned(),
            Err(why) => why.to_string(),
        });
        assert_eq!(lines.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_long_line_is_passed_over() {
        let long = "it has more than 4 bytes";
        check(b"", &[]);
        check(b"a\r\n\nb", &["a", "", "b"]);
        check(b"1234\r\n1234\n1234", &["1234", "1234", "1234"]);
        check(b"12345\nb\n", &[long, "b"]);
        check(b"123456789\nb\n123456", &[long, "b", long]);
        check(b"\xFF\na", &["\u{FFFD}", "a"]);
    }

    #[test]
    fn what_cannot_be_read_ends_the_list() {
        struct Broken;
        impl io::Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::ConnectionReset.into())
            }
        }
        let lines = Lines::new(io::BufReader::new(Broken), 4);
        assert_eq!(lines.filter(Result::is_err).count(), 1);
    }
}
