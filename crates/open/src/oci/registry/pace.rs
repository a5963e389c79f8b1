//! How slowly a server may send or take: a byte a second is progress, and would last for ever.

use std::fmt;
use std::io::{self, Read};
use std::time::{Duration, Instant};

/// The least that is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// For how long bytes are counted.
    pub window: Duration,
    /// How many there must be in that time. One such time may have fewer, but not two in a row.
    pub least: u64,
    /// The time that a document may take as a whole: a manifest, a list, a token.
    pub document: Duration,
}

impl Default for Pace {
    /// 1 KiB a second, and two minutes for a document.
    fn default() -> Self {
        let window = Duration::from_secs(30);
        Self { window, least: 1024 * window.as_secs(), document: Duration::from_secs(120) }
    }
}

/// A transfer was too slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TooSlow {
    /// Fewer bytes than the least came in each of two windows.
    Least(Pace),
    /// A document took too long.
    Document(Pace),
}

impl fmt::Display for TooSlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Least(pace) => {
                write!(f, "fewer than {} bytes passed in {:?}, and again in the next", pace.least, pace.window)
            }
            Self::Document(pace) => write!(f, "a document took longer than {:?}", pace.document),
        }
    }
}

impl std::error::Error for TooSlow {}

impl TooSlow {
    /// The cause inside an error of reading, if it was this one.
    pub(super) fn of(error: &io::Error) -> Option<Self> {
        error.get_ref().and_then(|it| it.downcast_ref()).copied()
    }
}

/// Counts the bytes of a transfer.
struct Meter {
    pace: Pace,
    began: Instant,
    window_began: Instant,
    n_in_window: u64,
    n_slow: u32,
    is_document: bool,
}

/// The number of consecutive windows that may be slow: a server may have to fetch something itself first.
const SLOW_WINDOWS: u32 = 1;

impl Meter {
    fn new(pace: Pace, is_document: bool, now: Instant) -> Self {
        Self { pace, began: now, window_began: now, n_in_window: 0, n_slow: 0, is_document }
    }

    fn add(&mut self, n: usize, now: Instant) -> Result<(), TooSlow> {
        self.n_in_window += n as u64;
        if self.is_document && now.duration_since(self.began) > self.pace.document {
            return Err(TooSlow::Document(self.pace));
        }
        let elapsed = now.duration_since(self.window_began);
        if elapsed < self.pace.window {
            return Ok(());
        }
        self.n_slow = if self.n_in_window < self.pace.least { self.n_slow + 1 } else { 0 };
        if self.n_slow > SLOW_WINDOWS {
            return Err(TooSlow::Least(self.pace));
        }
        (self.window_began, self.n_in_window) = (now, 0);
        Ok(())
    }
}

/// Reads the bytes from a server, or those sent to it, and ends with [`TooSlow`].
pub(super) struct Paced<R> {
    inner: R,
    meter: Option<Meter>,
    pace: Pace,
    is_document: bool,
}

impl<R: Read> Paced<R> {
    pub(super) fn new(inner: R, pace: Pace) -> Self {
        Self { inner, meter: None, pace, is_document: false }
    }

    /// For a small document that is needed before anything else can go on.
    pub(super) fn document(inner: R, pace: Pace) -> Self {
        Self { is_document: true, ..Self::new(inner, pace) }
    }
}

impl<R: Read> Read for Paced<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Time begins with the first read: until then other code takes it.
        let (pace, is_document) = (self.pace, self.is_document);
        let meter = self.meter.get_or_insert_with(|| Meter::new(pace, is_document, Instant::now()));
        let n = self.inner.read(buffer)?;
        if n > 0 {
            meter.add(n, Instant::now()).map_err(io::Error::other)?;
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A transfer as bytes that come after a number of milliseconds each; the result is how many of them are accepted.
    fn accepted(is_document: bool, steps: impl Iterator<Item = (u64, usize)>) -> (usize, Option<TooSlow>) {
        let began = Instant::now();
        let mut meter = Meter::new(Pace::default(), is_document, began);
        let mut now = began;
        let mut n_accepted = 0;
        for (milliseconds, n) in steps {
            now += Duration::from_millis(milliseconds);
            if let Err(error) = meter.add(n, now) {
                return (n_accepted, Some(error));
            }
            n_accepted += 1;
        }
        (n_accepted, None)
    }

    #[test]
    fn slow_servers_are_given_up_and_others_are_not() {
        let pace = Pace::default();
        let (least, document) = (Some(TooSlow::Least(pace)), Some(TooSlow::Document(pace)));
        // One byte a second ends with the second window, whatever came before it in one burst.
        assert_eq!(accepted(false, std::iter::repeat_n((1000, 1), 100)), (59, least));
        let burst = std::iter::once((1000, 1 << 20)).chain(std::iter::repeat_n((1000, 1), 100));
        assert_eq!(accepted(false, burst), (89, least));
        // Two KiB a second may last for a day.
        assert_eq!(accepted(false, std::iter::repeat_n((1000, 2048), 86_400)), (86_400, None));
        // One pause is no reason to end; a second one right after it is.
        let pause = |n| std::iter::once((45_000, 16 << 10)).chain(std::iter::repeat_n((100, 16 << 10), n));
        assert_eq!(accepted(false, pause(400).chain(pause(400))), (802, None));
        assert_eq!(accepted(false, std::iter::repeat_n((45_000, 16 << 10), 9)), (1, least));
        // A small document ends within its time, and not with a window.
        assert_eq!(accepted(true, std::iter::repeat_n((1000, 2048), 86_400)), (120, document));
        assert_eq!(accepted(true, std::iter::repeat_n((100, 100), 20)), (20, None));
    }
}
