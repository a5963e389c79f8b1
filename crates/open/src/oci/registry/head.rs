//! Bounds what a server sends beside the content of its answer: `100 Continue` before the headers, extensions of chunks
//! and trailers in the body may have no end.

use std::cell::Cell;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// How many bytes may come before an answer and with its headers, which have 64 KiB at most themselves; and how many
/// more than it gives for each read of its body.
const MAX_HEAD: usize = 256 << 10;

/// For how long a read of a body may give nothing although bytes come.
const MAX_READ: Duration = Duration::from_secs(120);

thread_local! {
    /// How many bytes may still come on this thread; `None` while no answer is waited for.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    /// When the read of a body began.
    static READ_BEGAN: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Runs a request on this thread until the headers of its answer are there. A server that has sent something else in
/// all the time that it had is not asked again.
pub(super) fn within_limit<T>(run: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    LEFT.set(Some(MAX_HEAD));
    let answer = run();
    let is_begun = LEFT.replace(None).is_some_and(|left| left < MAX_HEAD);
    match answer {
        Err(Error::Timeout(_)) if is_begun => Err(refused("it sends no end of an answer".to_owned())),
        answer => answer,
    }
}

/// The body of an answer. Each read of it has its own limit.
pub(super) struct BoundedBody<R>(pub(super) R);

impl<R: Read> Read for BoundedBody<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        LEFT.set(Some(MAX_HEAD.saturating_add(buffer.len())));
        READ_BEGAN.set(Some(Instant::now()));
        let read = self.0.read(buffer);
        LEFT.set(None);
        READ_BEGAN.set(None);
        read
    }
}

fn refused(message: String) -> Error {
    Error::Io(io::Error::new(io::ErrorKind::InvalidData, message))
}

/// Counts the bytes of each connection.
#[derive(Debug)]
pub(super) struct HeadLimit;

/// A connection whose bytes are counted.
#[derive(Debug)]
pub(super) struct Counted<T>(T);

impl<T: Transport> Connector<T> for HeadLimit {
    type Out = Counted<T>;

    fn connect(&self, _: &ConnectionDetails<'_>, chained: Option<T>) -> Result<Option<Counted<T>>, Error> {
        Ok(chained.map(Counted))
    }
}

impl<T: Transport> Transport for Counted<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.0.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let before = self.0.buffers().input().len();
        let is_more = self.0.await_input(timeout)?;
        let n_bytes = self.0.buffers().input().len().saturating_sub(before);
        match LEFT.get().map(|left| left.checked_sub(n_bytes)) {
            None => {}
            Some(Some(left)) => LEFT.set(Some(left)),
            Some(None) if READ_BEGAN.get().is_some() => {
                return Err(refused(format!("it sends more than {} KiB that are no content", MAX_HEAD >> 10)));
            }
            Some(None) => return Err(refused(format!("it sends more than {} KiB before an answer", MAX_HEAD >> 10))),
        }
        if READ_BEGAN.get().is_some_and(|began| began.elapsed() > MAX_READ) {
            return Err(refused(format!("it sends no content for {} seconds", MAX_READ.as_secs())));
        }
        Ok(is_more)
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        self.0.is_tls()
    }
}
