//! JSON as a `google.protobuf.Struct`.
//!
//! A length stands before the bytes that it counts, so the bytes are made from the last to the first: then a length is
//! known when it is written, and nesting needs no recursion.
//!
//! Numbers are doubles, so that large integers change, as in the real server.

use olmdex_text::json::{Kind, Value};

/// `Struct.fields`
const FIELDS: u8 = 0x0a;
/// `Struct.FieldsEntry.key`
const KEY: u8 = 0x0a;
/// `Struct.FieldsEntry.value`
const VALUE: u8 = 0x12;
/// `ListValue.values`
const VALUES: u8 = 0x0a;
/// `Value.null_value`, a number
const NULL: u8 = 0x08;
/// `Value.number_value`
const NUMBER: u8 = 0x11;
/// `Value.string_value`
const STRING: u8 = 0x1a;
/// `Value.bool_value`
const BOOL: u8 = 0x20;
/// `Value.struct_value`
const STRUCT: u8 = 0x2a;
/// `Value.list_value`
const LIST: u8 = 0x32;

/// The remaining work; the last task comes first.
enum Task<'d> {
    Value(Value<'d>),
    Member(Value<'d>, Value<'d>),
    Item(Value<'d>),
    /// The length of the bytes that were written since, and its tag.
    Close(usize, u8),
    /// The key of a member, and then the length of the entry and its tag.
    Key(usize, Value<'d>),
}

/// The bytes of an object; of anything else, those of an empty object.
pub(crate) fn encode_struct(object: Value<'_>) -> Vec<u8> {
    let mut out = Backwards(Vec::with_capacity(256));
    let mut tasks: Vec<Task<'_>> = object.members().map(|(key, value)| Task::Member(key, value)).collect();
    while let Some(task) = tasks.pop() {
        match task {
            Task::Member(key, value) => {
                let end = out.0.len();
                tasks.extend([Task::Key(end, key), Task::Close(end, VALUE), Task::Value(value)]);
            }
            Task::Item(value) => tasks.extend([Task::Close(out.0.len(), VALUES), Task::Value(value)]),
            Task::Close(end, tag) => out.close(end, tag),
            Task::Key(end, key) => {
                out.text(&key.as_str().unwrap_or_default(), KEY);
                out.close(end, FIELDS);
            }
            Task::Value(value) => match value.kind() {
                Kind::Object => {
                    tasks.push(Task::Close(out.0.len(), STRUCT));
                    tasks.extend(value.members().map(|(key, value)| Task::Member(key, value)));
                }
                Kind::Array => {
                    tasks.push(Task::Close(out.0.len(), LIST));
                    tasks.extend(value.items().map(Task::Item));
                }
                _ => out.leaf(value),
            },
        }
    }
    out.0.reverse();
    out.0
}

/// Bytes, the last first.
struct Backwards(Vec<u8>);

impl Backwards {
    fn leaf(&mut self, value: Value<'_>) {
        if let Some(text) = value.as_str() {
            self.text(&text, STRING);
        } else if let Some(number) = value.as_f64() {
            self.0.extend(number.to_be_bytes());
            self.0.push(NUMBER);
        } else if let Some(is_true) = value.as_bool() {
            self.0.extend([u8::from(is_true), BOOL]);
        } else {
            self.0.extend([0, NULL]);
        }
    }

    fn text(&mut self, text: &str, tag: u8) {
        let end = self.0.len();
        self.0.extend(text.bytes().rev());
        self.close(end, tag);
    }

    /// Puts the length of the bytes written since `end` before them, and a tag before that.
    fn close(&mut self, end: usize, tag: u8) {
        let mut len = self.0.len() - end;
        let mut bytes = Vec::with_capacity(5);
        loop {
            let low = (len & 0x7f) as u8;
            len >>= 7;
            bytes.push(if len == 0 { low } else { low | 0x80 });
            if len == 0 {
                break;
            }
        }
        self.0.extend(bytes.iter().rev());
        self.0.push(tag);
    }
}
