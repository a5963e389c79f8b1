//! Collections in brackets, on one line.

use super::cursor::{Cursor, Scalar};
use super::event::{Declined, EventBody, Sink};

/// The longest key that is read here. libyaml's may have twice as many bytes; the rest is room for insertions into its
/// copy of the text.
pub(super) const MAX_KEY: usize = 500;

/// The depth that collections may have here.
pub(super) const MAX_DEPTH: usize = 500;

/// Reads a collection in brackets with all of its content. The cursor stays behind it.
pub(super) fn flow(cursor: &mut Cursor<'_>, sink: &mut impl Sink) -> Result<(), Declined> {
    // Whether each open collection is a mapping.
    let mut open = Vec::new();
    loop {
        cursor.skip_spaces();
        if !cursor.is_line_short() || open.len() > MAX_DEPTH {
            return Err(Declined);
        }
        let is_mapping = open.last() == Some(&true);
        let is_end = !open.is_empty() && cursor.byte() == closer(is_mapping);
        if !is_end {
            if is_mapping {
                key(cursor, sink)?;
            }
            if let is_mapping @ (b'[' | b'{') = cursor.byte() {
                let is_mapping = is_mapping == b'{';
                let body = if is_mapping {
                    EventBody::Mapping { is_flow: true }
                } else {
                    EventBody::Sequence { is_flow: true }
                };
                cursor.tell(sink, body, cursor.spot(), cursor.spot().behind(1))?;
                cursor.at += 1;
                open.push(is_mapping);
                continue;
            }
            let scalar = scalar(cursor)?;
            cursor.tell_scalar(sink, &scalar)?;
        }
        if close(cursor, sink, &mut open)? {
            return Ok(());
        }
    }
}

fn closer(is_mapping: bool) -> u8 {
    if is_mapping { b'}' } else { b']' }
}

/// Goes over the brackets behind an item, and the comma before the next one; returns whether that was all.
fn close(cursor: &mut Cursor<'_>, sink: &mut impl Sink, open: &mut Vec<bool>) -> Result<bool, Declined> {
    loop {
        cursor.skip_spaces();
        let Some(&is_mapping) = open.last() else { return Ok(true) };
        match cursor.byte() {
            b',' => {
                cursor.at += 1;
                return Ok(false);
            }
            byte if byte == closer(is_mapping) => {
                let body = if is_mapping { EventBody::MappingEnd } else { EventBody::SequenceEnd };
                cursor.tell(sink, body, cursor.spot(), cursor.spot().behind(1))?;
                cursor.at += 1;
                open.pop();
                if open.is_empty() {
                    return Ok(true);
                }
            }
            _ => return Err(Declined),
        }
    }
}

/// A key with its colon, up to its value.
fn key(cursor: &mut Cursor<'_>, sink: &mut impl Sink) -> Result<(), Declined> {
    let start = cursor.at;
    let key = scalar(cursor)?;
    cursor.skip_spaces();
    if cursor.byte() != b':' || cursor.at - start > MAX_KEY || cursor.is_merge_key(&key) {
        return Err(Declined);
    }
    cursor.tell_scalar(sink, &key)?;
    cursor.at += 1;
    cursor.skip_spaces();
    Ok(())
}

fn scalar(cursor: &mut Cursor<'_>) -> Result<Scalar, Declined> {
    let scalar = match cursor.byte() {
        b'\'' | b'"' => cursor.quoted()?,
        _ if cursor.is_plain_start() => cursor.plain_in_flow()?,
        _ => return Err(Declined),
    };
    if scalar.is_on_one_line() { Ok(scalar) } else { Err(Declined) }
}
