//! A stream that gathers the bytes that are written to it. HTTP/2 writes each frame by itself; a bundle has several
//! frames and a list thousands. All bytes of one turn of a connection go to the system at once.

use std::cell::Cell;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that are gathered: four frames.
const MAX_GATHERED: usize = 64 << 10;

thread_local! {
    /// The buffer left by the last connection of this thread that wrote: a connection that waits holds no memory for
    /// future writes.
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A stream and the bytes to be written to it.
struct State<S> {
    stream: S,
    gathered: Vec<u8>,
    /// The number of these bytes that are written.
    n_written: usize,
    /// Whether the stream holds bytes that it has not passed on: a part of an encrypted record, for example.
    must_flush: bool,
}

impl<S: AsyncWrite + Unpin> State<S> {
    /// Writes the gathered bytes.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.n_written < self.gathered.len() {
            match ready!(Pin::new(&mut self.stream).poll_write(context, &self.gathered[self.n_written..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                n => self.n_written += n,
            }
            self.must_flush = true;
        }
        let mut room = std::mem::take(&mut self.gathered);
        if room.capacity() > 0 {
            room.clear();
            ROOM.set(room);
        }
        self.n_written = 0;
        if self.must_flush {
            ready!(Pin::new(&mut self.stream).poll_flush(context))?;
            self.must_flush = false;
        }
        Poll::Ready(Ok(()))
    }
}

/// The connection's end of the stream.
pub(super) struct Gathering<S>(Arc<Mutex<State<S>>>);

impl<S> Gathering<S> {
    fn state(&self) -> MutexGuard<'_, State<S>> {
        // It is locked by one task alone. A panic ends that task, and with it the stream.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gathering<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.state().stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gathering<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[io::IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut state = self.state();
        if state.gathered.len() >= MAX_GATHERED {
            ready!(state.poll_send(context))?;
        }
        if state.gathered.capacity() == 0 {
            state.gathered = ROOM.take();
        }
        let mut n_taken = 0;
        for slice in slices {
            let room = MAX_GATHERED - state.gathered.len();
            let taken = &slice[..slice.len().min(room)];
            state.gathered.extend_from_slice(taken);
            n_taken += taken.len();
        }
        Poll::Ready(Ok(n_taken))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// Does nothing yet: [`gathering`] sends when the connection's turn is over.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.state();
        ready!(state.poll_send(context))?;
        Pin::new(&mut state.stream).poll_shutdown(context)
    }
}

/// Runs a connection over a stream, and sends the bytes that it has written after each of its turns. A connection that
/// ends has shut its side of the stream, or left it broken.
pub(super) async fn gathering<S, C>(stream: S, connection: impl FnOnce(Gathering<S>) -> C) -> C::Output
where
    S: AsyncRead + AsyncWrite + Unpin,
    C: Future,
{
    let state = Arc::new(Mutex::new(State { stream, gathered: Vec::new(), n_written: 0, must_flush: false }));
    let sender = Gathering(Arc::clone(&state));
    let mut connection = pin!(connection(Gathering(state)));
    std::future::poll_fn(move |context| {
        let turn = connection.as_mut().poll(context);
        // If the bytes cannot be sent now, this task is woken when they can. The connection meets an error again, since
        // it reads from the same stream.
        let sent = sender.state().poll_send(context);
        match turn {
            Poll::Ready(output) => Poll::Ready(output),
            Poll::Pending => {
                drop(sent);
                Poll::Pending
            }
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    /// A stream that takes `width` bytes at once, passes them on when it is flushed, and does nothing every second time
    /// if it is slow.
    struct Narrow {
        taken: Arc<Mutex<Vec<Vec<u8>>>>,
        held: Vec<Vec<u8>>,
        width: usize,
        is_slow: bool,
        n_asked: usize,
    }

    impl AsyncRead for Narrow {
        fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    impl AsyncWrite for Narrow {
        fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            self.n_asked += 1;
            if self.is_slow && self.n_asked.is_multiple_of(2) {
                return Poll::Pending;
            }
            let taken = bytes[..bytes.len().min(self.width)].to_vec();
            let n = taken.len();
            self.held.push(taken);
            Poll::Ready(Ok(n))
        }

        fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            self.n_asked += 1;
            if self.is_slow && self.n_asked.is_multiple_of(2) {
                return Poll::Pending;
            }
            let held = std::mem::take(&mut self.held);
            self.taken.lock().unwrap().extend(held);
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    /// Writes frames of these sizes, a turn each list, and flushes after each frame as HTTP/2 does.
    fn write(turns: &[&[usize]], width: usize, is_slow: bool) -> (Vec<u8>, Vec<Vec<u8>>) {
        let taken = Arc::default();
        let stream = Narrow { taken: Arc::clone(&taken), held: Vec::new(), width, is_slow, n_asked: 0 };
        let mut all = Vec::new();
        let frames: Vec<Vec<Vec<u8>>> = turns
            .iter()
            .map(|turn| {
                let mut frame = |&size: &usize| {
                    let frame: Vec<u8> = (0..size).map(|n| ((all.len() + n) % 251) as u8).collect();
                    all.extend_from_slice(&frame);
                    frame
                };
                turn.iter().map(&mut frame).collect()
            })
            .collect();
        let run = |mut stream: Gathering<Narrow>| {
            let mut turns = frames.into_iter();
            let mut rest: std::collections::VecDeque<Vec<u8>> = std::collections::VecDeque::new();
            std::future::poll_fn(move |context| {
                if rest.is_empty() {
                    match turns.next() {
                        Some(turn) => rest.extend(turn),
                        None => return Pin::new(&mut stream).poll_shutdown(context).map(|it| it.unwrap()),
                    }
                }
                while let Some(frame) = rest.front_mut() {
                    let n = ready!(Pin::new(&mut stream).poll_write(context, frame)).unwrap();
                    frame.drain(..n);
                    if frame.is_empty() {
                        ready!(Pin::new(&mut stream).poll_flush(context)).unwrap();
                        rest.pop_front();
                    }
                }
                Poll::Pending
            })
        };
        let mut future = pin!(gathering(stream, run));
        let mut context = Context::from_waker(Waker::noop());
        while future.as_mut().poll(&mut context).is_pending() {}
        let taken = taken.lock().unwrap().clone();
        (all, taken)
    }

    #[test]
    fn a_turn_is_one_write_and_nothing_is_lost() {
        let wide = usize::MAX;
        for (turns, width, is_slow, n_writes) in [
            (&[&[9, 16_384, 9, 16_384, 9, 3_000, 10][..]][..], wide, false, Some(1)),
            (&[&[100; 600][..], &[1], &[], &[5, 5]], wide, false, Some(3)),
            (&[&[100_000, 100_000]], wide, false, Some(4)),
            (&[&[100_000, 7], &[200_000]], 1000, false, None),
            (&[&[100_000, 7], &[200_000, 1, 1]], 4096, true, None),
            (&[], wide, false, Some(0)),
        ] {
            let (sent, taken) = write(turns, width, is_slow);
            assert_eq!(taken.concat(), sent, "{turns:?} {width}");
            assert!(n_writes.is_none_or(|it| it == taken.len()), "{turns:?}: {}", taken.len());
        }
    }
}
