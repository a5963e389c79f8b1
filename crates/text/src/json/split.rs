//! Finding where an object ends in text that arrives in pieces, without parsing it.

/// The result of [`ObjectScanner::scan`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectEnd {
    /// The object ends before this offset.
    At(usize),
    /// The text ends first; call again with more of it.
    NeedMore,
}

/// Follows braces and strings from the first byte of an object to its last, over any number of calls. It accepts every
/// balanced text: the [`super::Reader`] decides whether the object is valid.
#[derive(Debug, Default)]
pub struct ObjectScanner {
    /// The number of bytes that were scanned, from the start of the object.
    scanned: usize,
    depth: usize,
    in_string: bool,
}

impl ObjectScanner {
    /// A scanner at the start of an object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Continues over `bytes`, which start with the object and hold at least the bytes of earlier calls.
    pub fn scan(&mut self, bytes: &[u8]) -> ObjectEnd {
        let mut pos = self.scanned;
        loop {
            if self.in_string {
                match memchr::memchr2(b'"', b'\\', bytes.get(pos..).unwrap_or_default()) {
                    Some(at) if bytes[pos + at] == b'"' => {
                        pos += at + 1;
                        self.in_string = false;
                    }
                    // The escaped byte must be there too, or the next call starts at the backslash again.
                    Some(at) if pos + at + 1 < bytes.len() => pos += at + 2,
                    Some(at) => {
                        self.scanned = pos + at;
                        return ObjectEnd::NeedMore;
                    }
                    None => break,
                }
            } else {
                match memchr::memchr3(b'"', b'{', b'}', bytes.get(pos..).unwrap_or_default()) {
                    Some(at) => {
                        pos += at + 1;
                        match bytes[pos - 1] {
                            b'"' => self.in_string = true,
                            b'{' => self.depth += 1,
                            _ => {
                                self.depth = self.depth.saturating_sub(1);
                                if self.depth == 0 {
                                    self.scanned = pos;
                                    return ObjectEnd::At(pos);
                                }
                            }
                        }
                    }
                    None => break,
                }
            }
        }
        self.scanned = bytes.len();
        ObjectEnd::NeedMore
    }
}
