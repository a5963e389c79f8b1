//! When a certificate counts: `notBefore` and `notAfter` of RFC 5280, 4.1.2.5.
//!
//! This module deliberately checks no signature and reads nothing else: it gives no security. A certificate of another
//! form has no times here, and clients judge it.

use std::cmp::Ordering;

use olmdex_text::calendar::Day;

/// The times between which a certificate counts, in seconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Validity {
    from: i64,
    to: i64,
}

const SEQUENCE: u8 = 0x30;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
/// The version of a certificate, which the first one leaves out.
const VERSION: u8 = 0xa0;

impl Validity {
    /// Reads the times of a certificate in DER.
    pub(super) fn of(certificate: &[u8]) -> Option<Self> {
        let (body, _) = value(certificate, SEQUENCE)?;
        let (body, _) = value(body, SEQUENCE)?;
        let rest = if body.first() == Some(&VERSION) { element(body)?.2 } else { body };
        // The serial number, the algorithm, the issuer.
        let rest = element(element(element(rest)?.2)?.2)?.2;
        let (times, _) = value(rest, SEQUENCE)?;
        let (from, rest) = time(times)?;
        let (to, _) = time(rest)?;
        Some(Self { from, to })
    }

    /// The reason why it does not count at a time, in words.
    pub(super) fn problem(self, now: i64) -> Option<String> {
        let day = |seconds: i64| Day::of_unix(seconds);
        match (now.cmp(&self.from), now.cmp(&self.to)) {
            (Ordering::Less, _) => Some(format!("it is not valid before {}", day(self.from))),
            (_, Ordering::Greater) => Some(format!("it has expired on {}", day(self.to))),
            _ => None,
        }
    }
}

/// The first element of some DER: its tag, its value, and the rest.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (len, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let n_bytes = usize::from(first & 0x7f);
        // A file of certificates is shorter than the length that four bytes can state.
        if n_bytes == 0 || n_bytes > 4 {
            return None;
        }
        let (len, rest) = rest.split_at_checked(n_bytes)?;
        (len.iter().fold(0, |len, byte| len << 8 | usize::from(*byte)), rest)
    };
    let (value, rest) = rest.split_at_checked(len)?;
    Some((tag, value, rest))
}

/// The value of the first element, if it has this tag, and the rest.
fn value(bytes: &[u8], wanted: u8) -> Option<(&[u8], &[u8])> {
    let (tag, value, rest) = element(bytes)?;
    (tag == wanted).then_some((value, rest))
}

/// The time that comes first, and the rest.
fn time(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let (tag, value, rest) = element(bytes)?;
    let text = std::str::from_utf8(value).ok()?.strip_suffix('Z')?;
    if !text.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let text = match (tag, text.len()) {
        // Two digits of a year are one from 1950 to 2049.
        (UTC_TIME, 12) => format!("{}{text}", if text < "50" { "20" } else { "19" }),
        (GENERALIZED_TIME, 14) => text.to_owned(),
        _ => return None,
    };
    let day = Day::parse(&format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..8]))?;
    let part = |at: usize| text[at..at + 2].parse::<i64>().ok();
    Some((day.unix() + part(8)? * 3_600 + part(10)? * 60 + part(12)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certificate(from: (i32, u8, u8), to: (i32, u8, u8)) -> Vec<u8> {
        let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(from.0, from.1, from.2);
        params.not_after = rcgen::date_time_ymd(to.0, to.1, to.2);
        params.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn a_certificate_counts_between_its_times() {
        let unix = |text: &str| Day::parse(text).unwrap().unix();
        for (from, to, words) in [
            ((2020, 1, 1), (2049, 12, 31), None),
            ((2020, 1, 1), (2999, 1, 1), None),
            ((1960, 3, 4), (2026, 2, 3), Some("it has expired on 2026-02-03")),
            ((1949, 3, 4), (1951, 2, 3), Some("it has expired on 1951-02-03")),
            ((2026, 7, 1), (2027, 1, 1), Some("it is not valid before 2026-07-01")),
            ((2051, 7, 1), (2052, 1, 1), Some("it is not valid before 2051-07-01")),
        ] {
            let found = Validity::of(&certificate(from, to)).unwrap();
            assert_eq!(found.problem(unix("2026-06-01")).as_deref(), words, "{found:?}");
        }
        let found = Validity::of(&certificate((2026, 1, 1), (2026, 1, 2))).unwrap();
        let at = |seconds: i64| found.problem(unix("2026-01-02") + seconds).is_none();
        assert!(at(-86_400) && at(0) && !at(1) && !at(-86_401));
    }

    #[test]
    fn what_is_no_certificate_has_no_times() {
        let whole = certificate((2026, 1, 1), (2026, 1, 2));
        // The times are somewhere in the first half.
        for len in 0..whole.len() {
            assert!(Validity::of(&whole[..len]).is_none(), "{len}");
        }
        for at in 0..whole.len() {
            for byte in [0, 0x7f, 0x80, 0x84, 0xff] {
                let mut other = whole.clone();
                other[at] = byte;
                let _ = Validity::of(&other);
            }
        }
    }
}
