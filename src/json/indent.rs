//! Compact JSON with white space, and nothing else of it changed.

/// Writes compact JSON with four blanks a level. Keys, numbers and strings stay as they are written.
pub fn indent(compact: &[u8], out: &mut Vec<u8>) {
    const WIDTH: usize = 4;
    let mut level = 0;
    let new_line = |level: usize, out: &mut Vec<u8>| {
        out.push(b'\n');
        out.resize(out.len() + WIDTH * level, b' ');
    };
    let mut pos = 0;
    out.reserve(compact.len() + compact.len() / 8);
    while let Some(&byte) = compact.get(pos) {
        match byte {
            b'"' => {
                let end = end_of_string(compact, pos);
                out.extend_from_slice(&compact[pos..end]);
                pos = end;
                continue;
            }
            b'{' | b'[' => {
                out.push(byte);
                if matches!(compact.get(pos + 1), Some(b'}' | b']')) {
                    out.extend(compact.get(pos + 1));
                    pos += 2;
                    continue;
                }
                level += 1;
                new_line(level, out);
            }
            b'}' | b']' => {
                level = level.saturating_sub(1);
                new_line(level, out);
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(level, out);
            }
            b':' => out.extend_from_slice(b": "),
            _ => out.push(byte),
        }
        pos += 1;
    }
}

/// The offset after the string whose quote is at `start`.
fn end_of_string(text: &[u8], start: usize) -> usize {
    let mut pos = start + 1;
    while let Some(at) = memchr::memchr2(b'"', b'\\', text.get(pos..).unwrap_or_default()) {
        pos += at;
        if text[pos] == b'"' {
            return pos + 1;
        }
        pos += 2;
    }
    text.len()
}
