//! The memory that kept answers may take, by the limit that OLM gives the pod of a catalog (`docs/behaviour/serving.md`
//! B.2).

/// The memory that the server takes without kept answers, in bytes.
const BARE: u64 = 24 << 20;

/// The most that kept answers take, in bytes, however much memory there is.
const MAX: u64 = 128 << 20;

/// The bytes that all answers together may take, by the text of `GOMEMLIMIT`: half of the room that the limit leaves
/// beside the server itself. `None` if there is no limit (`off`), or the text is not a valid one.
pub fn budget(limit: &str) -> Option<usize> {
    let bytes = bytes(limit.trim())?;
    usize::try_from((bytes.saturating_sub(BARE) / 2).min(MAX)).ok()
}

/// A number of bytes with one of Go's units, or none.
fn bytes(text: &str) -> Option<u64> {
    const UNITS: [(&str, u32); 5] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40), ("B", 0)];
    let (number, shift) =
        UNITS.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift))).unwrap_or((text, 0));
    if !number.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_get_half_of_what_is_left() {
        let mib = |n: usize| Some(n << 20);
        for (limit, expected) in [
            ("50MiB", mib(13)),
            ("52428800", mib(13)),
            ("52428800B", mib(13)),
            ("51200KiB", mib(13)),
            (" 1GiB ", mib(128)),
            ("1TiB", mib(128)),
            ("10MiB", mib(0)),
            ("0", mib(0)),
            ("off", None),
            ("", None),
            ("MiB", None),
            ("-5MiB", None),
            ("+5MiB", None),
            ("5MB", None),
            ("99999999999TiB", None),
        ] {
            assert_eq!(budget(limit), expected, "{limit:?}");
        }
    }
}
