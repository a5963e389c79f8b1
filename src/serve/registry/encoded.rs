//! Messages as bytes, in pieces: the ClusterServiceVersion of a bundle, which its message has twice, is held once.
//!
//! What it deliberately does not do: it frames nothing, and knows no network.

use bytes::{BufMut, Bytes};
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use super::message::Bundle;

/// The tags of the fields of [`Bundle`] that are large.
const CSV_JSON: u32 = 4;
const OBJECT: u32 = 5;

/// An encoded message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    pieces: Vec<Bytes>,
    /// Bytes of those that are not another one again.
    n_held: usize,
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
        Self { pieces, n_held }
    }

    /// Its bytes, all in all.
    #[must_use]
    pub fn len(&self) -> usize {
        bytes_of(&self.pieces)
    }

    /// Whether it has none, as a message of defaults.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// About how much memory it takes.
    #[must_use]
    pub fn held(&self) -> usize {
        size_of_val(self.pieces.as_slice()) + self.n_held
    }

    /// Appends its bytes.
    pub fn write(&self, out: &mut impl BufMut) {
        self.pieces.iter().for_each(|it| out.put_slice(it));
    }
}

impl From<Vec<u8>> for Encoded {
    fn from(bytes: Vec<u8>) -> Self {
        let n_held = bytes.len();
        Self { pieces: vec![bytes.into()], n_held }
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
        }
    }
}
