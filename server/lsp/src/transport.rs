//! What comes from the client, made safe for the library that reads it: that ends the session at the first message that is not JSON, and
//! makes room for a message before it comes.

use serde::Deserialize;
use serde_json::{Value, json, value::Value::Null};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tower_lsp::jsonrpc::{Error, ErrorCode, Request, Response};

/// Longer messages, in bytes, are answered with an error. Editors send no documents that come near: they hold back what is over 50 MB, and
/// servers take no manifest over 3 MB.
const MAX_MESSAGE_BYTES: u64 = 128 << 20;

/// Longer lines, in bytes, are read in pieces. Lines of headers are shorter.
const MAX_LINE_BYTES: u64 = 4096;

/// What is kept of a piece, in bytes, when the next one is read: a header that begins in it.
const MAX_TAIL_BYTES: usize = 128;

/// Room, in bytes, that is kept from one message to the next.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// The method that a message which cannot be read is turned into. Its answer is the error that its parameters hold.
pub(crate) const UNREADABLE: &str = "crd-analyzer/unreadable";

/// The header that every message has.
const LENGTH: &str = "content-length";

/// Hands messages on until the client hangs up.
pub(crate) async fn filter_malformed(input: impl AsyncRead + Unpin, mut output: impl AsyncWrite + Unpin) {
    let mut input = BufReader::new(input);
    let mut body = Vec::new();
    // Behind what cannot be read a header is looked for anywhere in a line: nobody knows where the body before it ended.
    let mut is_lost = false;
    while let Some(header) = next_header(&mut input, is_lost).await {
        body.clear();
        let problem = match header {
            Ok(length) if length > MAX_MESSAGE_BYTES => Some(Unread::invalid(format!(
                "a message of {length} bytes, but {MAX_MESSAGE_BYTES} is the limit"
            ))),
            Ok(length) => {
                // Room is made as bytes come.
                let read = (&mut input).take(length).read_to_end(&mut body).await;
                if read.ok() != usize::try_from(length).ok() {
                    return;
                }
                Unread::of(&body)
            }
            Err(why) => Some(Unread::invalid(why)),
        };
        is_lost = problem.is_some();
        if let Some(problem) = problem {
            tracing::warn!("a message cannot be read: {}", problem.error.message);
            body = problem.message().into_bytes();
        }
        let header = format!("Content-Length: {}\r\n\r\n", body.len());
        if output.write_all(header.as_bytes()).await.is_err() || output.write_all(&body).await.is_err() {
            return;
        }
        if body.capacity() > MAX_KEPT_BYTES {
            body = Vec::new();
        }
    }
}

/// Why a message cannot be read, and whom to tell.
struct Unread {
    /// The number of the request; null if there is none.
    id: Value,
    error: Error,
}

/// As much of a message as is needed to answer it. What is passed over may nest as deep as it likes.
#[derive(Deserialize)]
struct PartialCheck {
    #[serde(default)]
    id: Value,
    method: Option<serde::de::IgnoredAny>,
}

impl Unread {
    fn invalid(why: String) -> Self {
        Self {
            id: Null,
            error: Error {
                code: ErrorCode::InvalidRequest,
                message: why.into(),
                data: None,
            },
        }
    }

    /// `None` if it is a message.
    fn of(body: &[u8]) -> Option<Self> {
        let is_message =
            serde_json::from_slice::<Request>(body).is_ok() || serde_json::from_slice::<Response>(body).is_ok();
        if is_message {
            return None;
        }
        // The fields of a structure may be read from a list, too: that is a batch, and has no number.
        let object = Some(body).filter(|it| it.trim_ascii_start().starts_with(b"{"));
        let outline = object.and_then(|it| serde_json::from_slice::<PartialCheck>(it).ok());
        // A response has a number, too, but nobody waits for an answer to it.
        let request = outline.filter(|it| it.method.is_some());
        let id = request.map(|it| it.id).filter(|it| it.is_number() || it.is_string());
        Some(Self {
            id: id.unwrap_or(Null),
            error: Error::parse_error(),
        })
    }

    /// A request with the id of the broken message, so that the client gets an error as the answer.
    fn message(&self) -> String {
        json!({ "jsonrpc": "2.0", "id": self.id, "method": UNREADABLE, "params": self.error }).to_string()
    }
}

/// The length that the next header names, or why there is none; lines that belong to no header are passed over. `None` at the end.
async fn next_header(input: &mut (impl AsyncBufRead + Unpin), is_lost: bool) -> Option<Result<u64, String>> {
    let mut length: Option<Result<u64, String>> = None;
    let mut line = Vec::new();
    // The line was too long, and its beginning is gone.
    let mut is_cut = false;
    loop {
        let count = (&mut *input)
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line)
            .await
            .ok()?;
        if count == 0 {
            return None;
        }
        if !line.ends_with(b"\n") {
            is_cut = true;
            line.drain(..line.len().saturating_sub(MAX_TAIL_BYTES));
            continue;
        }
        let whole = std::mem::take(&mut line);
        let was_cut = std::mem::take(&mut is_cut);
        let text = String::from_utf8_lossy(&whole);
        if text.trim().is_empty() {
            if length.is_some() {
                return length;
            }
            continue;
        }
        let anywhere = is_lost && length.is_none();
        let Some(value) = value_of(&text, anywhere).filter(|_| anywhere || !was_cut) else {
            continue;
        };
        let read: Result<u64, String> = value.parse().map_err(|_| format!("a message of {value:?} bytes"));
        length = Some(match (length, read) {
            (Some(Ok(first)), Ok(second)) if first != second => {
                Err(format!("a message of {first} bytes and of {second}"))
            }
            (Some(Err(why)), _) => Err(why),
            (_, read) => read,
        });
    }
}

