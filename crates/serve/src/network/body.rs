//! The body of an answer of gRPC: messages, each behind its length, then the status.
//!
//! This module copies no large message, and makes none. A source that makes messages while they are sent hands on many
//! at once, since waking a connection costs more than making one.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BufMut as _, Bytes, BytesMut};
use hyper::HeaderMap;
use hyper::body::Frame;
use tokio::sync::mpsc;
use tonic::Status;

use super::budget::{Budget, Full, Lease, MAX_BATCH};
use super::connections::Connection;
use crate::answers::Messages;
use crate::registry::encoded::Encoded;

/// Shorter pieces of messages are copied together.
const MIN_PIECE: usize = 4 << 10;

/// Messages behind their lengths.
#[derive(Debug, Default)]
pub(super) struct Frames {
    pieces: VecDeque<Bytes>,
    /// The bytes behind the pieces.
    small: BytesMut,
    len: usize,
    /// Their share of the budget.
    held: Option<Lease>,
}

impl Frames {
    /// The frames of these messages.
    pub(super) fn of<'m>(messages: impl IntoIterator<Item = &'m Encoded>) -> Self {
        let mut frames = Self::default();
        messages.into_iter().for_each(|it| frames.add(it));
        frames
    }

    /// Adds a message.
    pub(super) fn add(&mut self, message: &Encoded) {
        // It is not compressed.
        self.small.put_u8(0);
        // No document has 4 GiB.
        self.small.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
        for piece in message.pieces() {
            if piece.len() < MIN_PIECE {
                self.small.extend_from_slice(&piece);
            } else {
                self.end_small();
                self.pieces.push_back(piece);
            }
        }
        self.len += 5 + message.len();
    }

    /// The same frames, which give back a part of the budget when they are sent.
    pub(super) fn held(self, held: Lease) -> Self {
        Self { held: Some(held), ..self }
    }

    /// The number of bytes.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    fn end_small(&mut self) {
        if !self.small.is_empty() {
            self.pieces.push_back(self.small.split().freeze());
        }
    }
}

/// Frames on their way.
#[derive(Debug)]
pub(super) struct Pieces {
    pieces: VecDeque<Bytes>,
    n_left: usize,
    _held: Option<Lease>,
}

impl From<Frames> for Pieces {
    fn from(mut frames: Frames) -> Self {
        frames.end_small();
        Self { pieces: frames.pieces, n_left: frames.len, _held: frames.held }
    }
}

impl Buf for Pieces {
    fn remaining(&self) -> usize {
        self.n_left
    }

    fn chunk(&self) -> &[u8] {
        self.pieces.front().map_or(&[], |it| it)
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let mut n = 0;
        for (slice, piece) in slices.iter_mut().zip(&self.pieces) {
            *slice = IoSlice::new(piece);
            n += 1;
        }
        n
    }

    fn advance(&mut self, mut n: usize) {
        self.n_left -= n;
        while let Some(front) = self.pieces.front_mut().filter(|_| n > 0) {
            if n < front.len() {
                front.advance(n);
                break;
            }
            n -= front.len();
            self.pieces.pop_front();
        }
    }
}

/// The body of an answer.
#[derive(Default)]
pub(super) enum Body {
    /// Messages that are there. They are unpacked when their turn comes.
    Whole(Whole),
    /// Messages that are made while they are sent.
    Made(mpsc::Receiver<Result<Frames, Status>>),
    /// No messages, only the status.
    Ended(Status),
    /// No message.
    #[default]
    Empty,
}

/// Messages that are there.
pub(super) struct Whole {
    messages: Messages,
    /// How many were taken.
    n_taken: usize,
    /// The share of the messages in the budget; those that are sent at once take it with them.
    held: Option<Lease>,
    /// The budget that pays for unpacked messages; `None` for small ones.
    payer: Option<(Arc<Budget>, Arc<Connection>)>,
    /// A payment that is waited for.
    payment: Option<Payment>,
}

type Payment = Pin<Box<dyn Future<Output = Result<Lease, Full>> + Send>>;

impl Whole {
    /// Messages that are sent at once.
    pub(super) fn small(messages: Messages, held: Option<Lease>) -> Self {
        Self { messages, n_taken: 0, held, payer: None, payment: None }
    }

    /// Messages in batches, each of which waits until there is room for it.
    pub(super) fn large(
        messages: Messages,
        held: Option<Lease>,
        budget: Arc<Budget>,
        connection: Arc<Connection>,
    ) -> Self {
        Self { payer: Some((budget, connection)), ..Self::small(messages, held) }
    }

    /// The next messages, none at the end.
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<Result<Frames, Full>> {
        let (mut n, mut len) = (0, 0);
        while let Some(message) = self.messages.get(self.n_taken + n).filter(|_| len < MAX_BATCH) {
            len += message.len();
            n += 1;
        }
        let mut held = None;
        if let Some((budget, connection)) = self.payer.as_ref().filter(|_| n > 0) {
            let paid = match &mut self.payment {
                Some(payment) => ready!(payment.as_mut().poll(context)),
                None => match budget.try_hold(connection, len) {
                    Ok(held) => Ok(held),
                    Err(Full) => {
                        let (budget, connection) = (Arc::clone(budget), Arc::clone(connection));
                        let payment = self.payment.insert(Box::pin(async move { budget.hold(&connection, len).await }));
                        ready!(payment.as_mut().poll(context))
                    }
                },
            };
            self.payment = None;
            held = Some(paid?);
        }
        let mut frames = Frames::of(&self.messages[self.n_taken..self.n_taken + n]);
        self.n_taken += n;
        frames.held = held.or_else(|| self.held.take());
        Poll::Ready(Ok(frames))
    }
}

