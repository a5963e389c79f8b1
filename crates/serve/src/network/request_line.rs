//! A stream of HTTP/1 whose first request line is looked at: hyper answers a version that it does not know with 400,
//! and catalogd's server with 505.
//!
//! This module looks at no later request of a connection, and answers nothing itself.

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

/// A stream that holds the first line back until it is complete.
pub(super) struct WithRequestLine<S> {
    stream: S,
    /// The bytes that were read and not handed on.
    head: Vec<u8>,
    n_handed: usize,
    is_complete: bool,
    is_refused: Arc<AtomicBool>,
}

impl<S> WithRequestLine<S> {
    /// A stream, and whether the version of its first request is refused. That is known before the request is.
    pub(super) fn new(stream: S) -> (Self, Arc<AtomicBool>) {
        let is_refused = Arc::new(AtomicBool::new(false));
        let known = Arc::clone(&is_refused);
        (Self { stream, head: Vec::new(), n_handed: 0, is_complete: false, is_refused }, known)
    }

    fn look(&mut self, line_end: usize) {
        let line = &self.head[..line_end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some(start) = line.iter().rposition(|it| *it == b' ').map(|it| it + 1) else { return };
        let version = &line[start..];
        if version.len() == KNOWN.len() && std::str::from_utf8(version).is_ok_and(refuses_version) {
            self.head[start..start + KNOWN.len()].copy_from_slice(KNOWN);
            self.is_refused.store(true, Ordering::Relaxed);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WithRequestLine<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let own = self.get_mut();
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
