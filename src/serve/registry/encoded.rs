//! Messages as bytes, in pieces: the ClusterServiceVersion of a bundle, which its message has twice, is held once. Messages that are kept are
//! compressed.
//!
//! What it deliberately does not do: it frames nothing, and knows no network.

use std::cell::RefCell;

use bytes::{BufMut, Bytes};
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use super::message::Bundle;

/// The tags of the fields of [`Bundle`] that are large.
const CSV_JSON: u32 = 4;
const OBJECT: u32 = 5;

/// Shorter messages are kept as they are.
const MIN_PACKED: usize = 1 << 10;

/// The level of compression: the fastest, which makes a bundle a fifth.
const LEVEL: i32 = 1;

/// An encoded message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded(Form);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    Pieces {
        pieces: Vec<Bytes>,
        /// Bytes of those that are not another one again.
        n_held: usize,
    },
    Packed {
        /// A frame of zstd.
        frame: Bytes,
        /// Bytes of what is in it.
        len: usize,
    },
}

impl Encoded {
    /// Any message, as one piece.
    #[must_use]
    pub fn of(message: &impl Message) -> Self {
        message.encode_to_vec().into()
    }

    /// The message of a bundle. Its large fields follow the others: readers take fields in any order.
    #[must_use]
    pub fn of_bundle(mut bundle: Bundle) -> Self {
        let csv = exact(std::mem::take(&mut bundle.csv_json));
        let objects = std::mem::take(&mut bundle.object);
        let mut small = bundle.encode_to_vec();
        let mut n_repeated = 0;
        let mut pieces = Vec::new();
        let mut add = |tag: u32, text: Bytes| {
            encode_key(tag, WireType::LengthDelimited, &mut small);
            encode_varint(text.len() as u64, &mut small);
            pieces.extend([std::mem::take(&mut small).into(), text]);
        };
        if !csv.is_empty() {
            add(CSV_JSON, csv.clone());
        }
        for object in objects {
            if object.as_bytes() == csv {
                n_repeated += csv.len();
                add(OBJECT, csv.clone());
            } else {
                add(OBJECT, exact(object));
            }
        }
        if !small.is_empty() {
            pieces.push(small.into());
        }
        let n_held = bytes_of(&pieces) - n_repeated;
        Self(Form::Pieces { pieces, n_held })
    }

    /// The same in less memory, if that is possible. `place` says where its bytes are to stay.
    #[must_use]
    pub fn packed(&self, place: impl FnOnce(&[u8]) -> Bytes) -> Self {
        let Form::Pieces { pieces, .. } = &self.0 else { return self.clone() };
        let len = bytes_of(pieces);
        if len < MIN_PACKED {
            return self.clone();
        }
        WORKSHOP.with_borrow_mut(|workshop| match workshop.pack(pieces, len) {
            Some(frame) if frame.len() < self.held() => Self(Form::Packed { frame: place(frame), len }),
            _ => self.clone(),
        })
    }

    /// The same with the bytes of a packed message at another place.
    #[must_use]
    pub fn moved(&self, place: impl FnOnce(&[u8]) -> Bytes) -> Self {
        match &self.0 {
            Form::Pieces { .. } => self.clone(),
            Form::Packed { frame, len } => Self(Form::Packed { frame: place(frame), len: *len }),
        }
    }

    /// Its bytes, all in all.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Pieces { pieces, .. } => bytes_of(pieces),
            Form::Packed { len, .. } => *len,
        }
    }

    /// Whether it has none, as a message of defaults.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// About how much memory it takes.
    #[must_use]
    pub fn held(&self) -> usize {
        match &self.0 {
            Form::Pieces { pieces, n_held } => size_of_val(pieces.as_slice()) + n_held,
            Form::Packed { frame, .. } => frame.len(),
        }
    }

    /// Appends its bytes.
    pub fn write(&self, out: &mut impl BufMut) {
        match &self.0 {
            Form::Pieces { pieces, .. } => pieces.iter().for_each(|it| out.put_slice(it)),
            Form::Packed { frame, len } => {
                WORKSHOP.with_borrow_mut(|it| it.unpack(frame, *len, |text| out.put_slice(text)));
            }
        }
    }
}

impl From<Vec<u8>> for Encoded {
    fn from(bytes: Vec<u8>) -> Self {
        let n_held = bytes.len();
        Self(Form::Pieces { pieces: vec![bytes.into()], n_held })
    }
}

/// What packs and unpacks messages, which a thread keeps: to make it costs more than most messages, and memory that comes and goes between
/// answers that stay is never given back.
struct Workshop {
    /// Fails to be made only without memory; then nothing is packed.
    compressor: Option<zstd::bulk::Compressor<'static>>,
    decompressor: zstd::bulk::Decompressor<'static>,
    text: Vec<u8>,
    frame: Vec<u8>,
}

thread_local! {
    static WORKSHOP: RefCell<Workshop> = RefCell::new(Workshop {
        compressor: zstd::bulk::Compressor::new(LEVEL).ok(),
        decompressor: zstd::bulk::Decompressor::default(),
        text: Vec::new(),
        frame: Vec::new(),
    });
}

impl Workshop {
    /// Bytes of a buffer that stay.
    const MAX_ROOM: usize = 256 << 10;

    fn pack(&mut self, pieces: &[Bytes], len: usize) -> Option<&[u8]> {
        self.clean();
        self.text.reserve(len);
        pieces.iter().for_each(|it| self.text.put_slice(it));
        self.frame.reserve(zstd::zstd_safe::compress_bound(self.text.len()));
        self.compressor.as_mut()?.compress_to_buffer(&self.text, &mut self.frame).ok()?;
        Some(&self.frame)
    }

    fn unpack(&mut self, frame: &[u8], len: usize, take: impl FnOnce(&[u8])) {
        self.clean();
        self.text.reserve(len);
        let unpacked = self.decompressor.decompress_to_buffer(frame, &mut self.text);
        unpacked.expect("`pack` made the frame of so many bytes, and there is room for them");
        take(&self.text);
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

fn bytes_of(pieces: &[Bytes]) -> usize {
    pieces.iter().map(Bytes::len).sum()
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
            let mut bytes = Vec::new();
            encoded.write(&mut bytes);
            assert_eq!((bytes.len(), encoded.is_empty()), (encoded.len(), bytes.is_empty()));
            assert_eq!(bytes.len(), message.encoded_len());
            assert_eq!(Bundle::decode(bytes.as_slice()).unwrap(), message);
            assert!((n_held..n_held + 500).contains(&encoded.held()), "{}", encoded.held());
            let packed = encoded.packed(Bytes::copy_from_slice);
            let mut again = Vec::new();
            packed.write(&mut again);
            assert_eq!((packed.len(), again), (encoded.len(), bytes));
            assert!(packed.held() <= encoded.held().min(500), "{}", packed.held());
            assert_eq!(packed.moved(Bytes::copy_from_slice), packed);
            assert_eq!(packed.packed(Bytes::copy_from_slice), packed);
        }
    }
}
