//! The format of an input: first numbers of one byte each, then texts separated by NUL.
//!
//! NUL is not allowed in any format that we read. So an input contains the text in the same form as a file, and mutations of the input are mutations
//! of the text.

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;

/// The rest of an input.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    /// Starts reading an input.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether the whole input has been read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next number; 0 at the end of the input.
    pub fn number(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// The next number, reduced to be less than `count`, which is at most 256.
    pub fn below(&mut self, count: usize) -> usize {
        usize::from(self.number()) % count.max(1)
    }

    /// Reads two bytes as an offset in a text of `len` bytes, in steps of `len / 65536`.
    pub fn place(&mut self, len: usize) -> usize {
        let wide = usize::from(self.number()) << 8 | usize::from(self.number());
        if len <= 0xFFFF {
            wide % (len + 1)
        } else {
            len / 0xFFFF * wide
        }
    }

    /// Reads a Kubernetes version.
    pub fn version(&mut self) -> KubernetesVersion {
        let all: Vec<_> = KubernetesVersion::all().collect();
        // The number 0 means the newest version. Seeds use this number.
        all[all.len() - 1 - self.below(all.len())]
    }

    /// The bytes up to the next NUL. The NUL itself is skipped.
    pub fn part(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|it| *it == 0).unwrap_or(self.0.len());
        let part = &self.0[..end];
        self.0 = self.0.get(end + 1..).unwrap_or_default();
        part
    }

    /// The next part as text. Bytes that are not UTF-8 are replaced.
    pub fn text(&mut self) -> Arc<str> {
        String::from_utf8_lossy(self.part()).into()
    }

    /// All remaining bytes.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }
}

/// Builds an input from numbers and texts.
pub fn input(numbers: &[u8], texts: &[&str]) -> Vec<u8> {
    let mut bytes = numbers.to_vec();
    for (n, text) in texts.iter().enumerate() {
        if n > 0 {
            bytes.push(0);
        }
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_taken_apart_as_it_was_put_together() {
        let bytes = input(&[0, 7], &["a: 1\n", "", "b"]);
        let mut it = Input::new(&bytes);
        assert_eq!((it.version(), it.below(4)), (KubernetesVersion::NEWEST, 3));
        assert_eq!((&*it.text(), &*it.text(), it.rest()), ("a: 1\n", "", &b"b"[..]));
        assert_eq!((&*it.text(), it.number(), it.is_empty()), ("b", 0, true));
        assert_eq!(Input::new(&[1, 2]).place(3), 258 % 4);
        assert_eq!(Input::new(&[0xFF, 0xFF]).place(1 << 20), (1 << 20) / 0xFFFF * 0xFFFF);
    }
}
