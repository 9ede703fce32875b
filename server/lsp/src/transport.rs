//! What comes from the client, made safe for the library that reads it: that ends the session at the first message that is not JSON.

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tower_lsp::jsonrpc::{Request, Response};

/// Messages over this end the session: no document that a server takes comes near.
const MAX_MESSAGE_BYTES: usize = 1 << 30;

/// Lines of a header over this are not one.
const MAX_HEADER_BYTES: u64 = 4096;

/// The method that a message which is none is turned into. It answers with a parse error, without a number.
pub(crate) const UNREADABLE: &str = "crd-analyzer/unreadable";

/// Hands messages on until the client hangs up.
pub(crate) async fn sieve(input: impl AsyncRead + Unpin, mut output: impl AsyncWrite + Unpin) {
    let mut input = BufReader::new(input);
    let mut body = Vec::new();
    while let Some(length) = next_length(&mut input).await {
        if length > MAX_MESSAGE_BYTES {
            tracing::error!("a message of {length} bytes");
            return;
        }
        body.resize(length, 0);
        if input.read_exact(&mut body).await.is_err() {
            return;
        }
        if !is_message(&body) {
            tracing::warn!("a message that is none, of {length} bytes");
            body.clear();
            body.extend_from_slice(format!(r#"{{"jsonrpc":"2.0","id":null,"method":"{UNREADABLE}"}}"#).as_bytes());
        }
        let header = format!("Content-Length: {}\r\n\r\n", body.len());
        if output.write_all(header.as_bytes()).await.is_err() || output.write_all(&body).await.is_err() {
            return;
        }
    }
}

/// The length that the next header names; lines that are no header are passed over. `None` at the end.
async fn next_length(input: &mut (impl AsyncBufReadExt + Unpin)) -> Option<usize> {
    let mut length = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        let count = (&mut *input)
            .take(MAX_HEADER_BYTES)
            .read_until(b'\n', &mut line)
            .await
            .ok()?;
        if count == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            if length.is_some() {
                return length;
            }
            continue;
        }
        if let Some((name, value)) = text.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

fn is_message(body: &[u8]) -> bool {
    serde_json::from_slice::<Request>(body).is_ok() || serde_json::from_slice::<Response>(body).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(input: &str, expected: &[&str]) {
        let mut output = Vec::new();
        sieve(input.as_bytes(), &mut output).await;
        let expected: String = expected
            .iter()
            .map(|it| ["Content-Length: ", &it.len().to_string(), "\r\n\r\n", it].concat())
            .collect();
        assert_eq!(String::from_utf8_lossy(&output), expected, "of {input:?}");
    }

    #[tokio::test]
    async fn hands_on_messages_and_nothing_else() {
        let good = r#"{"jsonrpc":"2.0","method":"a"}"#;
        let bad = r#"{"jsonrpc":"2.0","id":null,"method":"crd-analyzer/unreadable"}"#;
        check(&format!("Content-Length: {}\r\n\r\n{good}", good.len()), &[good]).await;
        check(
            &format!("content-length:{}\nContent-Type: x\n\n{good}", good.len()),
            &[good],
        )
        .await;
        check(
            &format!("garbage\r\n\r\n: \r\nContent-Length: {}\r\n\r\n{good}", good.len()),
            &[good],
        )
        .await;
        check(
            &format!(
                "Content-Length: 4\r\n\r\n{{no}}Content-Length: {}\r\n\r\n{good}",
                good.len()
            ),
            &[bad, good],
        )
        .await;
        check("Content-Length: 2\r\n\r\n[]", &[bad]).await;
        check("Content-Length: 99\r\n\r\n{}", &[]).await;
        check("Content-Length: 99999999999999\r\n\r\n{}", &[]).await;
        check("", &[]).await;
    }
}
