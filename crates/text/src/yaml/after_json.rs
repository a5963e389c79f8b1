//! The point at which the real reader goes on as YAML when a text that looks like JSON is not JSON
//! (`docs/behaviour/fbc.md` 1.3).

/// The number of bytes that the real reader takes to look at one character.
const READ_AT_ONCE: usize = 4;

/// The start of the YAML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterJson {
    /// At this byte.
    At(usize),
    /// More of the text is needed to tell.
    NeedMore,
    /// Nowhere: the JSON failure is final.
    Never,
}

/// Drops white space of any kind, up to and including the first line break. The real reader takes four bytes for each
/// character, so it stops if fewer are left.
pub fn after_json(buffer: &[u8], is_last: bool) -> AfterJson {
    let mut at = 0;
    loop {
        let Some(bytes) = buffer.get(at..at + READ_AT_ONCE) else {
            return if is_last { AfterJson::Never } else { AfterJson::NeedMore };
        };
        let valid = bytes.utf8_chunks().next().map_or("", |it| it.valid());
        match valid.chars().next() {
            None | Some(char::REPLACEMENT_CHARACTER) => return AfterJson::Never,
            Some('\n') => return AfterJson::At(at + 1),
            Some(it) if it.is_whitespace() => at += it.len_utf8(),
            Some(_) => return AfterJson::At(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_up_to_a_line_break_is_dropped() {
        for (text, expected) in [
            ("{a: 1}\n", AfterJson::At(0)),
            ("\t{a: 1}\n", AfterJson::At(1)),
            ("\u{a0}\u{3000} {a: 1}\n", AfterJson::At(6)),
            (" \n {a: 1}\n", AfterJson::At(2)),
            ("{a}\n", AfterJson::At(0)),
            ("{a}", AfterJson::Never),
            ("\u{a0}\n\n", AfterJson::Never),
            ("\u{fffd}{a: 1}", AfterJson::Never),
            ("\u{feff}{a: 1}", AfterJson::At(0)),
        ] {
            assert_eq!(after_json(text.as_bytes(), true), expected, "{text:?}");
        }
        assert_eq!(after_json(b"\t\t", false), AfterJson::NeedMore);
        assert_eq!(after_json(b"\xff{a: 1}", true), AfterJson::Never);
    }
}
