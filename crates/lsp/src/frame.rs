//! Messages on a stream: a header with the length, and a body of that length.
//!
//! A header is believed only up to a limit: no memory is taken for a body before its bytes are there, and a body beyond
//! the limit is skipped.

use std::io::{self, BufRead, Read as _, Write};

use thiserror::Error;

use olmdex_base::file::system_words;

/// The largest body that is kept: as large as the largest document, which arrives with its quotes escaped.
pub(super) const MAX_BODY: u64 = 80 << 20;

/// The longest line of a header.
const MAX_LINE: u64 = 4096;

/// The number of lines that a header may have.
const MAX_LINES: usize = 32;

/// A message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    Body(Vec<u8>),
    /// It was skipped because of its size in bytes.
    TooLarge(u64),
}

/// The reasons why a stream has no further message that could be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The stream cannot be read.
    #[error("cannot read from the client: {}", system_words(.0))]
    Io(#[from] io::Error),
    /// The stream ended inside of a message.
    #[error("the client stopped in the middle of a message")]
    Cut,
    /// A header is not one of the protocol, so the start of the next message is not known.
    #[error("the client sent a header that does not belong to the Language Server Protocol: {0}")]
    Header(&'static str),
}

/// Reads the next message; `None` at the end of the stream.
///
/// # Errors
/// [`FrameError`]
pub(super) fn read(input: &mut impl BufRead) -> Result<Option<Frame>, FrameError> {
    let mut length = None;
    for number in 0..MAX_LINES {
        let mut line = Vec::new();
        input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() && number == 0 {
            return Ok(None);
        }
        let Some(line) = line.strip_suffix(b"\n") else {
            return Err(if line.len() as u64 == MAX_LINE {
                FrameError::Header("a line without an end")
            } else {
                FrameError::Cut
            });
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            let length = length.ok_or(FrameError::Header("it has no `Content-Length`"))?;
            return body(input, length).map(Some);
        }
        let line = std::str::from_utf8(line).map_err(|_| FrameError::Header("it is not text"))?;
        let (name, value) = line.split_once(':').ok_or(FrameError::Header("a line without a colon"))?;
        if name.eq_ignore_ascii_case("Content-Length") {
            let value = value.trim();
            let is_number = !value.is_empty() && value.bytes().all(|it| it.is_ascii_digit());
            let number = value.parse().ok().filter(|_| is_number);
            length = Some(number.ok_or(FrameError::Header("its `Content-Length` is not a length"))?);
        }
    }
    Err(FrameError::Header("it has too many lines"))
}

fn body(input: &mut impl BufRead, length: u64) -> Result<Frame, FrameError> {
    let mut rest = input.by_ref().take(length);
    if length > MAX_BODY {
        let n = io::copy(&mut rest, &mut io::sink())?;
        return if n == length { Ok(Frame::TooLarge(length)) } else { Err(FrameError::Cut) };
    }
    let mut body = Vec::new();
    rest.read_to_end(&mut body)?;
    if body.len() as u64 == length { Ok(Frame::Body(body)) } else { Err(FrameError::Cut) }
}

/// Writes a message.
///
/// # Errors
/// If the stream cannot be written.
pub(super) fn write(output: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
    output.write_all(body)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(bytes: &[u8]) -> Result<Vec<Frame>, FrameError> {
        let mut input = bytes;
        let mut frames = Vec::new();
        while let Some(frame) = read(&mut input)? {
            frames.push(frame);
        }
        Ok(frames)
    }

    #[test]
    fn messages_follow_each_other() {
        let text = b"Content-Length: 2\r\n\r\n{}content-length:3\nContent-Type: x\n\n[1]";
        let frames = read_all(text).unwrap();
        assert_eq!(frames, [Frame::Body(b"{}".to_vec()), Frame::Body(b"[1]".to_vec())]);
        assert_eq!(read_all(b"").unwrap(), []);
        let mut out = Vec::new();
        write(&mut out, b"{}").unwrap();
        assert_eq!(out, b"Content-Length: 2\r\n\r\n{}");
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        for text in [
            "\r\n",
            "Content-Type: x\r\n\r\n{}",
            "Content-Length 2\r\n\r\n{}",
            "Content-Length: -1\r\n\r\n{}",
            "Content-Length: +1\r\n\r\n{}",
            "Content-Length: 99999999999999999999999999\r\n\r\n{}",
            "Content-Length: 18446744073709551615\r\n\r\n{}",
            "Content-Length: 3\r\n\r\n{}",
            "Content-Length: 2\r\n",
            "Content-Length: 2",
            "\u{fe}\u{ff}: 2\r\n\r\n{}",
        ] {
            assert!(read_all(text.as_bytes()).is_err(), "{text:?}");
        }
        let endless = vec![b'x'; 1 << 20];
        assert!(matches!(read_all(&endless), Err(FrameError::Header("a line without an end"))));
        let many = "A: b\r\n".repeat(100);
        assert!(matches!(read_all(many.as_bytes()), Err(FrameError::Header("it has too many lines"))));
    }

    #[test]
    fn a_message_beyond_the_limit_is_passed_over() {
        let length = MAX_BODY + 1;
        let mut text = format!("Content-Length: {length}\r\n\r\n").into_bytes();
        text.resize(text.len() + usize::try_from(length).unwrap(), b' ');
        text.extend_from_slice(b"Content-Length: 2\r\n\r\n{}");
        assert_eq!(read_all(&text).unwrap(), [Frame::TooLarge(length), Frame::Body(b"{}".to_vec())]);
    }
}
