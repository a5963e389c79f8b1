//! Messages as bytes, in pieces: the ClusterServiceVersion of a bundle, which its message has twice, is held once.
//! Messages that are kept are compressed.
//!
//! This module frames nothing, and knows no network.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use super::message::Bundle;

/// The tags of the fields of [`Bundle`] that are large.
const CSV_JSON: u32 = 4;
const OBJECT: u32 = 5;

/// Shorter fields are no pieces of their own.
const MIN_PIECE: usize = 512;

/// The place of the only piece that can come again.
const REPEATED: usize = 1;

/// Shorter messages are kept as they are.
const MIN_PACKED: usize = 1 << 10;

/// The level of compression: the fastest, which makes a bundle a fifth.
const LEVEL: i32 = 1;

/// An encoded message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded(Form);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    /// The pieces of the message, in its order. A part that it has twice is the same bytes twice.
    Pieces(Vec<Bytes>),
    Packed {
        /// The pieces behind each other as a frame of zstd, each once.
        frame: Bytes,
        /// Bytes of the unpacked content.
        n_unpacked: usize,
        /// The places of the pieces in the unpacked content, in the order of the message.
        spans: Box<[Span]>,
        /// The unpacked content, as long as a reader holds it.
        unpacked: Unpacked,
    },
}

/// The unpacked bytes that are still on their way to a client: another client that asks for the same meanwhile gets the
/// same bytes, so that a hundred clients that read slowly hold them once.
#[derive(Debug, Clone, Default)]
struct Unpacked(Arc<Mutex<Weak<Vec<u8>>>>);

impl PartialEq for Unpacked {
    /// It does not affect whether messages are equal.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Unpacked {}

impl Unpacked {
    fn get(&self, unpack: impl FnOnce() -> Vec<u8>) -> Bytes {
        // A panic leaves the content intact.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = known.upgrade().unwrap_or_else(|| {
            let text = Arc::new(unpack());
            *known = Arc::downgrade(&text);
            text
        });
        Bytes::from_owner(Text(text))
    }
}

/// Bytes that several have.
struct Text(Arc<Vec<u8>>);

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// The first byte of a piece and how many it has.
type Span = (u32, u32);

impl Encoded {
    /// Any message, as one piece.
    pub fn of(message: &impl Message) -> Self {
        message.encode_to_vec().into()
    }

    /// The message of a bundle. Its large fields follow the others: readers take fields in any order.
    pub fn of_bundle(mut bundle: Bundle) -> Self {
        let csv = exact(std::mem::take(&mut bundle.csv_json));
        let objects = std::mem::take(&mut bundle.object);
        let mut small = bundle.encode_to_vec();
        let mut pieces = Vec::new();
        let mut add = |tag: u32, text: Bytes| {
            encode_key(tag, WireType::LengthDelimited, &mut small);
            encode_varint(text.len() as u64, &mut small);
            match text.len() < MIN_PIECE {
                true => small.extend_from_slice(&text),
                false => pieces.extend([std::mem::take(&mut small).into(), text]),
            }
        };
        // It goes first, so that it is the piece at `REPEATED`.
        if !csv.is_empty() {
            add(CSV_JSON, csv.clone());
        }
        for object in objects {
            match object.as_bytes() == csv {
                true => add(OBJECT, csv.clone()),
                false => add(OBJECT, exact(object)),
            }
        }
        if !small.is_empty() {
            pieces.push(small.into());
        }
        Self(Form::Pieces(pieces))
    }

    /// The same message in less memory, if that is possible. `place` decides where its bytes are kept.
    pub fn packed(&self, place: impl FnOnce(&[u8]) -> Bytes) -> Self {
        let Form::Pieces(pieces) = &self.0 else { return self.clone() };
        if self.len() < MIN_PACKED {
            return self.clone();
        }
        let packed = pack(pieces, |frame, spans| {
            let is_less = frame.len() + size_of_val(&*spans) < self.held();
            let n_unpacked = spans.iter().map(|(start, len)| (start + len) as usize).max().unwrap_or_default();
            is_less
                .then(|| Self(Form::Packed { frame: place(frame), n_unpacked, spans, unpacked: Unpacked::default() }))
        });
        packed.flatten().unwrap_or_else(|| self.clone())
    }

    /// The same message with its packed bytes at another place.
    pub fn moved(&self, place: impl FnOnce(&[u8]) -> Bytes) -> Self {
        match &self.0 {
            Form::Pieces(_) => self.clone(),
            Form::Packed { frame, n_unpacked, spans, unpacked } => Self(Form::Packed {
                frame: place(frame),
                n_unpacked: *n_unpacked,
                spans: spans.clone(),
                unpacked: unpacked.clone(),
            }),
        }
    }

    /// Its bytes, all in all.
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Pieces(pieces) => pieces.iter().map(Bytes::len).sum(),
            Form::Packed { spans, .. } => spans.iter().map(|(_, len)| *len as usize).sum(),
        }
    }

    /// Whether it has none, as a message of defaults.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// About how much memory it takes.
    pub fn held(&self) -> usize {
        match &self.0 {
            Form::Pieces(pieces) => {
                let once = pieces.iter().enumerate().filter(|(idx, _)| !is_again(pieces, *idx));
                size_of_val(pieces.as_slice()) + once.map(|(_, it)| it.len()).sum::<usize>()
            }
            Form::Packed { frame, spans, .. } => frame.len() + size_of_val(&**spans),
        }
    }

    /// Its pieces, in its order.
    pub fn pieces(&self) -> Vec<Bytes> {
        match &self.0 {
            Form::Pieces(pieces) => pieces.clone(),
            Form::Packed { frame, n_unpacked, spans, unpacked } => {
                let all = unpacked.get(|| unpack(frame, *n_unpacked));
                spans.iter().map(|(start, len)| all.slice(*start as usize..(start + len) as usize)).collect()
            }
        }
    }
}

