//! A stream that reports its progress to its [`Connection`].

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connections::Connection;

/// The preface of HTTP/2 and the head of the frame that must follow.
const OPENING: usize = 24 + 9;

/// A stream whose progress is known.
pub(super) struct Observed<S> {
    stream: S,
    connection: Arc<Connection>,
    /// Whether written bytes are a part of an answer. In HTTP/2 they may be an answer to a ping.
    writes_count: bool,
    n_read: usize,
}

impl<S> Observed<S> {
    pub(super) fn new(stream: S, connection: Arc<Connection>, writes_count: bool) -> Self {
        Self { stream, connection, writes_count, n_read: 0 }
    }

    fn wrote(&self, result: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.connection.stalls(result.is_pending());
        if self.writes_count && matches!(result, Poll::Ready(Ok(1..))) {
            self.connection.progressed();
        }
        result
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Observed<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let own = self.get_mut();
        let before = buffer.filled().len();
        let result = Pin::new(&mut own.stream).poll_read(context, buffer);
        if own.n_read < OPENING {
            own.n_read += buffer.filled().len() - before;
            if own.n_read >= OPENING {
                own.connection.begun();
            }
        }
        result
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Observed<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let own = self.get_mut();
        let result = Pin::new(&mut own.stream).poll_write(context, bytes);
        own.wrote(result)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let own = self.get_mut();
        let result = Pin::new(&mut own.stream).poll_write_vectored(context, slices);
        own.wrote(result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let own = self.get_mut();
        let result = Pin::new(&mut own.stream).poll_flush(context);
        own.connection.stalls(result.is_pending());
        result
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let own = self.get_mut();
        let result = Pin::new(&mut own.stream).poll_shutdown(context);
        own.connection.stalls(result.is_pending());
        result
    }
}
