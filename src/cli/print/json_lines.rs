//! A stream of JSON objects with each on a line of its own, for programs that read line by line.

use std::io::{self, BufWriter, Write};

use crate::fbc::Format;

/// The start of standard output for blobs in a format; with `is_lines`, JSON is written an object a line.
pub(in crate::cli) fn blobs(format: Format, is_lines: bool) -> Box<dyn Write> {
    let out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match is_lines && format == Format::Json {
        true => Box::new(JsonLines { out, depth: 0, is_in_string: false, is_escaped: false }),
        false => Box::new(out),
    }
}

/// Drops white space outside of strings, and ends each object with a line break.
struct JsonLines<W> {
    out: W,
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
}

impl<W: Write> Write for JsonLines<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut kept = Vec::with_capacity(text.len());
        for &byte in text {
            if self.is_in_string {
                self.is_in_string = self.is_escaped || byte != b'"';
                self.is_escaped = !self.is_escaped && byte == b'\\';
                kept.push(byte);
                continue;
            }
            if byte.is_ascii_whitespace() {
                continue;
            }
            kept.push(byte);
            match byte {
                b'"' => self.is_in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        kept.push(b'\n');
                    }
                }
                _ => {}
            }
        }
        self.out.write_all(&kept)?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_object_is_a_line_wherever_it_is_cut() {
        let text = "{\n    \"a b\": \"x \\\" }\\\\\",\n    \"c\": [1, {\"d\": \" \"}]\n}\n{\n    \"e\": {}\n}\n";
        let expected = "{\"a b\":\"x \\\" }\\\\\",\"c\":[1,{\"d\":\" \"}]}\n{\"e\":{}}\n";
        for at in 0..text.len() {
            let mut lines = JsonLines { out: Vec::new(), depth: 0, is_in_string: false, is_escaped: false };
            lines.write_all(&text.as_bytes()[..at]).unwrap();
            lines.write_all(&text.as_bytes()[at..]).unwrap();
            assert_eq!(String::from_utf8(lines.out).unwrap(), expected, "{at}");
        }
    }
}