/// What a line says of the length, if it does. `anywhere`: something else may stand before it.
fn value_of(line: &str, anywhere: bool) -> Option<&str> {
    let lower = line.to_ascii_lowercase();
    let at = if anywhere {
        lower.rfind(LENGTH)?
    } else {
        let name = lower.split_once(':')?.0;
        (name.trim() == LENGTH).then(|| name.len() - name.trim_start().len())?
    };
    let rest = line[at + LENGTH.len()..].trim_start();
    rest.strip_prefix(':').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"jsonrpc":"2.0","method":"a"}"#;

    /// Whether what comes out is these: a message as it is, or the words of an error and the number that it is for.
    async fn check(input: &str, expected: &[&str]) {
        let mut output = Vec::new();
        filter_malformed(input.as_bytes(), &mut output).await;
        let output = String::from_utf8(output).expect("text");
        let messages = output.split("Content-Length: ").skip(1).map(|it| {
            let (length, body) = it.split_once("\r\n\r\n").expect("a header");
            assert_eq!(length.parse(), Ok(body.len()));
            let message: Value = serde_json::from_str(body).expect("JSON");
            if message["method"] == UNREADABLE {
                let error = message["params"]["message"].as_str().expect("words");
                return format!("{}: {error}", message["id"]);
            }
            body.to_owned()
        });
        let start: String = input.chars().take(200).collect();
        assert_eq!(messages.collect::<Vec<_>>(), expected, "of {start:?}");
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[tokio::test]
    async fn hands_on_messages_and_nothing_else() {
        check(&framed(GOOD), &[GOOD]).await;
        let length = GOOD.len();
        check(&format!("content-length:{length}\nContent-Type: x\n\n{GOOD}"), &[GOOD]).await;
        check(
            &format!("garbage\r\n\r\n: \r\n Content-Length : {length}\r\n\r\n{GOOD}"),
            &[GOOD],
        )
        .await;
        let twice = format!("Content-Length: {length}\r\nContent-Length: {length}\r\n\r\n{GOOD}");
        check(&twice, &[GOOD]).await;
        check("Content-Length: 99\r\n\r\n{}", &[]).await;
        check("", &[]).await;
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_answered() {
        let bad = "null: Parse error";
        check(&(framed("{no}") + &framed(GOOD)), &[bad, GOOD]).await;
        check(&framed("[]"), &[bad]).await;
        check(&framed(r#"[1,{"idx":null}]"#), &[bad]).await;
        let deep = |open: &str, close: &str| {
            let nested = [&open.repeat(100_000), "1", &close.repeat(100_000)].concat();
            framed(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{nested}}}"#)) + &framed(GOOD)
        };
        check(&deep("[", "]"), &["7: Parse error", GOOD]).await;
        check(&deep(r#"{"a":"#, "}"), &["7: Parse error", GOOD]).await;
        check(&framed(&"[".repeat(100_000)), &[bad]).await;
    }

    #[tokio::test]
    async fn goes_on_behind_a_length_that_is_none() {
        for (length, problem) in [
            (
                "1000000000",
                "null: a message of 1000000000 bytes, but 134217728 is the limit",
            ),
            ("-5", "null: a message of \"-5\" bytes"),
            (
                "99999999999999999999",
                "null: a message of \"99999999999999999999\" bytes",
            ),
            ("x", "null: a message of \"x\" bytes"),
            ("", "null: a message of \"\" bytes"),
            ("1\r\nContent-Length: 2", "null: a message of 1 bytes and of 2"),
        ] {
            for body in ["{}", "", "\"a\r\nb\": {}", &"x".repeat(10_000)] {
                let input = format!("Content-Length: {length}\r\n\r\n{body}") + &framed(GOOD) + &framed(GOOD);
                check(&input, &[problem, GOOD, GOOD]).await;
            }
        }
        // Too short, and too long.
        let short = format!("Content-Length: 5\r\n\r\n{GOOD}") + &framed(GOOD);
        check(&short, &["null: Parse error", GOOD]).await;
        let long = format!("Content-Length: 40\r\n\r\n{GOOD}") + &framed(GOOD) + &framed(GOOD);
        check(&long, &["null: Parse error", GOOD]).await;
        // The name of the header in two pieces of a long line.
        for shift in 0..40 {
            let body = "x".repeat(MAX_LINE_BYTES as usize - shift);
            let input = format!("Content-Length: x\r\n\r\n{body}") + &framed(GOOD);
            check(&input, &["null: a message of \"x\" bytes", GOOD]).await;
        }
    }
}
