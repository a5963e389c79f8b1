//! Compact JSON with white space; nothing else is changed.

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

/// The same JSON without white space between its parts.
#[must_use]
pub fn unindent(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut pos = 0;
    while let Some(&byte) = text.get(pos) {
        match byte {
            b'"' => {
                let end = end_of_string(text, pos);
                out.extend_from_slice(&text[pos..end]);
                pos = end;
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => out.push(byte),
        }
        pos += 1;
    }
    out
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unindenting_undoes_indenting_and_leaves_strings_as_they_are() {
        let compact = br#"{"a":[1,{"b":"x \" : , y"},[]],"c":{},"d":" "}"#;
        let mut indented = Vec::new();
        indent(compact, &mut indented);
        assert_eq!(unindent(&indented), compact);
        assert_eq!(unindent(b"[ 1,\r\n\t2 ]\n"), b"[1,2]");
    }
}
