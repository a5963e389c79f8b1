//! The documents of a file's content in a few bytes each: each is stored as its difference from the one before.
//!
//! This module does not know whether the documents exist.

use olmdex_text::encoding::varint::{folded, put, take, unfolded};

/// A document at its place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlacedDocument {
    pub(super) document: i64,
    /// From 1.
    pub(super) line: u32,
    /// From 1, in characters.
    pub(super) column: u32,
    pub(super) layout: Option<i64>,
}

/// Packs documents in the order of their lines.
pub(super) fn pack(documents: &[PlacedDocument]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(documents.len() * 5);
    let (mut document, mut line) = (0_i64, 0_u32);
    for it in documents {
        let step = it.document.wrapping_sub(document);
        put(&mut bytes, folded(step));
        put(&mut bytes, u64::from(it.line.wrapping_sub(line)));
        put(&mut bytes, u64::from(it.column));
        put(&mut bytes, it.layout.map_or(0, |it| it.wrapping_add(1).cast_unsigned()));
        (document, line) = (it.document, it.line);
    }
    bytes
}

/// The documents again; `None` if the bytes do not come from [`pack`].
pub(super) fn unpack(mut bytes: &[u8]) -> Option<Vec<PlacedDocument>> {
    let mut documents = Vec::with_capacity(bytes.len() / 5);
    let (mut document, mut line) = (0_i64, 0_u32);
    while !bytes.is_empty() {
        document = document.wrapping_add(unfolded(take(&mut bytes)?));
        line = line.wrapping_add(u32::try_from(take(&mut bytes)?).ok()?);
        let column = u32::try_from(take(&mut bytes)?).ok()?;
        let layout = take(&mut bytes)?.checked_sub(1).map(u64::cast_signed);
        documents.push(PlacedDocument { document, line, column, layout });
    }
    Some(documents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_come_back_as_they_were() {
        let documents =
            [(7, 1, 1, Some(3)), (8, 4, 3, None), (2, 4, 90, Some(0)), (i64::MAX, u32::MAX, 1, None), (1, 1, 1, None)]
                .map(|(document, line, column, layout)| PlacedDocument { document, line, column, layout });
        assert_eq!(unpack(&pack(&documents)).unwrap(), documents);
        assert_eq!(unpack(&[]).unwrap(), []);
        assert!(pack(&documents[..2]).len() <= 8);
    }

    #[test]
    fn other_bytes_are_refused_or_harmless() {
        for bytes in [&[0x80_u8][..], &[1, 1], &[0xff; 11], &[0, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 1]] {
            assert!(unpack(bytes).is_none(), "{bytes:?}");
        }
    }
}
