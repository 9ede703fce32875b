//! A byte reader into which bytes can be put back.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use tokio::io::{AsyncBufRead, AsyncRead, BufReader, ReadBuf};

/// Reads the bytes that were put back, then the input.
pub(super) struct Rewind<R> {
    again: Vec<u8>,
    /// The number of bytes of `again` that were already read.
    at: usize,
    input: BufReader<R>,
}

impl<R: AsyncRead + Unpin> Rewind<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            again: Vec::new(),
            at: 0,
            input: BufReader::new(input),
        }
    }

    /// Puts back the bytes read last.
    pub(super) fn put_back(&mut self, mut bytes: Vec<u8>) {
        bytes.extend_from_slice(&self.again[self.at..]);
        self.again = bytes;
        self.at = 0;
    }
}

impl<R: AsyncRead + Unpin> AsyncBufRead for Rewind<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<&[u8]>> {
        let this = self.get_mut();
        if this.at < this.again.len() {
            return Poll::Ready(Ok(&this.again[this.at..]));
        }
        Pin::new(&mut this.input).poll_fill_buf(context)
    }

    fn consume(self: Pin<&mut Self>, count: usize) {
        let this = self.get_mut();
        if this.at < this.again.len() {
            this.at += count;
        } else {
            Pin::new(&mut this.input).consume(count);
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Rewind<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let read = std::task::ready!(self.as_mut().poll_fill_buf(context))?;
        let count = read.len().min(buffer.remaining());
        buffer.put_slice(&read[..count]);
        self.consume(count);
        Poll::Ready(Ok(()))
    }
}
