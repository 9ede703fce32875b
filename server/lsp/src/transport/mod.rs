//! Checks the client's messages before the LSP library reads them. The library ends the session at the first invalid message, and allocates the
//! declared length of a message before it arrives.

mod answering;
mod headers;
mod message;
mod rewind;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _};

pub(crate) use self::answering::Answering;
use self::{
    headers::{Headers, MAX_TAIL_BYTES, length_at_end, next_headers},
    message::{Reading, Refusal, read},
    rewind::Rewind,
};

/// The maximum size of a message, in bytes. Longer messages are answered with an error. Real documents are much smaller: editors do not send files
/// over 50 MB, and the API server accepts no manifest over 3 MB.
const MAX_MESSAGE_BYTES: u64 = 128 << 20;

/// The maximum size of the buffer to keep between messages, in bytes.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// The method of the request that replaces a rejected message. Its parameters are the error to answer with.
const REFUSED: &str = "crd-analyzer/refused";

/// Forwards messages until the client closes the connection.
pub(crate) async fn filter_malformed(input: impl AsyncRead + Unpin, mut output: impl AsyncWrite + Unpin) {
    let mut input = Rewind::new(input);
    let mut body = Vec::new();
    // After an invalid message, search for a header in the middle of lines, too, because the end of the message is unknown.
    let mut is_lost = false;
    while let Some(Headers { problem, length }) = next_headers(&mut input, is_lost).await {
        is_lost = problem.is_some();
        if let Some(why) = problem
            && refuse(&Refusal::invalid(why), &mut output).await.is_err()
        {
            return;
        }
        let Some(length) = length else { continue };
        body.clear();
        let reading = if length > MAX_MESSAGE_BYTES {
            is_lost = true;
            let why = format!("a message of {length} bytes, but {MAX_MESSAGE_BYTES} is the limit");
            Reading::Refused(Refusal::invalid(why))
        } else {
            match read_body(&mut input, length, &mut body).await {
                None => return,
                Some(Body::Whole) => read(&body),
                Some(Body::Cut) => {
                    is_lost = true;
                    Reading::Refused(Refusal::too_short(&body))
                }
            }
        };
        let written = match &reading {
            Reading::Accepted => hand_on(&body, &mut output).await,
            Reading::Ignored(what) => {
                tracing::warn!("ignored: {what}");
                Ok(())
            }
            Reading::Refused(refusal) => {
                if refusal.error.code == tower_lsp::jsonrpc::ErrorCode::ParseError {
                    // The declared length may be wrong, so the next header may start within the last bytes of this body.
                    is_lost = true;
                    input.put_back(body.split_off(body.len().saturating_sub(MAX_TAIL_BYTES)));
                }
                refuse(refusal, &mut output).await
            }
        };
        if written.is_err() {
            return;
        }
        if body.capacity() > MAX_KEPT_BYTES {
            body = Vec::new();
        }
    }
}

async fn refuse(refusal: &Refusal, output: &mut (impl AsyncWrite + Unpin)) -> std::io::Result<()> {
    tracing::warn!("a message is rejected: {}", refusal.error.message);
    hand_on(refusal.request().as_bytes(), output).await
}

async fn hand_on(body: &[u8], output: &mut (impl AsyncWrite + Unpin)) -> std::io::Result<()> {
    let header = format!("Content-Length: {}\r\n\r\n", body.len());
    output.write_all(header.as_bytes()).await?;
    output.write_all(body).await
}

/// The completeness of a message body.
enum Body {
    Whole,
    /// The next message started before the declared length was reached.
    Cut,
}

/// Reads a message body, and allocates memory only as bytes arrive. `None` at the end of the input.
///
/// A line of JSON never ends like a header, because JSON strings contain no line breaks. If a line ends like a header, the declared length was too
/// large, and the next message starts there.
async fn read_body(input: &mut Rewind<impl AsyncRead + Unpin>, length: u64, body: &mut Vec<u8>) -> Option<Body> {
    let length = usize::try_from(length).ok()?;
    let mut line_start = 0;
    while body.len() < length {
        let read = input.fill_buf().await.ok().filter(|it| !it.is_empty())?;
        let count = read.len().min(length - body.len());
        let known = body.len();
        body.extend_from_slice(&read[..count]);
        input.consume(count);
        for end in memchr::memchr_iter(b'\n', &body[known..]).map(|at| known + at) {
            let start = line_start.max(end.saturating_sub(MAX_TAIL_BYTES));
            if let Some((at, _)) = length_at_end(&body[start..end]) {
                let rest = body.split_off(start + at);
                input.put_back(rest);
                return Some(Body::Cut);
            }
            line_start = end + 1;
        }
    }
    Some(Body::Whole)
}

#[cfg(test)]
mod tests;
