//! Compact JSON with white space; nothing else is changed.

use super::expansion::Expansion;

/// Writes compact JSON with four blanks a level. Keys, numbers and strings stay as they are written.
///
/// # Errors
/// The blanks are more than a text of this length may have; `out` then ends within the value.
pub fn indent(compact: &[u8], out: &mut Vec<u8>) -> Result<(), &'static str> {
    const WIDTH: usize = 4;
    let mut level = 0;
    let (mut n_blanks, max_blanks) = (0, Expansion::max_blanks(compact.len()));
    let mut new_line = |level: usize, out: &mut Vec<u8>| {
        n_blanks += (WIDTH * level) as u64;
        if n_blanks > max_blanks {
            return Expansion::default().charge_indentation(n_blanks, compact.len());
        }
        out.push(b'\n');
        out.resize(out.len() + WIDTH * level, b' ');
        Ok(())
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
                new_line(level, out)?;
            }
            b'}' | b']' => {
                level = level.saturating_sub(1);
                new_line(level, out)?;
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(level, out)?;
            }
            b':' => out.extend_from_slice(b": "),
            _ => out.push(byte),
        }
        pos += 1;
    }
    Ok(())
}

/// The same JSON without white space between its parts.
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
        indent(compact, &mut indented).unwrap();
        assert_eq!(unindent(&indented), compact);
        assert_eq!(unindent(b"[ 1,\r\n\t2 ]\n"), b"[1,2]");
    }

    #[test]
    fn deep_values_end_before_they_fill_the_memory() {
        let (open, items) = ("[".repeat(5_000), "1,".repeat(100_000));
        let compact = format!("{open}{items}1{}", "]".repeat(5_000));
        let mut indented = Vec::new();
        assert!(indent(compact.as_bytes(), &mut indented).is_err());
        assert!(indented.len() < 80 << 20);
    }
}
