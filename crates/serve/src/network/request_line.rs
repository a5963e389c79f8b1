//! A stream of HTTP/1 whose request lines are looked at, because hyper reads two things in them otherwise than Go, with
//! which catalogd is made: hyper answers a version that it does not know with 400, and Go with 505; and hyper drops a
//! `#` in an address with all that follows, while for Go it is a character like any other.
//!
//! This module looks at the version of the first request of a connection only, and at no line that a client sends
//! before it has the answer to its last request. It answers nothing itself.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::catalogd::refuses_version;

/// Longer lines are for hyper to refuse.
const MAX_LINE: usize = 16 << 10;

/// The version that replaces a refused one, so that the request is read as a whole.
const KNOWN: &[u8] = b"HTTP/1.1";

/// The facts that a stream and the answers to its requests share.
#[derive(Debug, Default)]
pub(super) struct RequestLines {
    /// Whether the version of the first request is refused. That is known before the request is.
    is_refused: AtomicBool,
    /// Whether the next bytes are a request line.
    is_next: AtomicBool,
}

impl RequestLines {
    /// Whether the version of the first request is refused.
    pub(super) fn is_refused(&self) -> bool {
        self.is_refused.load(Ordering::Relaxed)
    }

    /// Notes that the next bytes are a request line: a request without a body is being answered.
    pub(super) fn expect_next(&self) {
        self.is_next.store(true, Ordering::Relaxed);
    }
}

/// A stream that holds a request line back until it is complete.
pub(super) struct WithRequestLine<S> {
    stream: S,
    /// The bytes that were read and not handed on.
    head: Vec<u8>,
    n_handed: usize,
    is_complete: bool,
    is_first: bool,
    lines: Arc<RequestLines>,
}

impl<S> WithRequestLine<S> {
    /// A stream, and what it tells about its request lines.
    pub(super) fn new(stream: S) -> (Self, Arc<RequestLines>) {
        let lines = Arc::new(RequestLines::default());
        let known = Arc::clone(&lines);
        (Self { stream, head: Vec::new(), n_handed: 0, is_complete: false, is_first: true, lines }, known)
    }

    fn look(&mut self, line_end: usize) {
        let line = &self.head[..line_end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some(start) = line.iter().rposition(|it| *it == b' ').map(|it| it + 1) else { return };
        let version = &line[start..];
        if self.is_first && version.len() == KNOWN.len() && std::str::from_utf8(version).is_ok_and(refuses_version) {
            self.head[start..start + KNOWN.len()].copy_from_slice(KNOWN);
            self.lines.is_refused.store(true, Ordering::Relaxed);
        }
        if self.head[..start].contains(&b'#') {
            let escape = |it: &u8| if *it == b'#' { b"%23".to_vec() } else { vec![*it] };
            let line: Vec<u8> = self.head[..start].iter().flat_map(escape).collect();
            self.head.splice(..start, line);
        }
        self.is_first = false;
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WithRequestLine<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let own = self.get_mut();
        if own.is_complete && own.head.is_empty() && own.lines.is_next.swap(false, Ordering::Relaxed) {
            own.is_complete = false;
        }
        while !own.is_complete {
            let mut bytes = [0; 4096];
            let mut piece = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut own.stream).poll_read(context, &mut piece))?;
            let from = own.head.len();
            own.head.extend_from_slice(piece.filled());
            let line_end = own.head[from..].iter().position(|it| *it == b'\n').map(|it| from + it);
            if let Some(line_end) = line_end {
                own.look(line_end);
            }
            own.is_complete = line_end.is_some() || piece.filled().is_empty() || own.head.len() > MAX_LINE;
        }
        if own.n_handed < own.head.len() {
            let rest = &own.head[own.n_handed..];
            let n = rest.len().min(buffer.remaining());
            buffer.put_slice(&rest[..n]);
            own.n_handed += n;
            if own.n_handed == own.head.len() {
                (own.head, own.n_handed) = (Vec::new(), 0);
            }
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut own.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WithRequestLine<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
