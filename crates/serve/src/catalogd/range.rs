//! The `Range` header.

/// The reasons why there are no ranges.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Invalid {
    /// It is not written as one.
    Form,
    /// All of them begin behind the end.
    Beyond,
}

/// The number of ranges that are answered; of more, everything.
const MAX_RANGES: usize = 64;

/// The ranges, each from a byte to before another, or none if everything is to be sent.
pub(super) fn parse(text: &str, len: u64) -> Result<Vec<(u64, u64)>, Invalid> {
    let list = text.strip_prefix("bytes=").ok_or(Invalid::Form)?;
    let mut ranges = Vec::new();
    let mut is_beyond = false;
    let number = |text: &str| match text.bytes().all(|it| it.is_ascii_digit()) {
        true => text.parse::<u64>().ok().filter(|it| i64::try_from(*it).is_ok()).ok_or(Invalid::Form),
        false => Err(Invalid::Form),
    };
    for part in list.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        let (first, last) = part.split_once('-').ok_or(Invalid::Form)?;
        let (first, last) = (first.trim(), last.trim());
        if first.is_empty() {
            if last.is_empty() {
                return Err(Invalid::Form);
            }
            ranges.push((len - number(last)?.min(len), len));
            continue;
        }
        let from = number(first)?;
        if from >= len {
            is_beyond = true;
            continue;
        }
        let to = if last.is_empty() { len } else { number(last)?.saturating_add(1) };
        if !last.is_empty() && to <= from {
            return Err(Invalid::Form);
        }
        ranges.push((from, to.min(len)));
    }
    if is_beyond && ranges.is_empty() {
        // An empty content is sent whole, whatever was asked for.
        return if len == 0 { Ok(ranges) } else { Err(Invalid::Beyond) };
    }
    let sum: u64 = ranges.iter().map(|(from, to)| to - from).fold(0, u64::saturating_add);
    if sum > len || ranges.len() > MAX_RANGES {
        ranges.clear();
    }
    Ok(ranges)
}
