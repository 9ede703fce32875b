//! The lengths of the common prefix and suffix of two texts.

/// The number of bytes compared at a time.
const BLOCK: usize = 4096;

/// The length in bytes of the common prefix of two texts.
///
/// ```
/// assert_eq!(crd_analyzer_syntax::common::ahead(b"abcd", b"abxd"), 2);
/// ```
pub fn ahead(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
    let same = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let rest = a[same..].iter().zip(&b[same..]);
    same + rest.take_while(|(a, b)| a == b).count()
}

/// The length in bytes of the common suffix of two texts.
///
/// ```
/// assert_eq!(crd_analyzer_syntax::common::behind(b"abcd", b"abxd"), 1);
/// ```
pub fn behind(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK));
    let same = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - same], &b[..b.len() - same]);
    same + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}
