//! Names of entries in messages.

/// A name for a message: all characters that a terminal would act on are escaped.
pub fn shown(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}