/// Whether a piece is one that came before.
fn is_again(pieces: &[Bytes], idx: usize) -> bool {
    let (piece, repeated) = (&pieces[idx], pieces.get(REPEATED));
    idx > REPEATED && repeated.is_some_and(|it| it.as_ptr() == piece.as_ptr() && it.len() == piece.len())
}

impl From<Vec<u8>> for Encoded {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Form::Pieces(vec![bytes.into()]))
    }
}

/// The packer of messages. Making it costs more than packing most of them, and a message is packed once, so all threads
/// share one.
struct Packer {
    compressor: zstd::bulk::Compressor<'static>,
    text: Vec<u8>,
    frame: Vec<u8>,
}

/// `None` until a message is packed.
static PACKER: Mutex<Option<Packer>> = Mutex::new(None);

thread_local! {
    static DECOMPRESSOR: RefCell<zstd::bulk::Decompressor<'static>> = RefCell::default();
}

/// Packs pieces, and hands on their frame and their places in the unpacked content. `None` if that is not possible.
fn pack<T>(pieces: &[Bytes], take: impl FnOnce(&[u8], Box<[Span]>) -> T) -> Option<T> {
    // A panic leaves buffers behind, which are emptied.
    let mut packer = PACKER.lock().unwrap_or_else(PoisonError::into_inner);
    let packer = match &mut *packer {
        Some(packer) => packer,
        // It fails only without memory.
        none => none.insert(Packer::new().ok()?),
    };
    packer.clean();
    let (frame, spans) = packer.pack(pieces)?;
    Some(take(frame, spans))
}

fn unpack(frame: &[u8], n_unpacked: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(n_unpacked);
    let unpacked = DECOMPRESSOR.with_borrow_mut(|it| it.decompress_to_buffer(frame, &mut text));
    unpacked.expect("`pack` made the frame of so many bytes, and there is room for them");
    text
}

impl Packer {
    /// Bytes of a buffer that stay.
    const MAX_ROOM: usize = 64 << 10;

    fn new() -> std::io::Result<Self> {
        Ok(Self { compressor: zstd::bulk::Compressor::new(LEVEL)?, text: Vec::new(), frame: Vec::new() })
    }

    /// A frame of the pieces, each once, and their places in the unpacked content.
    fn pack(&mut self, pieces: &[Bytes]) -> Option<(&[u8], Box<[Span]>)> {
        let mut spans: Vec<Span> = Vec::with_capacity(pieces.len());
        for (idx, piece) in pieces.iter().enumerate() {
            if is_again(pieces, idx) {
                spans.push(spans[REPEATED]);
                continue;
            }
            let start = self.text.len();
            self.text.extend_from_slice(piece);
            // So are both ends.
            u32::try_from(self.text.len()).ok()?;
            spans.push((start as u32, piece.len() as u32));
        }
        self.frame.reserve(zstd::zstd_safe::compress_bound(self.text.len()));
        self.compressor.compress_to_buffer(&self.text, &mut self.frame).ok()?;
        Some((&self.frame, spans.into()))
    }

    fn clean(&mut self) {
        for buffer in [&mut self.text, &mut self.frame] {
            buffer.clear();
            buffer.shrink_to(Self::MAX_ROOM);
        }
    }
}

/// A text without the room that it grew into: answers that are kept are counted by their bytes.
fn exact(mut text: String) -> Bytes {
    text.shrink_to_fit();
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(csv: &str, objects: &[&str]) -> Bundle {
        Bundle {
            csv_name: "till.v1.0.0".to_owned(),
            package_name: "till".to_owned(),
            csv_json: csv.to_owned(),
            object: objects.iter().map(|it| (*it).to_owned()).collect(),
            version: "1.0.0".to_owned(),
            ..Bundle::default()
        }
    }

    #[test]
    fn pieces_are_the_message_and_hold_a_manifest_once() {
        let csv = "x".repeat(1000);
        for (message, n_held) in [
            (Bundle::default(), 0),
            (bundle("", &[]), 0),
            (bundle("", &["a", ""]), 0),
            (bundle(&csv, &[]), 1000),
            (bundle(&csv, &["a", &csv, "b"]), 1000),
            (bundle(&csv, &[&csv, "other"]), 1000),
        ] {
            let encoded = Encoded::of_bundle(message.clone());
            let bytes = encoded.pieces().concat();
            assert_eq!((bytes.len(), encoded.is_empty()), (encoded.len(), bytes.is_empty()));
            assert_eq!(bytes.len(), message.encoded_len());
            assert_eq!(Bundle::decode(bytes.as_slice()).unwrap(), message);
            assert!((n_held..n_held + 500).contains(&encoded.held()), "{}", encoded.held());
            let packed = encoded.packed(Bytes::copy_from_slice);
            assert_eq!((packed.len(), packed.pieces().concat()), (encoded.len(), bytes));
            assert!(packed.held() <= encoded.held().min(500), "{}", packed.held());
            assert_eq!(packed.moved(Bytes::copy_from_slice), packed);
            assert_eq!(packed.packed(Bytes::copy_from_slice), packed);
            if matches!(packed.0, Form::Packed { .. }) {
                // Concurrent readers of one cached answer get identical bytes, even after it moved.
                let (first, second) = (packed.pieces(), packed.moved(Bytes::copy_from_slice).pieces());
                assert!(first.iter().zip(&second).all(|(a, b)| a.as_ptr() == b.as_ptr()));
            }
        }
    }
}