impl From<Whole> for Body {
    fn from(whole: Whole) -> Self {
        Self::Whole(whole)
    }
}

impl hyper::body::Body for Body {
    type Data = Pieces;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Pieces>, Infallible>>> {
        loop {
            let ended = || Self::Ended(Status::ok(""));
            match &mut *self {
                Self::Whole(whole) => match ready!(whole.poll_frames(context)) {
                    Ok(frames) if frames.len() > 0 => return Poll::Ready(Some(Ok(Frame::data(frames.into())))),
                    Ok(_) => *self = ended(),
                    Err(Full) => *self = Self::Ended(Status::unavailable("clients take too little of their answers")),
                },
                Self::Made(made) => match ready!(made.poll_recv(context)) {
                    Some(Ok(frames)) => return Poll::Ready(Some(Ok(Frame::data(frames.into())))),
                    Some(Err(status)) => *self = Self::Ended(status),
                    None => *self = ended(),
                },
                Self::Ended(status) => {
                    let mut trailers = HeaderMap::with_capacity(2);
                    // It has no metadata, and its message is escaped, so that each value can be one of a header.
                    let _ = status.add_header(&mut trailers);
                    *self = Self::Empty;
                    return Poll::Ready(Some(Ok(Frame::trailers(trailers))));
                }
                Self::Empty => return Poll::Ready(None),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Empty)
    }
}

#[cfg(test)]
mod tests {
    use hyper::body::Body as _;

    use super::*;

    fn message(len: usize) -> Encoded {
        (0..len).map(|it| (it % 251) as u8).collect::<Vec<u8>>().into()
    }

    /// The bytes on the wire of messages of these lengths.
    fn wire(lens: &[usize]) -> Vec<u8> {
        let frame = |len: &usize| {
            let head = [&[0][..], &u32::try_from(*len).unwrap().to_be_bytes()].concat();
            [head, message(*len).pieces().concat()].concat()
        };
        lens.iter().flat_map(frame).collect()
    }

    #[test]
    fn frames_are_what_was_added_however_they_are_taken() {
        for lens in [&[][..], &[0], &[1, 0, 7], &[MIN_PIECE - 1], &[MIN_PIECE, 3, MIN_PIECE], &[100_000, 100_000, 5]] {
            let messages: Vec<Encoded> = lens.iter().map(|it| message(*it)).collect();
            let expected = wire(lens);
            for step in [1, 5, 4096, usize::MAX] {
                let frames = Frames::of(&messages);
                assert_eq!(frames.len(), expected.len(), "{lens:?}");
                let mut pieces = Pieces::from(frames);
                let mut slices = [IoSlice::new(&[]); 64];
                let n_slices = pieces.chunks_vectored(&mut slices);
                let seen: Vec<u8> = slices[..n_slices].iter().flat_map(|it| it.to_vec()).collect();
                assert_eq!(seen, expected, "{lens:?}");
                let mut taken = Vec::new();
                while pieces.has_remaining() {
                    let n = pieces.chunk().len().min(step);
                    taken.extend_from_slice(&pieces.chunk()[..n]);
                    pieces.advance(n);
                }
                assert!(pieces.chunk().is_empty());
                assert_eq!(taken, expected, "{lens:?} {step}");
            }
            let mut pieces = Pieces::from(Frames::of(&messages));
            let len = expected.len();
            assert_eq!(pieces.copy_to_bytes(len), expected, "{lens:?}");
        }
    }

    /// The content of a body: bytes, then the status.
    fn read(mut body: Body) -> (Vec<u8>, Vec<String>) {
        let mut context = Context::from_waker(std::task::Waker::noop());
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        while let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut body).poll_frame(&mut context) {
            match frame.into_data() {
                Ok(mut data) => {
                    let n_bytes = data.remaining();
                    assert!(n_bytes > 0);
                    bytes.extend_from_slice(&data.copy_to_bytes(n_bytes));
                }
                Err(frame) => {
                    let trailers = frame.into_trailers().unwrap();
                    let status = trailers["grpc-status"].to_str().unwrap();
                    let words = trailers.get("grpc-message").map_or("", |it| it.to_str().unwrap());
                    ends.push(format!("{status} {words}"));
                }
            }
        }
        assert!(body.is_end_stream());
        (bytes, ends)
    }

    #[test]
    fn a_body_ends_with_one_status() {
        assert_eq!(read(Body::default()), (vec![], vec![]));
        for lens in [&[][..], &[5], &[0, 0], &[MAX_BATCH, 1, 20_000, 20_000, 3 * MAX_BATCH, 7]] {
            let messages: Messages = lens.iter().map(|it| message(*it)).collect();
            assert_eq!(read(Whole::small(messages, None).into()), (wire(lens), vec!["0 ".to_owned()]), "{lens:?}");
        }
        for (end, expected) in [(None, "0 "), (Some(Status::unknown("no \"x\"\nü")), "2 no%20%22x%22%0A%C3%BC")] {
            let (to, from) = mpsc::channel(4);
            to.try_send(Ok(Frames::of(&[message(5), message(9000)]))).unwrap();
            to.try_send(Ok(Frames::of(&[message(0)]))).unwrap();
            if let Some(status) = end {
                to.try_send(Err(status)).unwrap();
                // Nothing is sent after a status.
                to.try_send(Ok(Frames::of(&[message(1)]))).unwrap();
            }
            drop(to);
            assert_eq!(read(Body::Made(from)), (wire(&[5, 9000, 0]), vec![expected.to_owned()]));
        }
    }
}
