//! SHA-256 and base64, for the names and the content of generated objects.

use std::fmt::Write as _;

/// The first round constants of SHA-256 (FIPS 180-4).
const ROUND: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// The SHA-256 of some bytes, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let mut state: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut words = [0u32; 64];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        for n in 16..64 {
            let (a, b) = (words[n - 15], words[n - 2]);
            let low = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let high = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            words[n] = words[n - 16]
                .wrapping_add(low)
                .wrapping_add(words[n - 7])
                .wrapping_add(high);
        }
        let mut s = state;
        for n in 0..64 {
            let high = s[4].rotate_right(6) ^ s[4].rotate_right(11) ^ s[4].rotate_right(25);
            let choice = (s[4] & s[5]) ^ (!s[4] & s[6]);
            let first = s[7]
                .wrapping_add(high)
                .wrapping_add(choice)
                .wrapping_add(ROUND[n])
                .wrapping_add(words[n]);
            let low = s[0].rotate_right(2) ^ s[0].rotate_right(13) ^ s[0].rotate_right(22);
            let most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
            let second = low.wrapping_add(most);
            s = [
                first.wrapping_add(second),
                s[0],
                s[1],
                s[2],
                s[3].wrapping_add(first),
                s[4],
                s[5],
                s[6],
            ];
        }
        for (old, new) in state.iter_mut().zip(s) {
            *old = old.wrapping_add(new);
        }
    }
    let mut text = String::new();
    for word in state {
        let _ = write!(text, "{word:08x}");
    }
    text
}

/// Base64, in lines of 70 characters if there is more than one.
pub(crate) fn base64_lines(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const LINE: usize = 70;
    let mut whole = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for n in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * n)) as usize & 63];
            whole.push(if n > chunk.len() { '=' } else { digit as char });
        }
    }
    if whole.len() / LINE == 0 {
        return whole;
    }
    let mut lines = String::new();
    for (n, c) in whole.chars().enumerate() {
        if n > 0 && n % LINE == 0 {
            lines.push('\n');
        }
        lines.push(c);
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_digests() {
        let of = |text: &str| sha256(text.as_bytes());
        assert_eq!(
            of("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            of(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert!(of(&"a".repeat(200)).starts_with("c2a908d98f5df987"));
    }

    #[test]
    fn base64() {
        assert_eq!(base64_lines(b"ab"), "YWI=");
        assert_eq!(base64_lines(b"abc"), "YWJj");
        assert_eq!(base64_lines(b""), "");
        assert_eq!(base64_lines(&[b'a'; 60]).matches('\n').count(), 2);
    }
}
